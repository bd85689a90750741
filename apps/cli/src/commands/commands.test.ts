import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Pty, hasPty } from '../testing/pty.ts';
import { batonBin, runBaton, type Ran } from '../testing/run-baton.ts';
import { allGone, UpProcess } from '../testing/up-process.ts';

let up: UpProcess;

beforeAll(async () => {
  up = new UpProcess({ options: { decode: 2 } });
  await up.says('What to try next');
});
afterAll(() => up.remove());

const baton = (...args: string[]): Promise<Ran> => runBaton(args, up.env);

const traceId = '0123456789abcdef0123456789abcdef';

async function sendSpan(span: object): Promise<void> {
  const times = {
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now()}000000`,
  };
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'gateway' } }] };
  const spans = [{ traceId, name: 'chat stand-in', ...times, ...span }];
  await fetch(`${up.run().tracesUrl}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
  });
}

describe('baton trace', () => {
  it('says that there is none, then that one is unfinished, then shows it', async () => {
    // At once: "last" waits some seconds for a trace that may be about to come.
    const [last, list, json] = await Promise.all([
      baton('trace', 'last'),
      baton('trace', 'list'),
      baton('trace', 'last', '--json'),
    ]);
    expect(last.stdout).toContain('No trace yet');
    expect(list.stdout).toContain('No trace yet');
    expect(json.stdout).toBe('null\n');

    await sendSpan({ spanId: '00000000000000b1', parentSpanId: '00000000000000a1', name: 'plan' });
    const unfinished = await baton('trace', 'last');
    expect(unfinished.stdout).toContain('unfinished');
    expect(unfinished.stdout).toContain('plan');

    await sendSpan({ spanId: '00000000000000a1' });
    const { stdout } = await baton('trace', 'last');
    expect(stdout).toContain(`chat stand-in · finished in 0 ms · trace ${traceId}`);
    expect(stdout).toContain('└─ plan');
    expect((await baton('trace', '0123')).stdout).toBe(stdout);
    expect((await baton('trace', 'list')).stdout).toContain(traceId);
    expect(JSON.parse((await baton('trace', 'last', '--json')).stdout)).toMatchObject({ traceId });
  });

  it('refuses an id that is none or is not kept', async () => {
    expect(await baton('trace', 'nonsense')).toMatchObject({
      code: 1,
      stderr: '"nonsense" is not a trace id, "last" or "list".\n',
    });
    expect((await baton('trace', 'ffff')).stderr).toContain('No trace ffff is kept');
  });
});

describe('baton status', () => {
  it('shows the run and its workers', async () => {
    const { stdout, code } = await baton('status');
    expect(code).toBe(0);
    expect(stdout).toContain(up.run().gatewayUrl);
    expect(stdout).toContain(`conductor ${up.run().conductorUrl}`);
    expect(stdout).toMatch(/decode-2 +decode +ready/);
    const [status] = JSON.parse((await baton('status', '--json')).stdout) as [{ run: object }];
    expect(status.run).toMatchObject({ pid: up.run().pid });
  });
});

describe('baton …', () => {
  it('talks to the run on the given port, or says which there are', async () => {
    const { port } = up.run();
    expect((await baton('trace', 'list', '--port', String(port))).code).toBe(0);
    const { code, stderr } = await baton('top', '--port', '1');
    expect(code).toBe(1);
    expect(stderr).toBe(
      `No "npm start" or "baton serve" of this clone runs on port 1 (there is one on ${port}).\n`,
    );
  });

  it.each([
    [['up', '--prefill', '0'], '--prefill must be a whole number from 1 to 32'],
    [['up', '--port', '70000'], '--port must be a whole number'],
    [['up', '--dram', 'much'], '--dram must be a size'],
    [['up', '--decoed', '2'], "unknown option '--decoed'"],
    [['upp'], "unknown command 'upp'"],
    [['trace'], 'missing required argument'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await baton(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('is invalid');
  });
});

const terminals: Pty[] = [];

function top(): Pty {
  const pty = new Pty([process.execPath, batonBin, 'top'], up.env, 200, 30);
  terminals.push(pty);
  return pty;
}
afterEach(async () => {
  for (const pty of terminals.splice(0)) {
    pty.type('q');
    await pty.exits();
  }
});

/** Whole frames, as plain lines. */
function frames(output: string): string[][] {
  return output
    .split('\x1b[H')
    .filter((frame) => frame.endsWith('\x1b[J'))
    .map((frame) => stripVTControlCharacters(frame).split(/\r*\n/));
}

describe('baton top', () => {
  it('prints one snapshot without a terminal', async () => {
    const { stdout, code } = await baton('top');
    expect(code).toBe(0);
    expect(stdout).toMatch(/decode-2 +decode +ready/);
    expect(stdout).toContain('3/64');
    expect(stdout).not.toContain('\x1b');
  });

  it.runIf(hasPty)('draws, and gives the terminal back', async () => {
    for (const key of ['q', '\x03']) {
      const pty = top();
      await pty.shows('decode-2');
      expect(pty.output).toContain('\x1b[?1049h');
      expect(pty.output).not.toContain('\x1b[2J');
      pty.type(key);
      expect(await pty.exits()).toBe(0);
      expect(pty.output).toMatch(/\x1b\[\?25h\x1b\[\?1049l\s*$/);
    }
  });

  it.runIf(hasPty)('follows the size of the terminal', async () => {
    const pty = top();
    await pty.shows('KV blocks');
    pty.resize(40, 5);
    await expect.poll(() => frames(pty.output).at(-1)?.length, { timeout: 30_000 }).toBe(5);
    const widths = (frames(pty.output).at(-1) ?? []).map((line) => line.length);
    expect(Math.max(...widths)).toBe(40);
    pty.type('q');
    await pty.exits();
  });

  // Last: it takes a worker away from the fleet that all tests here look at.
  it.runIf(hasPty)('shows who is gone, and that the run has ended', async () => {
    const pty = top();
    await pty.shows('decode-2');
    await fetch(`${up.run().conductorUrl}/lose`);
    await pty.shows('gone');
    const pids = up.pids();
    const from = pty.output.length;
    up.signal('SIGTERM');
    await up.exits();
    await allGone(pids);
    await pty.shows('has ended', from);
    pty.type('q');
    expect(await pty.exits()).toBe(0);
    expect((await baton('status')).code).toBe(1);
    expect((await baton('top')).stderr).toContain(
      'No "npm start" or "baton serve" of this clone is running',
    );
  });
});
