import { mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { JournalFolder } from './journal-folder.ts';

let folder: string;
const logged: string[] = [];
const log = {
  info: () => undefined,
  warn: (_fields: object, message: string) => void logged.push(message),
};
beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'baton-jf-'))));
afterEach(async () => {
  await rm(folder, { recursive: true });
  logged.length = 0;
});

const nothing = { snapshot: () => undefined, batch: () => undefined };

test('journals of a folder outlive the process, and each is open once at a time', async () => {
  const first = (await JournalFolder.open(folder, log))!;
  const journal = await first.journal('rank-0', 'engine');
  await journal.restore(nothing);
  journal.append(4, 0, Buffer.alloc(0));
  const later = first.journal('rank-0', 'engine');
  let isOpen = false;
  void later.then(() => (isOpen = true));
  const other = await first.journal('rank-1', 'engine');
  await other.close();
  expect(isOpen).toBe(false);
  await journal.close();
  const reopened = await later;
  expect(await reopened.restore(nothing)).toEqual({ seq: 4, digest: 0 });
  await reopened.close();
  await first.close();
  expect(await readdir(folder)).toEqual(['rank-0.kvj', 'rank-1.kvj']);
  expect(logged).toEqual([]);
});

test('a folder whose process has ended is taken, and nothing but journals is left in it', async () => {
  await writeFile(path.join(folder, 'lock'), 'no number');
  const taken = await JournalFolder.open(folder, log);
  await taken?.close();
  expect(taken).toBeDefined();
  expect(await readdir(folder)).toEqual([]);
});

test('where there can be no folder there is no journal, and the log says why', async () => {
  const file = path.join(folder, 'file');
  await writeFile(file, '');
  expect(await JournalFolder.open(path.join(file, 'p1'), log)).toBeUndefined();
  expect(logged).toEqual([expect.stringMatching(/no journal of KV events: .*ENOTDIR/)]);
});

test('a journal that cannot be opened counts it, and works when what is in its way is gone', async () => {
  const place = path.join(folder, 'rank-0.kvj');
  await mkdir(place);
  const journals = (await JournalFolder.open(folder, log))!;
  const journal = await journals.journal('rank-0', 'engine');
  expect(await journal.restore(nothing)).toBeUndefined();
  expect(journal.failures).toBe(1);
  expect(logged).toEqual([expect.stringMatching(/no journal of KV events: .*EISDIR/)]);
  await journal.compact([], { seq: 3, digest: 0 });
  expect(journal.failures).toBe(2);
  await rmdir(place);
  await journal.compact([], { seq: 4, digest: 0 });
  expect(journal.isWorking).toBe(true);
  await journal.close();
  const reopened = await journals.journal('rank-0', 'engine');
  expect(await reopened.restore(nothing)).toEqual({ seq: 4, digest: 0 });
  await reopened.close();
  await journals.close();
  expect(await readdir(folder)).toEqual(['rank-0.kvj']);
});
