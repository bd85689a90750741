import { KEY_BYTES, Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { FakeAgent, type Place } from './testing/fake-agent.ts';
import { hbm, numberedKeys, SmallFleet } from './testing/small-fleet.ts';

const resumePoints: Place = { rank: 0, tier: Tier.HBM, holding: 'resumePoints' };

function agents(...ids: string[]): FakeAgent[] {
  return ids.map((workerId) => new FakeAgent({ workerId }));
}

test('a worker whose entries were evicted is not compared, and asked for all of them once they fit', () => {
  const [big, small] = agents('big', 'small') as [FakeAgent, FakeAgent];
  const fleet = new SmallFleet([big, small], { maxReplicas: 100, refillBelow: 0.9 });
  fleet.beat();
  fleet.delta(big.store(hbm(0), numberedKeys(0, 60)));
  fleet.delta(small.store(hbm(0), numberedKeys(100, 160)));
  const areIncomplete = (): unknown[] => [big, small].map((one) => fleet.sync(one)?.incomplete);
  expect(areIncomplete()).toEqual([true, false]);
  fleet.beat(30);
  expect(fleet.snapshots).toBe(0);
  expect(fleet.sync(big)).toMatchObject({ synced: true, counters: { mismatches: 0 } });
  // 40 would fit into what is free, but not below the mark: the next store would evict again.
  fleet.delta(big.remove(hbm(0), numberedKeys(0, 20)));
  let next = 100;
  const makeRoom = (replicas: number): void => {
    for (; fleet.replicas() > replicas; next += 1) {
      fleet.delta(small.remove(hbm(0), numberedKeys(next, next + 1)));
    }
  };
  makeRoom(51);
  fleet.beat(30);
  expect(fleet.snapshots).toBe(0);
  makeRoom(50);
  fleet.beat();
  expect(areIncomplete()).toEqual([false, false]);
  expect(fleet.held(big, hbm(0))).toBe(40);
  expect(fleet.sync(big)?.counters.resyncs).toMatchObject({ evicted: 1, mismatch: 0 });
  fleet.beat(100);
  expect(fleet.snapshots).toBe(1);
});

test('workers that do not fit together do not evict each other in turns', () => {
  const three = agents('a', 'b', 'c');
  const fleet = new SmallFleet(three, { maxReplicas: 100, refillPauseMs: 2000 });
  fleet.beat();
  three.forEach((agent, i) => {
    fleet.delta(agent.store(hbm(0), numberedKeys(i * 100, i * 100 + 45)));
  });
  fleet.beat(60);
  expect(fleet.snapshots).toBe(0);
  // One leaves: the others come back whole, each once at most, and then there is peace.
  fleet.hear({ type: 'beat', beat: three[0]?.beat({ state: 'leaving' }) as never });
  fleet.beat(60, three.slice(1));
  expect(fleet.replicas()).toBeLessThanOrEqual(90);
  expect(fleet.snapshots).toBeLessThanOrEqual(2);
});

test('a worker with more ranks than there is room for is not asked in vain', () => {
  const [agent] = agents('w1') as [FakeAgent];
  const fleet = new SmallFleet([agent], { maxRanks: 2, refillPauseMs: 1000 });
  fleet.beat();
  for (let rank = 0; rank < 3; rank += 1) {
    fleet.delta(agent.store(hbm(rank), numberedKeys(0, 2)));
  }
  fleet.beat(60);
  expect(fleet.sync(agent)?.incomplete).toBe(true);
  expect(fleet.snapshots).toBe(0);
});

test('no step applies more than its share, of a large delta, of a snapshot and of what was buffered', () => {
  const [agent] = agents('w1') as [FakeAgent];
  const maxKeysPerStep = 16;
  const { core } = new SmallFleet([], { maxKeysPerStep });
  const replicas = (): number => core.view.index().stats.replicas;
  let now = 0;
  let most = 0;
  const step = (input: Parameters<typeof core.step>[0]): ReturnType<typeof core.step> => {
    const before = replicas();
    const effects = core.step(input, now++);
    most = Math.max(most, Math.abs(replicas() - before));
    return effects;
  };
  const work = (): void => {
    while (core.hasWork) step({ type: 'work' });
  };
  const held = (): number => core.view.heldKeys('w1', 0, Tier.HBM).length / KEY_BYTES;
  step({ type: 'beat', beat: agent.beat() });
  step({ type: 'delta', delta: agent.store(hbm(0), numberedKeys(0, 100)) });
  // What comes behind a large one waits for it; what is compared meanwhile is not taken for a difference.
  step({ type: 'delta', delta: agent.remove(hbm(0), numberedKeys(90, 100)) });
  step({ type: 'beat', beat: agent.beat() });
  expect(held()).toBeLessThan(90);
  work();
  expect(held()).toBe(90);
  agent.store(hbm(0), numberedKeys(200, 210));
  const effects = step({ type: 'beat', beat: agent.beat() });
  expect(effects).toMatchObject([{ type: 'resync', cause: 'gap' }, { snapshotId: 1 }]);
  const chunks = agent.snapshot(1, 2);
  const after = [numberedKeys(300, 340), numberedKeys(340, 400)];
  for (const keys of after) step({ type: 'delta', delta: agent.store(hbm(0), keys) });
  for (const chunk of chunks) step({ type: 'snapshotChunk', chunk });
  // Complete, but not yet taken in: the old entries are still the ones that count.
  expect(held()).toBe(90);
  work();
  expect(held()).toBe(200);
  step({ type: 'beat', beat: agent.beat() });
  expect(core.view.index().workers[0]?.sync).toMatchObject({
    synced: true,
    waitingKeys: 0,
    counters: { gaps: 1, mismatches: 0, snapshots: 1 },
  });
  expect(most).toBeLessThanOrEqual(maxKeysPerStep);
});

test('a delta that the snapshot contains is not applied again, since what followed it may be lost', () => {
  const [agent] = agents('w1') as [FakeAgent];
  const { core } = new SmallFleet([]);
  core.step({ type: 'beat', beat: agent.beat() }, 0);
  agent.store(hbm(0), numberedKeys(0, 5));
  core.step({ type: 'beat', beat: agent.beat() }, 1);
  core.step({ type: 'delta', delta: agent.store(hbm(0), numberedKeys(5, 6)) }, 2);
  agent.remove(hbm(0), numberedKeys(5, 6));
  const chunks = agent.snapshot(1, 2);
  core.step({ type: 'delta', delta: agent.store(hbm(0), numberedKeys(6, 7)) }, 3);
  for (const chunk of chunks) core.step({ type: 'snapshotChunk', chunk }, 4);
  while (core.hasWork) core.step({ type: 'work' }, 5);
  expect(core.step({ type: 'beat', beat: agent.beat() }, 6)).toEqual([]);
  expect(core.view.heldKeys('w1', 0, Tier.HBM)).toHaveLength(6 * KEY_BYTES);
  expect(core.view.index().workers[0]?.sync?.counters.mismatches).toBe(0);
});

test('changes that wait are bounded over all workers: what is too much is asked for again', () => {
  const [agent] = agents('w1') as [FakeAgent];
  const fleet = new SmallFleet([agent], { maxKeysPerStep: 8, maxBufferedKeys: 40 });
  fleet.core.step({ type: 'beat', beat: agent.beat() }, 0);
  for (let i = 0; i < 4; i += 1) {
    const delta = agent.store(hbm(0), numberedKeys(i * 20, i * 20 + 20));
    fleet.core.step({ type: 'delta', delta }, 0);
    expect(fleet.sync(agent)?.waitingKeys).toBeLessThanOrEqual(40);
  }
  fleet.beat();
  expect(fleet.held(agent, hbm(0))).toBe(80);
  expect(fleet.sync(agent)?.counters.resyncs.overflow).toBe(1);
});

test('resume points are compared like KV, and cut the matches of a hybrid worker', () => {
  const hybrid = new FakeAgent({ workerId: 'h', hybrid: true });
  const fleet = new SmallFleet([hybrid]);
  fleet.beat();
  fleet.delta(hybrid.store(hbm(0), numberedKeys(0, 6)));
  fleet.delta(hybrid.store(resumePoints, numberedKeys(3, 4)));
  const match = () => fleet.core.view.lookup(numberedKeys(0, 6)).rank('h', 0).hbmSegments;
  expect(match()).toBe(4);
  hybrid.store(resumePoints, numberedKeys(5, 6));
  hybrid.seq -= 1;
  fleet.beat();
  expect(match()).toBe(6);
  expect(fleet.sync(hybrid)?.counters.resyncs.mismatch).toBe(1);
  // Whether it is hybrid is known again after a restart of the conductor.
  fleet.delta(hybrid.remove(resumePoints, numberedKeys(5, 6)));
  fleet.restartConductor();
  fleet.beat();
  expect(match()).toBe(4);
});

test('a tier that is not known counts for nothing, and is no difference', () => {
  const [agent] = agents('w1') as [FakeAgent];
  const fleet = new SmallFleet([agent]);
  fleet.beat();
  const delta = agent.store(hbm(0), numberedKeys(0, 2));
  const foreign = { kind: 'store' as const, tier: 9, rank: 0, keys: numberedKeys(5, 7) };
  fleet.delta({ ...delta, ops: [...delta.ops, foreign] });
  const beat = agent.beat();
  const state = { tier: 9, rank: 0, segments: 2, capacitySegments: 9, xor: new Uint8Array(16) };
  fleet.hear({ type: 'beat', beat: { ...beat, tiers: [...beat.tiers, state] } });
  const { stats, workers } = fleet.core.view.index();
  expect(stats).toMatchObject({ replicas: 2, ignoredOps: 1 });
  expect(workers[0]?.sync).toMatchObject({ synced: true, counters: { mismatches: 0 } });
  expect(fleet.held(agent, hbm(0))).toBe(2);
});

test('messages that cannot be read and those of strangers are counted', () => {
  const [agent, stranger] = agents('w1', 'w2') as [FakeAgent, FakeAgent];
  const fleet = new SmallFleet([agent]);
  fleet.beat();
  fleet.hear({ type: 'unreadable', workerId: 'w1' }, { type: 'unreadable', workerId: 'w2' });
  fleet.delta(stranger.store(hbm(0), numberedKeys(0, 1)));
  expect(fleet.sync(agent)?.counters.decodeFailures).toBe(1);
  expect(fleet.core.view.index()).toMatchObject({ strayMessages: 2, stats: { replicas: 0 } });
});
