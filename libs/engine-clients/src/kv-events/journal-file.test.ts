import { mkdir, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { MemoryDisk } from '../testing/memory-journal-file.ts';
import { openJournalFile } from './journal-file.ts';
import type { JournalFile } from './journal-file.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function text(file: JournalFile, at = 0): Promise<string> {
  const into = Buffer.alloc(100);
  return into.toString('latin1', 0, await file.read(into, at));
}

/** What whoever opens the file now finds. */
async function content(open: () => Promise<JournalFile>): Promise<string> {
  const file = await open();
  const found = await text(file);
  await file.close();
  return found;
}

describe.each(['memory', 'disk'] as const)('a journal file in %s', (kind) => {
  /** Opens the same file each time. */
  async function opener(): Promise<() => Promise<JournalFile>> {
    if (kind === 'memory') {
      const disk = new MemoryDisk();
      return () => Promise.resolve(disk.file());
    }
    const folder = await mkdtemp(path.join(tmpdir(), 'baton-j-'));
    folders.push(folder);
    return () => openJournalFile(path.join(folder, 'rank-0.kvj'));
  }

  test('what was appended is there after it was closed, and cut where it was cut', async () => {
    const open = await opener();
    const first = await open();
    expect(await text(first)).toBe('');
    await first.append(Buffer.from('abc'));
    await first.append(Buffer.from('defg'));
    expect(await text(first, 2)).toBe('cdefg');
    await first.close();
    const second = await open();
    await second.cut(4);
    await second.append(Buffer.from('xy'));
    expect(await text(second)).toBe('abcdxy');
    expect(await text(second, 50)).toBe('');
    await second.close();
  });

  test('a sibling takes the place of the file all at once, or goes without a trace', async () => {
    const open = await opener();
    const file = await open();
    await file.append(Buffer.from('old'));
    const dropped = await file.sibling();
    await dropped.append(Buffer.from('never'));
    await dropped.remove();
    const next = await file.sibling();
    await next.append(Buffer.from('new'));
    expect(await content(open)).toBe('old');
    await next.takeOver();
    await next.append(Buffer.from('er'));
    await next.close();
    expect(await content(open)).toBe('newer');
    await file.close();
    const [folder] = folders;
    if (folder !== undefined) expect(await readdir(folder)).toEqual(['rank-0.kvj']);
  });
});

test('a file that cannot be opened fails until a sibling takes its place', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'baton-j-'));
  folders.push(folder);
  const place = path.join(folder, 'rank-0.kvj');
  await mkdir(place);
  const file = await openJournalFile(place);
  await expect(file.read(Buffer.alloc(1), 0)).rejects.toThrow('EISDIR');
  await expect(file.append(Buffer.alloc(1))).rejects.toThrow('EISDIR');
  await expect(file.cut(0)).rejects.toThrow('EISDIR');
  const early = await file.sibling();
  await expect(early.takeOver()).rejects.toThrow('EISDIR');
  await early.remove();
  await rmdir(place);
  const next = await file.sibling();
  await next.append(Buffer.from('new'));
  await next.takeOver();
  await next.close();
  await file.close();
  expect(await content(() => openJournalFile(place))).toBe('new');
  expect(await readdir(folder)).toEqual(['rank-0.kvj']);
});
