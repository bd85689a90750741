import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFolder } from './folder-lock.ts';

const ROUNDS = 40;
const isBirthKnown = existsSync('/proc/self/stat');
const source = new URL('folder-lock.ts', import.meta.url).href;

let folder: string;
let lock: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'baton-fl-'));
  lock = path.join(folder, 'lock');
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** A process that takes locks when it is told to, tells which it got, and stays. */
function startTaker(locks: string[]) {
  const code = `
    import { lockFolder } from ${JSON.stringify(source)};
    const got = [];
    process.stdin.once('data', async () => {
      for (const file of ${JSON.stringify(locks)}) {
        await lockFolder(file).then(() => got.push(file), () => undefined);
      }
      console.log(JSON.stringify(got));
    });
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
  children.push(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async () => String((await lines.next()).value);
  return {
    child,
    ready: line(),
    take: async () => {
      child.stdin.write('go\n');
      return JSON.parse(await line()) as string[];
    },
  };
}

test('the folder of a living process is left alone, that of a dead one taken', async () => {
  const { child, ready, take } = startTaker([lock]);
  await ready;
  expect(await take()).toEqual([lock]);
  await expect(lockFolder(lock)).rejects.toThrow(`process ${child.pid} uses the folder`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await lockFolder(lock);
  expect(await readFile(lock, 'utf8')).toMatch(new RegExp(`^${process.pid}\\b`));
  expect(await readdir(folder)).toEqual(['lock']);
});

test.each(['', 'no number', '0', '999999999999999999999', String(process.pid)])(
  'a lock of no process (%j) is replaced',
  async (content) => {
    await writeFile(lock, content);
    await lockFolder(lock);
    expect(await readdir(folder)).toEqual(['lock']);
  },
);

test.runIf(isBirthKnown)('a number that is another process’ by now owns nothing', async () => {
  for (const content of ['1', `${process.ppid} 17 another-boot`]) {
    await writeFile(lock, content);
    await lockFolder(lock);
    expect(await readFile(lock, 'utf8')).toMatch(new RegExp(`^${process.pid} \\d+ [0-9a-f-]+$`));
  }
});

test('of processes that find the same lock left behind, one gets it', async () => {
  const locks = Array.from({ length: ROUNDS }, (_, i) => path.join(folder, `lock-${i}`));
  for (const file of locks) await writeFile(file, 'nobody');
  // One of them has died while it looked.
  await writeFile(`${locks[0]}.turn`, 'nobody');
  const takers = [1, 2, 3].map(() => startTaker(locks));
  await Promise.all(takers.map(({ ready }) => ready));
  const got = await Promise.all(takers.map(({ take }) => take()));
  expect(got.flat().sort()).toEqual(locks.toSorted());
  expect((await readdir(folder)).length).toBe(ROUNDS);
}, 30_000);
