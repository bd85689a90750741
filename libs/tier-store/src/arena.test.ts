import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createArena, openArena, removeStaleArenas } from './index.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'baton-arena-test-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const inFolder = (name: string): string => path.join(folder, name);

test('creator and opener see the same bytes, and the file goes with its creator', () => {
  const file = inFolder('baton-arena-a');
  const created = createArena({ path: file, pageBytes: 4096, pageCount: 3 });
  expect(statSync(file)).toMatchObject({ size: 12_288 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const opened = openArena({ path: file, sizeBytes: 12_288 });
  created.bytes[5000] = 77;
  opened.bytes[5001] = 78;
  expect([opened.bytes[5000], created.bytes[5001]]).toEqual([77, 78]);
  expect(readFileSync(file)[5000]).toBe(77);

  created.close();
  created.close();
  expect(existsSync(file)).toBe(false);
  expect(opened.bytes[5000]).toBe(77);
  const late = opened.bytes.subarray(0, 10);
  opened.close();
  expect([opened.bytes.length, late.length, created.bytes.length]).toEqual([0, 0, 0]);
});

test('an existing file is not taken over', () => {
  const file = inFolder('baton-arena-b');
  writeFileSync(file, 'precious');
  expect(() => createArena({ path: file, pageBytes: 4096, pageCount: 1 })).toThrow('EEXIST');
  expect(readFileSync(file, 'utf8')).toBe('precious');
});

test.each([
  [0, 1, 'pageBytes'],
  [1.5, 1, 'pageBytes'],
  [4096, -1, 'pageCount'],
  [4096, Number.NaN, 'pageCount'],
])('pages of %d bytes times %d are refused by name', (pageBytes, pageCount, name) => {
  const file = inFolder('baton-arena-c');
  expect(() => createArena({ path: file, pageBytes, pageCount })).toThrow(name);
  expect(existsSync(file)).toBe(false);
});

test('a file system without room is an error, not a crash at the first write', () => {
  const file = inFolder('baton-arena-d');
  expect(() => createArena({ path: file, pageBytes: 2 ** 40, pageCount: 4096 })).toThrow(folder);
  expect(existsSync(file)).toBe(false);
});

test('a size that lies is refused', () => {
  const file = inFolder('baton-arena-e');
  const created = createArena({ path: file, pageBytes: 4096, pageCount: 1 });
  expect(() => openArena({ path: file, sizeBytes: 8192 })).toThrow('has 4096 bytes');
  created.close();
});

test('arenas of killed owners are removed, those of living ones stay', async () => {
  const source = `
    import { createArena } from ${JSON.stringify(path.join(import.meta.dirname, 'index.ts'))};
    createArena({ path: process.argv[1], pageBytes: 4096, pageCount: 1 });
    console.log('created');
    process.stdin.resume();`;
  const file = inFolder('baton-arena-child');
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, file]);
  await once(child.stdout, 'data');
  const own = createArena({ path: inFolder('baton-arena-own'), pageBytes: 4096, pageCount: 1 });
  writeFileSync(inFolder('something-else'), '');
  expect(removeStaleArenas([folder, inFolder('missing')])).toEqual([]);

  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(removeStaleArenas([folder])).toEqual([file]);
  expect(existsSync(inFolder('something-else'))).toBe(true);
  own.close();
});
