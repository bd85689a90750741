import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeRunFolder } from './run-folder.ts';
import { thisProcess } from './run-owner.ts';

const parent = mkdtempSync(path.join(tmpdir(), 'run-folders-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** A process that has a run folder and waits. */
async function holder(): Promise<{ process: ChildProcess; folder: string }> {
  const script = `import { makeRunFolder } from ${JSON.stringify(import.meta.resolve('./run-folder.ts'))};
    console.log(makeRunFolder(${JSON.stringify(parent)}));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  return { process: child, folder: text.toString().trim() };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('the folder of a run that was killed is removed by the next, that of a living one is not', async () => {
  const [living, dead] = [await holder(), await holder()];
  writeFileSync(path.join(dead.folder, 'd1.sock'), '');
  await kill(dead.process);
  expect(existsSync(dead.folder)).toBe(true);
  const own = makeRunFolder(parent);
  expect([own, living.folder, dead.folder].map((folder) => existsSync(folder))).toEqual([
    true,
    true,
    false,
  ]);
  await kill(living.process);
});

/** What the owner file of a folder says, or undefined for a folder without one. */
const gone = { pid: 2 ** 30, processStartedAt: '1' };
const others: [string, object | undefined][] = [
  ['of another machine or container', { ...thisProcess(), ...gone, machine: 'elsewhere' }],
  ['that is just being made', undefined],
  ['with an owner file of another kind', { pid: -1 }],
];

test.each(others)('a folder %s is left alone', (_, owner) => {
  const folder = mkdtempSync(path.join(parent, 'baton-run-'));
  if (owner !== undefined) writeFileSync(path.join(folder, 'owner.json'), JSON.stringify(owner));
  makeRunFolder(parent);
  expect(existsSync(folder)).toBe(true);
});

test('a later process with the same id keeps no folder', () => {
  const folder = mkdtempSync(path.join(parent, 'baton-run-'));
  const owner = { ...thisProcess(), processStartedAt: '1' };
  writeFileSync(path.join(folder, 'owner.json'), JSON.stringify(owner));
  makeRunFolder(parent);
  expect(existsSync(folder)).toBe(process.platform !== 'linux');
});

test('a folder under another name is left alone, whatever it says', () => {
  const folder = path.join(parent, 'baton-other');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'owner.json'), JSON.stringify({ ...thisProcess(), ...gone }));
  makeRunFolder(parent);
  expect(readFileSync(path.join(folder, 'owner.json'), 'utf8')).toContain('pid');
});
