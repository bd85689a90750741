import { keyCount, Tier, xorKeys } from '@baton/kv';
import { expect, test } from 'vitest';
import { a800 } from '../cost/a800.ts';
import { SimWorker } from '../engine/sim-worker.ts';
import { blocksOfKeys } from '../kv/block-keys.ts';
import { EventQueue } from '../time/event-queue.ts';
import { completeOptions } from './options.ts';
import { SimAgent } from './sim-agent.ts';
import { fleetFacts } from './worker-facts.ts';

const ignore = (): undefined => undefined;
const listener = {
  onAdmitted: ignore,
  onProgress: ignore,
  onPrefilled: ignore,
  onFirstToken: ignore,
  onFinished: ignore,
};

function agentOf(): { agent: SimAgent; worker: SimWorker; dirty: () => number } {
  const fleet = { aggregated: 1 };
  const options = completeOptions({ fleet, cost: a800(), hbmBlocks: 3, dramBlocks: 2 });
  let dirty = 0;
  const agent = new SimAgent(options, () => (dirty += 1));
  const [facts] = fleetFacts(options);
  if (facts === undefined) throw new RangeError('no worker');
  const worker = new SimWorker(facts, options, new EventQueue(), listener, agent.onKvChange);
  return { agent, worker, dirty: () => dirty };
}

function use({ cache }: SimWorker, blocks: number[]): void {
  const hold = cache.acquire(blocks, 0, blocks.length);
  if (hold === undefined) throw new RangeError('no room');
  cache.publish(hold, blocks.length);
  cache.release(hold);
}

test('a delta says what has changed in each tier, numbers count without a gap', () => {
  const { agent, worker, dirty } = agentOf();
  expect(agent.takeDelta(worker)).toBeUndefined();
  use(worker, [1, 2, 3]);
  expect(dirty()).toBe(1);
  const first = agent.takeDelta(worker);
  expect(first).toMatchObject({ workerId: 'w1', seq: 1, ops: [{ kind: 'store', tier: Tier.HBM }] });
  use(worker, [4, 5]);
  expect(dirty()).toBe(2);
  const second = agent.takeDelta(worker);
  const told = second?.ops.map(({ kind, tier, keys }) => [kind, tier, ...blocksOfKeys(keys)]);
  expect(second?.seq).toBe(2);
  expect(told).toEqual([
    ['remove', Tier.HBM, 3, 2],
    ['store', Tier.DRAM, 3, 2],
    ['store', Tier.HBM, 4, 5],
  ]);
});

test('a beat has count and XOR of what a snapshot lists, and the number of the last delta', () => {
  const { agent, worker } = agentOf();
  use(worker, [1, 2, 3]);
  use(worker, [4, 5]);
  agent.takeDelta(worker);
  const beat = agent.beat(worker);
  const snapshot = agent.snapshot(worker, 9);
  expect(beat.lastDeltaSeq).toBe(1);
  expect(snapshot).toMatchObject({ snapshotId: 9, index: 0, count: 1, seq: 1 });
  expect(snapshot.ops.map(({ tier }) => tier)).toEqual([Tier.HBM, Tier.DRAM]);
  for (const { tier, keys } of snapshot.ops) {
    const state = beat.tiers.find((one) => one.tier === tier);
    expect(state).toMatchObject({ segments: keyCount(keys), xor: xorKeys(keys) });
  }
});

test('a beat says the speed that a trial of 2,000 tokens measured', () => {
  const { agent, worker } = agentOf();
  const [load] = agent.beat(worker).loads;
  expect(load?.prefillTokensPerSec).toBeCloseTo((2_000 / a800().prefillMs(2_000, 0)) * 1_000);
  expect(load).toMatchObject({ runningSequences: 0, waitingSequences: 0, pendingPrefillTokens: 0 });
});

test('blocks in use are those of running work, and what is only cached is free', () => {
  const { agent, worker } = agentOf();
  const usedBlocks = (): number | undefined => agent.beat(worker).loads[0]?.kvUsedBlocks;
  use(worker, [1, 2]);
  expect(usedBlocks()).toBe(0);
  const hold = worker.cache.acquire([1, 2], 2, 2);
  expect(usedBlocks()).toBe(2);
  if (hold !== undefined) worker.cache.release(hold);
  expect(usedBlocks()).toBe(0);
});
