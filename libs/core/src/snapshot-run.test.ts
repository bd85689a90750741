import { KEY_BYTES, Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import type { KvDelta, SnapshotChunk } from './inputs.ts';
import { defaultCoreOptions } from './options.ts';
import { SnapshotRun } from './snapshot-run.ts';
import { OpQueue } from './op-queue.ts';

const epoch = { startedAtMs: 1, nonce: 0 };
const options = {
  ...{ ...defaultCoreOptions, instanceId: 'c', maxSnapshotChunks: 4, maxSnapshotKeys: 10 },
  ...{ maxBufferedDeltas: 3, snapshotTimeoutMs: 100, maxSnapshotMs: 250 },
};
const ops = (keys: number) => [
  {
    ...{ kind: 'store' as const, tier: Tier.HBM, rank: 0 },
    keys: new Uint8Array(keys * KEY_BYTES),
  },
];
const chunk = (index: number, count: number, keys = 1, seq = 7): SnapshotChunk => ({
  ...{ workerId: 'w', epoch, snapshotId: 1, index, count, seq, ops: ops(keys) },
});
const delta = (seq: number): KvDelta => ({ workerId: 'w', epoch, seq, ops: ops(1) });

test.each([
  ['a snapshot of 0 chunks', [chunk(0, 0)]],
  ['a snapshot of 5 chunks', [chunk(0, 5)]],
  ['chunks of the snapshot contradict each other', [chunk(0, 2), chunk(1, 3)]],
  ['chunks of the snapshot contradict each other', [chunk(0, 2), chunk(1, 2, 1, 8)]],
  ['chunks of the snapshot contradict each other', [chunk(2, 2)]],
  ['chunks of the snapshot contradict each other', [chunk(-1, 2)]],
  ['the snapshot is too large', [chunk(0, 2, 6), chunk(1, 2, 5)]],
])('%s', (fault, chunks) => {
  const run = new SnapshotRun(1, options, 0);
  const outcomes = chunks.map((one) => run.take(one, 0));
  expect(outcomes.at(-1)).toEqual({ fault });
});

test('chunks may come in any order, and again', () => {
  const run = new SnapshotRun(1, options, 0);
  expect([1, 0, 1].map((index) => run.take(chunk(index, 3), 0))).toEqual([
    'new',
    'new',
    'repeated',
  ]);
  expect(run.isComplete).toBe(false);
  run.take(chunk(2, 3), 0);
  expect([run.isComplete, run.seq]).toEqual([true, 7]);
});

test('it may be silent only so long, and last only so long', () => {
  const run = new SnapshotRun(1, options, 0);
  expect([run.isOverdue(99), run.isOverdue(100)]).toEqual([false, true]);
  run.take(chunk(0, 3), 90);
  expect([run.isOverdue(189), run.isOverdue(190)]).toEqual([false, true]);
  run.take(chunk(1, 3), 180);
  expect([run.isOverdue(249), run.isOverdue(250)]).toEqual([false, true]);
});

test('what was buffered comes out in order, without what the snapshot has, and is bounded', () => {
  const run = new SnapshotRun(1, options, 0);
  expect([9, 7, 8, 10].map((seq) => run.buffer(delta(seq)))).toEqual([true, true, true, false]);
  run.take(chunk(0, 1), 0);
  expect(run.later().map(({ seq }) => seq)).toEqual([8, 9]);
  expect(run.bufferedCost).toBe(3);
});

test('what waits does not keep the network buffer that it came in', () => {
  const slab = new Uint8Array(65_536);
  const queue = new OpQueue();
  const small = { ...ops(1)[0], kind: 'store' as const, tier: 1, rank: 0 };
  queue.push([
    { ...small, keys: slab.subarray(32, 48) },
    { ...small, keys: slab.subarray(0, 32_768) },
  ]);
  const [first, second] = queue.take(10_000);
  expect(first?.keys.buffer.byteLength).toBe(16);
  expect(second?.keys.buffer).toBe(slab.buffer);
});

test('a queue cuts at keys, and what has none costs as much as one', () => {
  const queue = new OpQueue();
  queue.push([...ops(5), { kind: 'clear', tier: 1, rank: 0, keys: new Uint8Array(0) }, ...ops(2)]);
  expect(queue.cost).toBe(8);
  const taken = [];
  while (!queue.isEmpty) taken.push(queue.take(3).map(({ keys }) => keys.length / KEY_BYTES));
  expect(taken).toEqual([[3], [2, 0], [2]]);
  expect(queue.take(3)).toEqual([]);
});
