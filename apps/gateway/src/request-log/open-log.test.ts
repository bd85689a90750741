import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openConfiguredLog } from './open-log.ts';

function folderWith(...names: string[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'open-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of names) writeFileSync(path.join(folder, name), '');
  return folder;
}

test('the file is there when it was opened, with a number where the name is taken', async () => {
  const folder = folderWith('log.jsonl');
  const { path: opened, handle } = await openConfiguredLog(path.join(folder, 'log.jsonl'));
  await handle.close();
  expect(opened).toBe(path.join(folder, 'log-2.jsonl'));
  expect(readdirSync(folder)).toEqual(['log-2.jsonl', 'log.jsonl']);
});

test.each([
  ['logs', 'it is a folder, and has to be a new file'],
  ['logs/', 'it is a folder, and has to be a new file'],
  ['nowhere/log.jsonl', 'there is no such folder'],
  ['file/log.jsonl', 'there is a file where a folder has to be'],
])('%s is refused by the name of the setting, and nothing is made', async (name, why) => {
  const folder = folderWith('file');
  mkdirSync(path.join(folder, 'logs'));
  const file = `${folder}/${name}`;
  await expect(openConfiguredLog(file)).rejects.toMatchObject({
    code: 'config_invalid',
    message: `record.file ${file} cannot be written: ${why}.`,
    details: { field: 'record.file' },
  });
  expect(readdirSync(folder)).toEqual(['file', 'logs']);
});

test.skipIf(process.getuid?.() === 0)('a folder without permission is named', async () => {
  await expect(openConfiguredLog('/usr/log.jsonl')).rejects.toThrow(
    'record.file /usr/log.jsonl cannot be written: permission denied.',
  );
});
