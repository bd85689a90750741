import type { TransferOrder, TransferResult } from '@baton/transfers';
import { beforeEach, expect, test } from 'vitest';
import type { RequestRun } from '../engine/request-run.ts';
import type { SimWorker } from '../engine/sim-worker.ts';
import { packBlockKeys } from '../kv/block-keys.ts';
import { WorkerRig } from '../testing/worker-rig.ts';
import { SimTransfers } from './sim-transfers.ts';

/** 100 bytes a token, 10 tokens a block: a block takes 10 ms. */
const options = { fleet: { prefill: 2, decode: 1 }, linkBytesPerSec: 100_000 };
let rig: WorkerRig;
let transfers: SimTransfers;
let results: (TransferResult & { atMs: number })[];

beforeEach(() => {
  rig = new WorkerRig(options);
  results = [];
  transfers = new SimTransfers({
    workers: new Map(rig.workers.map((worker) => [worker.workerId, worker])),
    network: rig.network,
    queue: rig.queue,
    onResult: (result, atMs) => results.push({ ...result, atMs }),
  });
});

function order(changes: Partial<TransferOrder>, blocks: number[]): TransferOrder {
  return {
    transferId: 't',
    planId: 'plan',
    reason: 'prefix',
    destinationWorker: 'p1',
    sourceWorker: 'p2',
    sourceAddress: '',
    keys: packBlockKeys(blocks),
    withTail: false,
    timeoutMs: 10_000,
    traceparent: '',
    ...changes,
  };
}

/** These blocks are in a worker's cache. */
function hold(worker: SimWorker, blocks: number[]): void {
  const acquired = worker.cache.acquire(blocks, 0, blocks.length);
  if (acquired === undefined) throw new RangeError('no room');
  worker.cache.publish(acquired, blocks.length);
  worker.cache.release(acquired);
}

const [p1, p2, d1] = [0, 1, 2];

test('a pull brings what the source has, and leaves out what the destination has', () => {
  hold(rig.worker(p2), [1, 2, 3, 4]);
  hold(rig.worker(p1), [1, 2]);
  transfers.ordered(order({}, [1, 2, 3, 4]), undefined, 5);
  rig.settle();
  expect(results).toMatchObject([
    { atMs: 25, status: 'done', segments: 2, bytes: 2_000, bytesPerSec: 100_000, workerId: 'p1' },
  ]);
  expect(rig.worker(p1).cache.lookup([1, 2, 3, 4], 4).hbm).toBe(4);
  expect(transfers.active).toBe(0);
  for (const worker of rig.workers) expect(worker.cache.blocksInUse).toBe(0);
});

test('a source that has lost some of it gives the rest, one that has nothing fails', () => {
  hold(rig.worker(p2), [1, 2]);
  transfers.ordered(order({}, [1, 2, 3]), undefined, 0);
  transfers.ordered(order({ transferId: 'other' }, [7, 8]), undefined, 0);
  rig.settle();
  expect(results).toMatchObject([
    { transferId: 'other', status: 'failed', code: 'segment_not_found', bytes: 0 },
    { transferId: 't', status: 'partial', segments: 2 },
  ]);
});

test('a pull that takes too long, or that nobody needs any more, leaves nothing', () => {
  hold(rig.worker(p2), [1, 2, 3]);
  transfers.ordered(order({ timeoutMs: 15 }, [1, 2, 3]), undefined, 0);
  transfers.ordered(order({ transferId: 'b', planId: 'b' }, [1, 2]), undefined, 0);
  rig.queue.push(10, (nowMs) => transfers.cancel('b', nowMs));
  rig.settle();
  expect(results).toMatchObject([
    { atMs: 10, status: 'cancelled' },
    { atMs: 15, status: 'failed', code: 'deadline_exceeded' },
  ]);
  expect(rig.worker(p1).cache.usedBlocks).toBe(0);
  expect(rig.network.flows).toBe(0);
  for (const worker of rig.workers) expect(worker.cache.blocksInUse).toBe(0);
});

test('pulled blocks stay until the prompt’s turn', () => {
  hold(rig.worker(p2), [0, 1, 2]);
  const run = rig.run(0, 45, 1, [0, 1, 2, 3, 4]);
  transfers.ordered(order({}, [0, 1, 2]), run, 0);
  expect(transfers.isPulling(run)).toBe(true);
  rig.worker(p1).prefill.submit(run, 0, 3);
  rig.settle();
  expect(rig.log).toEqual(['45 r0 prefilled']);
  expect(run.record).toMatchObject({
    reusedBlocks: 3,
    pulledBlocks: 3,
    computedTokens: 15,
    movedBytes: 3_000,
  });
  expect(rig.worker(p1).cache.blocksInUse).toBe(0);
});

/** A prompt of two chunks goes from p1 to d1; returns when it had been moved. */
function handedOver(run: RequestRun): number | undefined {
  run.planId = 'plan';
  const source = rig.worker(p1);
  const destination = rig.worker(d1);
  transfers.planned(run, source, destination, 2);
  const ordered = { reason: 'handover' as const, destinationWorker: 'd1', sourceWorker: 'p1' };
  transfers.ordered(order(ordered, [...run.blocks]), run, 0);
  const leg = { run, number: 1, outputTokens: 0, expectedTokens: 0, doneTokens: 0 };
  const blocks = run.promptTokens / 10;
  const kept = { ...leg, hold: source.cache.acquire(run.blocks, 0, blocks) };
  run.firstTokenAtMs = 200;
  rig.queue.push(100, (nowMs) => transfers.progress({ ...kept, doneTokens: 60 }, nowMs));
  rig.queue.push(200, (nowMs) => {
    transfers.prefilled({ ...kept, doneTokens: run.promptTokens }, nowMs);
  });
  rig.settle();
  expect(source.cache.blocksInUse).toBe(0);
  expect(destination.cache.blocksInUse).toBe(0);
  return results[0]?.atMs;
}

test('a handover goes while prefill computes; its end goes when prefill has ended', () => {
  const run = rig.run(0, 100, 3);
  // 60 tokens from 100 to 160, the other 40 from 200 on.
  expect(handedOver(run)).toBe(240);
  expect(results).toMatchObject([{ status: 'done', segments: 10, bytes: 10_000, workerId: 'd1' }]);
  expect(rig.log).toEqual(['260 r0 finished']);
  expect(run.record).toMatchObject({ movedBytes: 10_000, meanTbtMs: 30 });
});

test('a handover leaves out what decode has', () => {
  const run = rig.run(0, 100, 3);
  hold(rig.worker(d1), run.blocks.slice(0, 8));
  expect(handedOver(run)).toBe(220);
  expect(run.record.movedBytes).toBe(2_000);
});

test('without overlap all of it goes when prefill has ended', () => {
  const { facts } = rig.worker(p1);
  facts.capabilities = { ...facts.capabilities, overlapHandover: false };
  expect(handedOver(rig.run(0, 100, 3))).toBe(300);
});

test('a handover waits for room at decode', () => {
  const { cache } = rig.worker(d1);
  const others = cache.acquire([], 0, 95);
  rig.queue.push(500, (nowMs) => {
    if (others !== undefined) cache.release(others);
    rig.worker(d1).kick(nowMs);
  });
  expect(handedOver(rig.run(0, 100, 3))).toBe(600);
});
