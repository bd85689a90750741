import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { FakeAgent } from './testing/fake-agent.ts';
import { hbm, numberedKeys, SmallFleet } from './testing/small-fleet.ts';

/** Faults that indexes like this one are known for, each as a kind. */

const one = (): FakeAgent => new FakeAgent({ workerId: 'w1' });

test('an engine that restarts leaves no ghosts, whether its agent lives on or restarts, and whatever is lost of it', () => {
  for (const isHeard of [true, false]) {
    const agent = one();
    const fleet = new SmallFleet([agent]);
    fleet.beat();
    fleet.delta(agent.store(hbm(0), numberedKeys(0, 5)));
    fleet.delta(agent.store(hbm(1), numberedKeys(0, 5)));
    const cleared = agent.clear(hbm(1));
    if (isHeard) fleet.delta(cleared);
    fleet.beat();
    expect([fleet.held(agent, hbm(0)), fleet.held(agent, hbm(1))]).toEqual([5, 0]);
    const lateBeat = agent.beat();
    const late = agent.store(hbm(0), numberedKeys(5, 9));
    agent.restart();
    const first = agent.store(hbm(0), numberedKeys(20, 22));
    if (isHeard) fleet.beat();
    fleet.delta(late);
    fleet.delta(first);
    fleet.beat();
    fleet.hear({ type: 'beat', beat: lateBeat });
    expect(fleet.held(agent, hbm(0))).toBe(2);
    expect(fleet.replicas()).toBe(2);
    expect(fleet.sync(agent)?.counters.stale).toBe(isHeard ? 2 : 1);
  }
});

test('a conductor that restarts has all children of prefixes that it has never seen', () => {
  const agent = one();
  const fleet = new SmallFleet([agent]);
  fleet.beat();
  fleet.delta(agent.store(hbm(0), numberedKeys(0, 4)));
  fleet.restartConductor();
  fleet.delta(agent.store(hbm(0), numberedKeys(4, 6)));
  fleet.beat();
  fleet.delta(agent.store(hbm(0), numberedKeys(6, 8)));
  fleet.beat();
  expect(fleet.held(agent, hbm(0))).toBe(8);
  expect(fleet.snapshots).toBe(1);
});

test('all blocks cleared: the tier is empty for matches at once, and nothing else is', () => {
  const agent = one();
  const fleet = new SmallFleet([agent]);
  fleet.beat();
  const dram = { ...hbm(0), tier: Tier.DRAM };
  fleet.delta(agent.store(hbm(0), numberedKeys(0, 4)));
  fleet.delta(agent.store(dram, numberedKeys(0, 3)));
  fleet.delta(agent.clear(hbm(0)));
  expect([fleet.held(agent, hbm(0)), fleet.held(agent, dram)]).toEqual([0, 3]);
  fleet.beat();
  expect(fleet.snapshots).toBe(0);
});

test.each(['lease', 'left'] as const)('a worker that is gone (%s) leaves no entry', (how) => {
  const agents = [one(), new FakeAgent({ workerId: 'w2' })];
  const [gone, stays] = agents as [FakeAgent, FakeAgent];
  const fleet = new SmallFleet(agents);
  fleet.beat();
  for (const agent of agents) fleet.delta(agent.store(hbm(0), numberedKeys(0, 100)));
  if (how === 'left') fleet.hear({ type: 'beat', beat: gone.beat({ state: 'leaving' }) });
  fleet.beat(5, [stays]);
  const { stats, workers } = fleet.core.view.index();
  expect(workers.map(({ workerId }) => workerId)).toEqual(['w2']);
  expect(stats).toMatchObject({ replicas: 100, ranks: 1, leavingReplicas: 0 });
  // What was still on its way to us changes nothing.
  fleet.delta(gone.store(hbm(0), numberedKeys(0, 200)));
  expect(fleet.replicas()).toBe(100);
});

test('a batch that is lost, overtaken or comes twice leaves neither stale owners nor doubled ones', () => {
  const agent = one();
  const fleet = new SmallFleet([agent]);
  fleet.beat();
  const [a, b, c] = [
    agent.store(hbm(0), numberedKeys(0, 3)),
    agent.remove(hbm(0), numberedKeys(0, 1)),
    agent.store(hbm(0), numberedKeys(3, 5)),
  ];
  for (const delta of [a, a, c, b, a]) fleet.delta(delta);
  fleet.beat();
  expect(fleet.held(agent, hbm(0))).toBe(4);
  expect(fleet.replicas()).toBe(4);
  expect(fleet.sync(agent)?.counters).toMatchObject({ duplicates: 1, gaps: 1, snapshots: 1 });
  // The last one, of which no later one tells.
  agent.remove(hbm(0), numberedKeys(1, 2));
  fleet.beat();
  expect(fleet.held(agent, hbm(0))).toBe(3);
});

test('memory is bounded: many stores, many incarnations, many workers that come and go', () => {
  const agent = one();
  const fleet = new SmallFleet([agent], { maxReplicas: 2000 });
  fleet.beat();
  for (let i = 0; i < 40; i += 1) {
    fleet.delta(agent.store(hbm(0), numberedKeys(i * 100, i * 100 + 100)));
    agent.remove(hbm(0), numberedKeys(i * 100, i * 100 + 100));
    agent.seq -= 1;
  }
  const full = fleet.core.view.index().stats;
  expect(full.replicas).toBeLessThanOrEqual(2000);
  expect(full.evictedReplicas).toBeGreaterThan(1500);
  for (let round = 0; round < 20; round += 1) {
    agent.restart();
    fleet.beat();
    fleet.delta(agent.store(hbm(round), numberedKeys(0, 1000)));
    const guest = new FakeAgent({ workerId: `guest-${round}` });
    fleet.hear({ type: 'beat', beat: guest.beat() });
    fleet.delta(guest.store(hbm(0), numberedKeys(5000, 5500)));
    fleet.hear({ type: 'beat', beat: guest.beat({ state: 'leaving' }) });
  }
  const { stats, workers } = fleet.core.view.index();
  expect(workers).toHaveLength(1);
  expect(stats.ranks).toBeLessThanOrEqual(2);
  expect(stats.sizeBytes).toBeLessThanOrEqual(full.sizeBytes * 1.2);
});

test('an agent whose account never fits is asked less and less, and the others are served meanwhile', () => {
  const agents = [one(), new FakeAgent({ workerId: 'w2' })];
  const [odd, sound] = agents as [FakeAgent, FakeAgent];
  const fleet = new SmallFleet(agents, { maxConcurrentSnapshots: 1 });
  fleet.beat();
  odd.store(hbm(0), numberedKeys(0, 3));
  for (let second = 0; second < 600; second += 1) {
    // Its snapshots tell of segments that its beats do not count.
    const beat = odd.beat();
    fleet.hear({ type: 'beat', beat: { ...beat, tiers: [] } });
    fleet.beat(1, [sound]);
  }
  expect(fleet.sync(odd)?.counters.resyncs.mismatch).toBeGreaterThan(5);
  expect(fleet.snapshots).toBeLessThan(40);
  sound.store(hbm(0), numberedKeys(0, 2));
  fleet.beat();
  expect(fleet.held(sound, hbm(0))).toBe(2);
});

test('many removals do not stop at one that was not there, and the loss of many is taken in steps', () => {
  const agent = one();
  const maxKeysPerStep = 64;
  const fleet = new SmallFleet([agent], { maxKeysPerStep });
  fleet.beat();
  fleet.delta(agent.store(hbm(0), numberedKeys(0, 1000)));
  fleet.delta(agent.remove(hbm(0), numberedKeys(0, 1)));
  fleet.delta(agent.remove(hbm(0), numberedKeys(0, 900)));
  expect(fleet.held(agent, hbm(0))).toBe(100);
  fleet.delta(agent.store(hbm(0), numberedKeys(0, 900)));
  fleet.core.step({ type: 'beat', beat: agent.beat({ state: 'leaving' }) }, fleet.nowMs);
  let [before, steps] = [fleet.replicas(), 0];
  expect(before).toBe(1000);
  for (; fleet.core.hasWork; steps += 1) {
    fleet.core.step({ type: 'work' }, fleet.nowMs);
    expect(before - fleet.replicas()).toBeLessThanOrEqual(maxKeysPerStep);
    before = fleet.replicas();
  }
  expect(before).toBe(0);
  expect(steps).toBeGreaterThan(10);
});

test('blocks that an engine says are in use are load, however much of them its cache could hold', () => {
  const agent = one();
  const fleet = new SmallFleet([agent]);
  fleet.beat();
  fleet.delta(agent.store(hbm(0), numberedKeys(0, 50)));
  const load = {
    ...{ rank: 0, runningSequences: 2, waitingSequences: 0, pendingPrefillTokens: 0 },
    ...{ kvUsedBlocks: 30, prefillTokensPerSec: 0, decodeTokensPerSec: 0 },
    ...{ dramBytesPerSec: 0, ssdBytesPerSec: 0 },
  };
  fleet.hear({ type: 'beat', beat: agent.beat({ loads: [load] }) });
  const [worker] = fleet.core.view.workers(fleet.nowMs);
  expect(worker?.ranks[0]?.load.kvBlocks).toBe(30);
});
