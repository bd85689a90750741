import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { requireFolder, requireOther, requireWritable, writeOutput } from './output-files.ts';
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

test('a file is replaced as a whole, where a link leads; what is no file is written to', () => {
  const file = temporaryFile('old.json', 'old');
  const link = path.join(temporaryFolder(), 'link.json');
  symlinkSync(file, link);
  const before = statSync(file).ino;
  writeOutput('--json', link, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(statSync(file).ino).not.toBe(before);
  expect(readdirSync(path.dirname(file))).toEqual(['old.json']);
  writeOutput('--json', '/dev/null', 'text');
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

test('what was there stays when writing fails, and nothing is left beside it', () => {
  const file = temporaryFile('old.json', 'old');
  const partial = `${file}.${process.pid}.partial`;
  mkdirSync(partial);
  expect(() => writeOutput('--json', file, 'new')).toThrow('--json');
  expect(readFileSync(file, 'utf8')).toBe('old');
});

test('a file of no name cannot be written, nor one that was read', () => {
  expect(() => requireWritable('--json', '')).toThrow('there is no such folder');
  const trace = temporaryFile('trace.jsonl', '');
  const link = path.join(temporaryFolder(), 'link.jsonl');
  symlinkSync(trace, link);
  const read = { flag: '--trace', file: trace };
  for (const same of [trace, link]) {
    expect(() => requireOther('--json', same, read)).toThrow(
      `--json ${same} would be written over the file of --trace: give another one.`,
    );
  }
  expect(() => requireOther('--json', `${trace}-2`, read)).not.toThrow();
  expect(() => requireOther('--json', trace, { ...read, file: 'a800' })).not.toThrow();
});
