import { crc32 } from 'node:zlib';
import { eventually } from '@baton/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryDisk } from '../testing/memory-journal-file.ts';
import { EventJournal } from './event-journal.ts';

const MIN_LOG_BYTES = 50_000;

/** A journal on a disk, and what comes of it. */
class Bench {
  readonly disk: MemoryDisk;
  nowMs = 0;
  readonly logged: string[] = [];
  readonly journal: EventJournal;
  readonly snapshots: string[] = [];
  readonly batches: string[] = [];
  end: { seq: number; digest: number } | undefined;

  private constructor(disk: MemoryDisk, identity: string) {
    this.disk = disk;
    this.journal = new EventJournal({
      file: disk.file(),
      identity,
      log: {
        info: () => undefined,
        warn: (_fields, message) => void this.logged.push(message),
      },
      now: () => this.nowMs,
      minLogBytes: MIN_LOG_BYTES,
    });
  }

  static async open(disk = new MemoryDisk(), identity = 'engine'): Promise<Bench> {
    const bench = new Bench(disk, identity);
    bench.end = await bench.journal.restore({
      snapshot: (chunk) => void bench.snapshots.push(Buffer.from(chunk).toString()),
      batch: (payload) => void bench.batches.push(Buffer.from(payload).toString()),
    });
    return bench;
  }

  /** As a later life of the process finds it; this one is closed first. */
  async later(identity = 'engine'): Promise<Bench> {
    await this.journal.close();
    return Bench.open(this.disk, identity);
  }

  /** Until what was appended is on disk. */
  async written(): Promise<void> {
    const { length } = this.disk.content;
    await eventually(() => this.disk.content.length > length);
  }

  append(seq: number, text = `batch ${seq}`): void {
    const payload = Buffer.from(text);
    this.journal.append(seq, crc32(payload), payload);
  }
}

const texts = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `batch ${from + i}`);
const endAt = (seq: number) => ({ seq, digest: crc32(`batch ${seq}`) });

test('what was appended comes back, with the last batch as its end', async () => {
  const bench = await Bench.open();
  expect(bench.end).toBeUndefined();
  for (let seq = 7; seq < 12; seq += 1) bench.append(seq);
  const later = await bench.later();
  expect(later.batches).toEqual(texts(7, 12));
  expect(later.end).toEqual(endAt(11));
  later.append(12);
  const last = await later.later();
  expect(last.batches).toEqual(texts(7, 13));
  expect(last.disk.open).toBe(1);
});

test('batches are written some at a time, and at last without being asked', async () => {
  const bench = await Bench.open();
  const before = bench.disk.appends;
  for (let seq = 0; seq < 2_000; seq += 1) bench.append(seq, 'x'.repeat(500));
  await eventually(() => bench.disk.content.length > 1_000_000);
  expect(bench.disk.appends - before).toBeLessThan(10);
  bench.append(2_000);
  await eventually(() => bench.disk.content.toString('latin1').endsWith('batch 2000'));
});

test('a last frame that is torn at any byte is cut off, and what follows is appended in its place', async () => {
  const bench = await Bench.open();
  for (let seq = 0; seq < 4; seq += 1) bench.append(seq);
  await bench.journal.close();
  const whole = bench.disk.content;
  const frameBytes = 24 + 'batch 3'.length;
  for (let kept = 0; kept < frameBytes; kept += 1) {
    bench.disk.content = Buffer.from(whole.subarray(0, whole.length - frameBytes + kept));
    const torn = await Bench.open(bench.disk);
    expect(torn.batches).toEqual(texts(0, 3));
    expect(torn.end).toEqual(endAt(2));
    torn.append(3);
    const later = await torn.later();
    expect(later.end).toEqual(endAt(3));
    await later.journal.close();
    expect(bench.disk.content).toEqual(whole);
  }
});

test('a damaged byte anywhere: what is before it is believed, nothing after it is, and nothing throws', async () => {
  const bench = await Bench.open();
  for (let seq = 0; seq < 5; seq += 1) bench.append(seq);
  await bench.journal.close();
  const whole = bench.disk.content;
  const headerBytes = whole.length - 5 * (24 + 'batch 0'.length);
  for (let at = 0; at < whole.length; at += 1) {
    bench.disk.content = Buffer.from(whole);
    bench.disk.content.writeUInt8(bench.disk.content.readUInt8(at) ^ 0x40, at);
    const damaged = await Bench.open(bench.disk);
    const intact = at < headerBytes ? 0 : Math.floor((at - headerBytes) / (24 + 7));
    expect(damaged.batches).toEqual(texts(0, intact));
    await damaged.journal.close();
  }
});

test('any bytes at all instead of a journal: it begins anew', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      const disk = new MemoryDisk();
      disk.content = Buffer.from(bytes);
      const bench = await Bench.open(disk);
      expect(bench.end).toBeUndefined();
      bench.append(3);
      expect((await bench.later()).end).toEqual(endAt(3));
    }),
    { numRuns: 100 },
  );
});

test('with another engine, model or tokenization what is remembered is void', async () => {
  const bench = await Bench.open();
  bench.append(0);
  const other = await bench.later('another engine');
  expect(other.batches).toEqual([]);
  expect(other.end).toBeUndefined();
  // And void for good, not only as long as the other one is there.
  expect((await other.later()).end).toBeUndefined();
});

test('a hole in the numbers ends it: what is after a hole means nothing', async () => {
  const bench = await Bench.open();
  for (const seq of [5, 6, 8]) bench.append(seq);
  expect((await bench.later()).batches).toEqual(texts(5, 7));
});

test('what was forgotten does not come back, whatever was being written', async () => {
  for (const count of [1, 40_000]) {
    const bench = await Bench.open();
    for (let seq = 0; seq < count; seq += 1) bench.append(seq);
    bench.journal.forget();
    bench.append(90);
    bench.journal.forget();
    bench.append(100);
    bench.append(101);
    const later = await bench.later();
    expect(later.batches).toEqual(texts(100, 102));
    later.journal.forget();
    expect((await later.later()).end).toBeUndefined();
  }
});

test('a snapshot takes the place of the batches before it', async () => {
  const bench = await Bench.open();
  for (let seq = 0; seq < 50; seq += 1) bench.append(seq);
  const chunks = ['one', 'two'].map((text) => Buffer.from(text));
  await bench.journal.compact(chunks, endAt(49));
  bench.append(50);
  const later = await bench.later();
  expect(later.snapshots).toEqual(['one', 'two']);
  expect(later.batches).toEqual(['batch 50']);
  expect(later.end).toEqual(endAt(50));
  await later.journal.compact([], endAt(50));
  const empty = await later.later();
  expect(empty.snapshots).toEqual([]);
  expect(empty.end).toEqual(endAt(50));
  expect(empty.disk.open).toBe(1);
});

test('a snapshot that is damaged makes everything void', async () => {
  const bench = await Bench.open();
  bench.append(0);
  await bench.journal.compact([Buffer.from('one'), Buffer.from('two')], endAt(0));
  bench.append(1);
  await bench.journal.close();
  const at = bench.disk.content.indexOf('two');
  bench.disk.content.write('x', at);
  const damaged = await Bench.open(bench.disk);
  expect(damaged.end).toBeUndefined();
  expect(damaged.batches).toEqual([]);
});

test('it wants to be compacted when its batches outgrow what they amount to, and stays bounded', async () => {
  const bench = await Bench.open();
  const snapshotBytes = 1_000_000;
  let compactions = 0;
  let largest = 0;
  for (let seq = 0; seq < 600; seq += 1) {
    bench.append(seq, 'y'.repeat(30_000));
    if (seq % 10 === 9) await bench.written();
    largest = Math.max(largest, bench.disk.content.length);
    if (!bench.journal.wantsCompaction) continue;
    compactions += 1;
    await bench.journal.compact([Buffer.alloc(snapshotBytes)], { seq, digest: 1 });
  }
  expect(compactions).toBeGreaterThan(2);
  expect(largest).toBeLessThan(5 * snapshotBytes + 400_000);
});

test('a full disk stops the journal and says so once; what is on disk stays true; later it begins anew', async () => {
  const disk = new MemoryDisk();
  const bench = await Bench.open(disk);
  disk.capacity = 1_000;
  for (let seq = 0; seq < 200; seq += 1) bench.append(seq);
  await eventually(() => !bench.journal.isWorking);
  expect(bench.logged).toEqual([expect.stringContaining('no space left')]);
  expect(bench.journal.failures).toBe(1);
  for (let seq = 200; seq < 400; seq += 1) bench.append(seq);
  expect(bench.journal.wantsCompaction).toBe(false);
  // Another process that starts now finds a beginning of what was said.
  const torn = await Bench.open(disk);
  expect(torn.batches.length).toBeGreaterThan(10);
  expect(torn.batches).toEqual(texts(0, torn.batches.length));
  await torn.journal.close();
  bench.nowMs = 61_000;
  expect(bench.journal.wantsCompaction).toBe(true);
  await bench.journal.compact([Buffer.alloc(2_000)], endAt(399));
  expect(bench.journal.failures).toBe(2);
  disk.capacity = Infinity;
  bench.nowMs = 200_000;
  await bench.journal.compact([Buffer.from('all')], endAt(399));
  expect(bench.journal.isWorking).toBe(true);
  bench.append(400);
  const later = await bench.later();
  expect([later.snapshots, later.end]).toEqual([['all'], endAt(400)]);
});

test('a disk that is too slow does not take memory without bound', async () => {
  const bench = await Bench.open();
  for (let seq = 0; seq < 140; seq += 1) bench.append(seq, 'z'.repeat(500_000));
  expect(bench.journal.isWorking).toBe(false);
  expect(bench.logged).toEqual([expect.stringContaining('too slow')]);
});

test('closed in the middle of a compaction it leaves the old journal', async () => {
  const bench = await Bench.open();
  bench.append(0);
  await bench.written();
  const compacting = bench.journal.compact([Buffer.alloc(10), Buffer.alloc(10)], endAt(0));
  await bench.journal.close();
  await compacting;
  expect(bench.logged).toEqual([]);
  expect((await Bench.open(bench.disk)).end).toEqual(endAt(0));
});
