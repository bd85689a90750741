import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

const root = mkdtempSync(path.join(tmpdir(), 'make-folder-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a folder is made with all that is missing above it, for its user alone, and may be there', () => {
  const folder = path.join(root, 'a/b/c');
  for (let i = 0; i < 2; i++) makeFolder(folder);
  for (const made of [folder, path.dirname(folder)]) {
    expect(statSync(made).mode & 0o777).toBe(0o700);
  }
});

test('a link to a folder is a folder', () => {
  symlinkSync(root, path.join(root, 'link'));
  expect(() => makeFolder(path.join(root, 'link'))).not.toThrow();
});

const file = path.join(root, 'file');
writeFileSync(file, '');
symlinkSync(path.join(root, 'nowhere'), path.join(root, 'dangling'));
const places = [
  '/proc/baton/x',
  '/proc/self/fd/x',
  '/sys/baton',
  '/dev/null/x',
  `${file}/x`,
  file,
].concat(
  path.join(root, 'dangling'),
  // A path of a length that no system takes.
  path.join(root, 'x'.repeat(300)),
);

test.each(process.platform === 'linux' ? places : places.slice(3))(
  '%s is refused in one sentence, at once',
  (folder) => {
    expect(() => makeFolder(folder, 'ELSEWHERE')).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: expect.stringMatching(
          /^The folder .* cannot be made or written \(E\w+\): set ELSEWHERE to one that can\.$/,
        ) as string,
      }) as Error,
    );
  },
);

test.skipIf(process.getuid?.() === 0)('a folder that cannot be written is refused', () => {
  const folder = path.join(root, 'locked');
  makeFolder(folder);
  chmodSync(folder, 0o500);
  expect(() => makeFolder(folder)).toThrow(/EACCES.*set XDG_CACHE_HOME/);
});
