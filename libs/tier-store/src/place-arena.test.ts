import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { arenaFolders, placeArena } from './index.ts';

const NAME = 'baton-arena-placed';
let first: string;
let second: string;
let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'baton-place-test-'));
  first = path.join(root, 'first');
  second = path.join(root, 'second');
  mkdirSync(first);
  mkdirSync(second);
});
afterEach(() => rmSync(root, { recursive: true }));

function place(folders: readonly string[], pageCount = 2) {
  const skipped: [string, string][] = [];
  const onSkipped = (folder: string, reason: string): void => void skipped.push([folder, reason]);
  const options = { folders, name: NAME, pageBytes: 4096, pageCount, onSkipped };
  return { skipped, run: () => placeArena(options) };
}

test('the first folder that works has it', () => {
  const { skipped, run } = place([first, second]);
  const placed = run();
  expect(placed.path).toBe(path.join(first, NAME));
  expect(statSync(placed.path).size).toBe(8192);
  expect([skipped, readdirSync(second)]).toEqual([[], []]);
  placed.arena.close();
  expect(existsSync(placed.path)).toBe(false);
});

test.each<[string, () => string, RegExp]>([
  ['is not there', () => path.join(root, 'missing'), /ENOENT.*missing/],
  // As when somebody is faster: the look says that there is room, the use of it fails.
  ['looks well and fails', () => (writeFileSync(path.join(first, NAME), 'x'), first), /EEXIST/],
])('a folder that %s is skipped with its reason', (_, bad, reason) => {
  const folder = bad();
  const { skipped, run } = place([folder, second]);
  const placed = run();
  expect(placed.path).toBe(path.join(second, NAME));
  expect(skipped).toEqual([[folder, expect.stringMatching(reason)]]);
  placed.arena.close();
});

test('when no folder works, the error says why of each', () => {
  const { skipped, run } = place([path.join(root, 'missing'), second], 2 ** 40);
  expect(run).toThrow(/no folder takes .*missing: ENOENT.*; .*second: only \d+ bytes are free/);
  expect(skipped.map(([folder]) => folder)).toEqual([path.join(root, 'missing'), second]);
  expect(readdirSync(second)).toEqual([]);
});

test('a size that is none is no reason to look further', () => {
  const { skipped, run } = place([first, second], 0);
  expect(run).toThrow(RangeError);
  expect(skipped).toEqual([]);
});

test('shared memory comes before the folder for temporary files', () => {
  expect(arenaFolders).toEqual([...new Set(['/dev/shm', tmpdir()])]);
});
