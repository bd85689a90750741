import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { requireFolder, requireWritable, writeOutput } from './output-files.ts';
import { temporaryFile, temporaryFolder } from './testing/trace-file.ts';

test('a folder is made, a file is not made too early', () => {
  const folder = path.join(temporaryFolder(), 'a/b');
  requireFolder('--report', folder);
  expect(statSync(folder).isDirectory()).toBe(true);
  const file = path.join(folder, 'x.json');
  requireWritable('--json', file);
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  writeOutput('--json', file, 'text');
  requireWritable('--json', file);
  expect(readFileSync(file, 'utf8')).toBe('text');
});

test('what stands in the way is named', () => {
  const file = temporaryFile('taken', '');
  expect(() => requireFolder('--report', file)).toThrow(
    `--report ${file} cannot be written: there is a file of this name.`,
  );
  const below = path.join(file, 'report');
  expect(() => requireFolder('--report', below)).toThrow(
    `--report ${below} cannot be written: there is a file where a folder has to be.`,
  );
  const nowhere = path.join(temporaryFolder(), 'none/x.json');
  for (const act of [requireWritable, (flag: string, at: string) => writeOutput(flag, at, '')]) {
    expect(() => act('--json', nowhere)).toThrow(
      `--json ${nowhere} cannot be written: there is no such folder.`,
    );
    const folder = temporaryFolder();
    expect(() => act('--json', folder)).toThrow(
      `--json ${folder} cannot be written: it is a folder.`,
    );
  }
});

test.skipIf(process.getuid?.() === 0)('a folder without permission is named', () => {
  const folder = path.join(temporaryFolder(), 'locked');
  mkdirSync(folder, { mode: 0o500 });
  expect(() => requireFolder('--report', folder)).toThrow('permission denied');
  expect(() => writeFileSync(path.join(folder, 'x'), '')).toThrow('EACCES');
});
