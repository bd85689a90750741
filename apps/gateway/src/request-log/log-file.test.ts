import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@baton/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogFile, type LogFileNews, type LogFileOptions } from './log-file.ts';
import { openLog, type LogHandle } from './open-log.ts';

let folder: string;
let news: LogFileNews[];
let files: LogFile[];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'log-file-'));
  [news, files] = [[], []];
});
afterEach(async () => {
  for (const file of files) await file.close(1_000);
  rmSync(folder, { recursive: true });
});

function start(more: Partial<LogFileOptions> = {}): LogFile {
  const file = new LogFile({
    ...{ path: path.join(folder, 'log.jsonl'), maxBytes: 1_000, maxPendingBytes: 100 },
    ...{ retryMs: 20, tell: (one: LogFileNews) => void news.push(one) },
    ...more,
  });
  files.push(file);
  return file;
}

const content = (name = 'log.jsonl'): string => readFileSync(path.join(folder, name), 'utf8');
const kinds = (): string[] => news.map(({ kind }) => kind);

/** A disk of so many bytes that takes what it can of each write. */
class SmallDisk implements LogHandle {
  roomBytes: number;
  text = '';
  /** While set, not even the end of the file can be cut off. */
  isBroken = false;
  closed = 0;

  constructor(roomBytes: number) {
    this.roomBytes = roomBytes;
  }

  readonly write = ((buffer: Buffer, from: number, length: number, at: number) => {
    const room = Math.min(length, this.roomBytes - at);
    if (room <= 0) return Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    // In pieces, as the system may do it.
    const bytesWritten = Math.min(room, 7);
    this.text = this.text.slice(0, at) + buffer.toString('latin1', from, from + bytesWritten);
    return Promise.resolve({ bytesWritten, buffer });
  }) as LogHandle['write'];

  truncate(length = 0): Promise<void> {
    if (this.isBroken) return Promise.reject(new Error('input/output error'));
    this.text = this.text.slice(0, length);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.closed += 1;
    return Promise.resolve();
  }
}

test('lines are in the file in their order, for its owner alone', async () => {
  const file = start();
  file.append('one');
  file.append('two');
  await eventually(() => expect(content()).toBe('one\ntwo\n'));
  file.append('three');
  await file.close(1_000);
  expect(content()).toBe('one\ntwo\nthree\n');
  expect([file.lines, file.sizeBytes]).toEqual([3, 14]);
  expect(statSync(path.join(folder, 'log.jsonl')).mode & 0o777).toBe(0o600);
  expect(kinds()).toEqual(['opened']);
});

test('a file that is there stays as it is: the next one gets a number', async () => {
  writeFileSync(path.join(folder, 'log.jsonl'), 'precious');
  writeFileSync(path.join(folder, 'log-2.jsonl'), '');
  const file = start();
  file.append('one');
  await file.close(1_000);
  expect(content()).toBe('precious');
  expect(content('log-3.jsonl')).toBe('one\n');
  expect(news).toEqual([{ kind: 'opened', path: path.join(folder, 'log-3.jsonl') }]);
});

test('a file that was opened before is the one that is written', async () => {
  const opened = await openLog(path.join(folder, 'log.jsonl'));
  const file = start({ opened });
  file.append('one');
  await file.close(1_000);
  expect(content()).toBe('one\n');
  expect(news).toEqual([{ kind: 'opened', path: path.join(folder, 'log.jsonl') }]);
});

test('a folder that is not there is told once; when it comes, recording goes on', async () => {
  const file = start({ path: path.join(folder, 'new', 'log.jsonl') });
  file.append('one');
  await eventually(() => expect(file.state).toBe('failing'));
  // Several tries later it is still one piece of news.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(kinds()).toEqual(['failing']);
  file.append('two');
  mkdirSync(path.join(folder, 'new'));
  await eventually(() => expect(file.state).toBe('recording'));
  expect(content('new/log.jsonl')).toBe('one\ntwo\n');
  expect(kinds()).toEqual(['failing', 'opened', 'recovered']);
});

test('at its limit it ends with a whole line, and counts what it leaves out', async () => {
  const file = start({ maxBytes: 10 });
  for (const line of ['123', '456', '789', '0']) file.append(line);
  await eventually(() => expect(file.state).toBe('full'));
  file.append('1');
  await file.close(1_000);
  expect(content()).toBe('123\n456\n');
  expect(file.leftOut).toEqual({ size: 3, disk: 0 });
  expect(news.at(-1)).toEqual({ kind: 'full', sizeBytes: 8 });
});

test('a line that the disk has taken half of is cut off, and comes whole when there is room', async () => {
  const disk = new SmallDisk(20);
  const file = start({ create: () => Promise.resolve(disk), retryMs: 60_000 });
  file.append('the first');
  await eventually(() => expect(file.lines).toBe(1));
  file.append('the second one');
  await eventually(() => expect(kinds()).toContain('failing'));
  expect(news.at(-1)).toMatchObject({ kind: 'failing', error: { code: 'ENOSPC' } });
  await eventually(() => expect(disk.text).toBe('the first\n'));
  disk.roomBytes = 1_000;
  await file.close(1_000);
  expect(disk.text).toBe('the first\nthe second one\n');
  expect(file.leftOut).toEqual({ size: 0, disk: 0 });
});

test('nothing is written behind half a line that cannot be cut off', async () => {
  const disk = new SmallDisk(5);
  disk.isBroken = true;
  const file = start({ create: () => Promise.resolve(disk) });
  file.append('the first');
  await eventually(() => expect(file.state).toBe('failing'));
  disk.roomBytes = 1_000;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([file.state, disk.text]).toEqual(['failing', 'the f']);
  disk.isBroken = false;
  await eventually(() => expect(file.state).toBe('recording'));
  expect(disk.text).toBe('the first\n');
});

test('while the disk is full, so much is kept and the rest is counted', async () => {
  const disk = new SmallDisk(0);
  const file = start({ create: () => Promise.resolve(disk) });
  for (let i = 0; i < 20; i += 1) file.append(`line ${i}`.padEnd(9));
  await eventually(() => expect(file.state).toBe('failing'));
  expect(file.leftOut.disk).toBe(10);
  disk.roomBytes = 1_000;
  await eventually(() => expect(file.lines).toBe(10));
  expect(disk.text.split('\n')[9]).toBe('line 9   ');
});

test('closing waits no longer than allowed for a disk that hangs', async () => {
  const disk = new SmallDisk(100);
  const hanging = Object.assign(disk, { write: () => new Promise<never>(() => undefined) });
  const file = start({ create: () => Promise.resolve(hanging) });
  file.append('one');
  const beganMs = performance.now();
  await file.close(50);
  expect(performance.now() - beganMs).toBeLessThan(2_000);
  expect(file.state).toBe('closed');
});

test('closing tries once more what had failed, and closes the file', async () => {
  const disk = new SmallDisk(0);
  const file = start({ create: () => Promise.resolve(disk), retryMs: 60_000 });
  file.append('one');
  await eventually(() => expect(file.state).toBe('failing'));
  disk.roomBytes = 100;
  await file.close(1_000);
  expect(disk.text).toBe('one\n');
  expect(disk.closed).toBe(1);
});
