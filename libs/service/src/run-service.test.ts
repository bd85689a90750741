import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';

const fixture = fileURLToPath(new URL('./testing/service-fixture.ts', import.meta.url));
const parentFixture = fileURLToPath(new URL('./testing/parent-fixture.ts', import.meta.url));

interface Line {
  level: string;
  service: string;
  event: string;
  msg: string;
  line?: number;
  lines?: number;
  err?: { stack: string };
}

class Run {
  readonly child: ChildProcess;
  readonly exited: Promise<[number | null, NodeJS.Signals | null]>;
  private text = '';

  constructor(mode: string, ...more: string[]) {
    this.child = fork(fixture, [mode, ...more], { silent: true, execArgv: [] });
    this.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    // Not 'close': it never comes once the IPC channel was closed from this side.
    const exited = once(this.child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    const drained = this.child.stdout ? once(this.child.stdout, 'end') : undefined;
    this.exited = drained ? drained.then(() => exited) : exited;
  }

  /** Whole lines so far. */
  get lines(): Line[] {
    return this.text
      .slice(0, this.text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  }

  get events(): string[] {
    return this.lines.map((line) => line.event);
  }
}

const running: Run[] = [];
function start(mode: string, ...more: string[]): Run {
  const run = new Run(mode, ...more);
  running.push(run);
  return run;
}
afterEach(() => running.splice(0).forEach((run) => run.child.kill('SIGKILL')));

async function ready(run: Run): Promise<unknown> {
  const [message] = (await once(run.child, 'message')) as [unknown];
  return message;
}

describe('ready and stop', () => {
  test('ready goes to the parent and to the log; SIGTERM stops with 0', async () => {
    const run = start('normal');
    expect(await ready(run)).toEqual({
      type: 'ready',
      service: 'fixture',
      endpoints: { http: 'http://127.0.0.1:1' },
    });
    run.child.kill('SIGTERM');
    expect(await run.exited).toEqual([0, null]);
    expect(run.events).toEqual(['ready', 'stopping', 'app_stopped', 'stopped']);
    expect(run.lines.every((line) => line.service === 'fixture' && line.level === 'info')).toBe(
      true,
    );
  });

  test('a child ignores SIGINT', async () => {
    const run = start('normal');
    await ready(run);
    run.child.kill('SIGINT');
    run.child.send('ping');
    expect(await ready(run)).toBe('pong');
    run.child.kill('SIGTERM');
    expect((await run.exited)[0]).toBe(0);
  });

  test('the end of the IPC channel stops it', async () => {
    const run = start('normal');
    await ready(run);
    run.child.disconnect();
    expect(await run.exited).toEqual([0, null]);
    expect(run.events).toContain('app_stopped');
  });

  test('a parent killed with SIGKILL takes it along', async () => {
    const parent = fork(parentFixture, [fixture], { silent: true, execArgv: [] });
    let text = '';
    parent.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await once(parent, 'message');
    parent.kill('SIGKILL');
    // The child holds the other end of this pipe: it ends when the child is gone.
    if (parent.stdout) await once(parent.stdout, 'end');
    expect(text).toContain('"event":"stopped"');
  });

  test('a stop that hangs ends with 1, a second signal ends it at once', async () => {
    const hanging = start('hang');
    const twice = start('hang');
    await Promise.all([ready(hanging), ready(twice)]);
    hanging.child.kill('SIGTERM');
    twice.child.kill('SIGTERM');
    await expect.poll(() => twice.events, { timeout: 20_000 }).toContain('stopping');
    twice.child.kill('SIGTERM');
    expect((await twice.exited)[0]).toBe(143);
    expect(twice.events).not.toContain('stop_timeout');
    expect((await hanging.exited)[0]).toBe(1);
    expect(hanging.events).toContain('stop_timeout');
  });

  test('SIGTERM while it starts aborts the start', async () => {
    const run = start('slow-start');
    expect(await ready(run)).toBe('starting');
    run.child.kill('SIGTERM');
    expect((await run.exited)[0]).toBe(0);
    expect(run.events).toEqual(['stopping', 'stopped']);
  });
});

test('a parent that does not read the log holds nothing up; lines that are too many are counted', async () => {
  const run = start('flood');
  run.child.stdout?.pause();
  expect(await ready(run)).toBe('still alive');
  run.child.stdout?.resume();
  await expect
    .poll(() => run.lines.find((line) => line.event === 'log_dropped'), { timeout: 20_000 })
    .toBeDefined();
  run.child.kill('SIGTERM');
  expect((await run.exited)[0]).toBe(0);
  const flood = run.lines.filter((line) => line.event === 'flood');
  const dropped = run.lines.filter((line) => line.event === 'log_dropped');
  const droppedLines = dropped.reduce((sum, line) => sum + (line.lines ?? 0), 0);
  const readyLines = run.events.filter((event) => event === 'ready').length;
  expect(flood.length + readyLines + droppedLines).toBe(40_001);
  expect(flood.map((line) => line.line)).toEqual(flood.map((_, i) => i));
  expect(run.events.at(-1)).toBe('stopped');
});

describe('faults', () => {
  test.each([
    ['throw-later', 'crash'],
    ['reject-later', 'crash'],
    ['throw-at-start', 'start_failed'],
  ])('%s is logged with the name of the service, exit code 1', async (mode, event) => {
    const run = start(mode);
    expect((await run.exited)[0]).toBe(1);
    expect(run.lines.at(-1)).toMatchObject({
      level: 'fatal',
      service: 'fixture',
      event,
      msg: 'on purpose',
    });
    expect(run.lines.at(-1)?.err?.stack).toContain('service-fixture.ts');
  });

  test('a port in use is one sentence without a stack', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const run = start('listen', String(port));
    expect((await run.exited)[0]).toBe(1);
    const last = run.lines.at(-1);
    expect(last?.msg).toBe(
      `port ${port} on 127.0.0.1 is in use by another process; choose another one`,
    );
    expect(last?.err).toBeUndefined();
    server.close();
  });

  test('a fault with a code of ours is its own sentence', async () => {
    const run = start('own-code');
    expect((await run.exited)[0]).toBe(1);
    expect(run.lines.at(-1)).toMatchObject({
      event: 'start_failed',
      msg: 'the model file is missing',
    });
    expect(run.lines.at(-1)?.err).toBeUndefined();
  });
});
