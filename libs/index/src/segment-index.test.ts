import {
  KEY_BYTES,
  keyAt,
  keyHex,
  rootKey,
  segmentKeys,
  Tier,
  tiers,
  unpackKeys,
  xorKeys,
} from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coveredUntil, type Match } from './match.ts';
import { NaiveIndex, type NaiveMatch } from './testing/naive-index.ts';
import { SegmentIndex } from './segment-index.ts';

const limits = { maxReplicas: 100_000, maxRanks: 64 };
const chain = segmentKeys(
  rootKey({ tokenization: 't' }),
  Array.from({ length: 12 }, (_, i) => i),
  1,
);
const slice = (from: number, to: number): Uint8Array =>
  chain.subarray(from * KEY_BYTES, to * KEY_BYTES);
const store = (rank: number, tier: number, keys: Uint8Array) =>
  ({ kind: 'store', tier, rank, keys }) as const;

test('only what is contiguous from the start counts, in HBM and over the tiers', () => {
  const index = new SegmentIndex(limits);
  index.apply('a', store(0, Tier.HBM, slice(0, 2)));
  index.apply('a', store(0, Tier.DRAM, slice(1, 4)));
  index.apply('a', store(0, Tier.SSD, slice(4, 5)));
  index.apply('b', store(0, Tier.HBM, slice(0, 1)));
  index.apply('b', store(0, Tier.HBM, slice(2, 3)));
  const match = index.match(slice(0, 8));
  expect(match.segments).toBe(8);
  expect(match.knownSegments).toBe(5);
  expect(match.ranks).toEqual([
    { workerId: 'a', rank: 0, hbmSegments: 2, memorySegments: 4, localSegments: 5 },
    { workerId: 'b', rank: 0, hbmSegments: 1, memorySegments: 1, localSegments: 1 },
  ]);
  expect(match.runs).toEqual([
    { workerId: 'a', rank: 0, tier: Tier.HBM, first: 0, count: 2 },
    { workerId: 'a', rank: 0, tier: Tier.DRAM, first: 1, count: 3 },
    { workerId: 'a', rank: 0, tier: Tier.SSD, first: 4, count: 1 },
    { workerId: 'b', rank: 0, tier: Tier.HBM, first: 0, count: 1 },
    { workerId: 'b', rank: 0, tier: Tier.HBM, first: 2, count: 1 },
  ]);
  expect(coveredUntil(match.runsOf('a', 0), 1, [Tier.DRAM])).toBe(4);
  expect(coveredUntil(match.runsOf('a', 0), 0, [Tier.HBM, Tier.DRAM])).toBe(4);
  expect(coveredUntil(match.runsOf('b', 0), 1, tiers)).toBe(1);
  expect(match.rank('nobody', 0).localSegments).toBe(0);
});

test('an engine goes on from HBM into DRAM, and never back up', () => {
  const index = new SegmentIndex(limits);
  index.apply('a', store(0, Tier.HBM, slice(0, 1)));
  index.apply('a', store(0, Tier.DRAM, slice(1, 2)));
  index.apply('a', store(0, Tier.HBM, slice(2, 4)));
  expect(index.match(slice(0, 4)).ranks).toEqual([
    { workerId: 'a', rank: 0, hbmSegments: 1, memorySegments: 2, localSegments: 4 },
  ]);
});

test('ranks of one worker are separate caches', () => {
  const index = new SegmentIndex(limits);
  index.apply('a', store(1, Tier.HBM, slice(0, 2)));
  index.apply('a', store(0, Tier.HBM, slice(0, 1)));
  const match = index.match(slice(0, 2));
  expect(match.rank('a', 0).hbmSegments).toBe(1);
  expect(match.rank('a', 1).hbmSegments).toBe(2);
  index.dropRank('a', 1);
  expect(index.ranksOf('a')).toEqual([0]);
});

test('removal goes on after a segment that is absent', () => {
  const index = new SegmentIndex(limits);
  index.apply('a', store(0, Tier.HBM, slice(1, 3)));
  index.apply('a', { kind: 'remove', tier: Tier.HBM, rank: 0, keys: slice(0, 3) });
  expect(index.stats()).toMatchObject({ segments: 0, replicas: 0, absentRemovals: 1 });
});

test('unknown tiers and damaged keys are counted, never taken for HBM', () => {
  const index = new SegmentIndex(limits);
  index.apply('a', store(0, 0, slice(0, 1)));
  index.apply('a', store(0, 9, slice(0, 1)));
  index.apply('a', store(0, Tier.HBM, chain.subarray(0, 17)));
  expect(index.stats()).toMatchObject({ replicas: 0, ignoredOps: 3 });
});

test('ranks beyond the limit are refused, and there is room again after a drop', () => {
  const index = new SegmentIndex({ maxReplicas: 100, maxRanks: 2 });
  for (const worker of ['b', 'c', 'd']) index.apply(worker, store(0, Tier.HBM, slice(0, 1)));
  expect(index.stats()).toMatchObject({ ranks: 2, replicas: 2, refusedStores: 1 });
  expect(index.isIncomplete('d')).toBe(true);
  index.dropWorker('d');
  index.dropWorker('b');
  index.apply('d', store(0, Tier.HBM, slice(0, 1)));
  expect(index.isIncomplete('d')).toBe(false);
  expect(index.match(slice(0, 1)).rank('d', 0).hbmSegments).toBe(1);
});

test('at its limit the index forgets what was not used for longest, the end of a prompt first', () => {
  const segments = 4000;
  const keys = segmentKeys(
    rootKey({ tokenization: 'lru' }),
    Array.from({ length: segments }, (_, i) => i),
    1,
  );
  const part = (from: number, to: number): Uint8Array =>
    keys.subarray(from * KEY_BYTES, to * KEY_BYTES);
  const index = new SegmentIndex({ maxReplicas: 3000, maxRanks: 4 });
  index.apply('a', store(0, Tier.HBM, part(0, 1000)));
  index.apply('a', store(0, Tier.HBM, part(1000, 3000)));
  index.match(part(0, 1000));
  index.apply('b', store(0, Tier.HBM, part(3000, 4000)));
  expect(index.stats()).toMatchObject({
    replicas: 3000,
    segments: 3000,
    evictedSegments: 1000,
    evictedReplicas: 1000,
  });
  expect(index.isIncomplete('a')).toBe(true);
  expect(index.isIncomplete('b')).toBe(false);
  // What a request has used since is still there, and so is what is new.
  expect(index.match(part(0, 1000)).knownSegments).toBe(1000);
  expect(index.match(part(3000, 4000)).rank('b', 0).hbmSegments).toBe(1000);
  const left = index.match(part(1000, 3000)).knownSegments;
  expect(left).toBeGreaterThan(500);
  expect(index.tierDigest('a', 0, Tier.HBM).segments).toBe(2000);
  expect(index.heldKeys('a', 0, Tier.HBM)).toHaveLength(2000 * KEY_BYTES);
});

test('a table that once was large and is nearly empty still finds what to evict', () => {
  const keys = segmentKeys(
    rootKey({ tokenization: 'sparse' }),
    Array.from({ length: 10_000 }, (_, i) => i),
    1,
  );
  const index = new SegmentIndex({ maxReplicas: 10_000, maxRanks: 20_000 });
  index.apply('a', store(0, Tier.HBM, keys));
  index.apply('a', { kind: 'remove', tier: Tier.HBM, rank: 0, keys: keys.subarray(KEY_BYTES) });
  for (let rank = 1; rank <= 10_000; rank += 1) {
    index.apply('b', store(rank, Tier.HBM, keys.subarray(0, KEY_BYTES)));
  }
  expect(index.stats()).toMatchObject({ replicas: 1, segments: 1, evictedSegments: 1 });
});

test('what is dropped is out of sight at once, and its room comes back step by step', () => {
  const index = new SegmentIndex(limits);
  index.apply('a', store(0, Tier.HBM, chain));
  index.apply('b', store(0, Tier.HBM, slice(0, 3)));
  index.dropWorker('a');
  expect(index.match(chain).knownSegments).toBe(3);
  expect(index.match(chain).ranks.map((rank) => rank.workerId)).toEqual(['b']);
  expect(index.stats()).toMatchObject({ replicas: 15, leavingReplicas: 12, segments: 12 });
  expect(index.sweep(5)).toBe(false);
  expect(index.stats()).toMatchObject({ replicas: 10, leavingReplicas: 7 });
  expect(index.sweep(100)).toBe(true);
  expect(index.stats()).toMatchObject({ replicas: 3, leavingReplicas: 0, segments: 3 });
});

test('a worker that comes and goes leaves nothing behind', () => {
  const index = new SegmentIndex({ maxReplicas: 40, maxRanks: 2 });
  for (let round = 0; round < 1000; round += 1) {
    index.apply('a', store(round % 3, Tier.HBM, chain));
    index.apply('a', store(round % 3, Tier.DRAM, slice(0, 6)));
    index.dropWorker('a');
  }
  index.sweep(1000);
  expect(index.stats()).toMatchObject({ replicas: 0, segments: 0, ranks: 0, holderSets: 0 });
  expect(index.stats().evictedReplicas).toBe(0);
});

test('a hybrid model is matched up to its last resume point only', () => {
  const index = new SegmentIndex(limits);
  index.setHybrid('a', true);
  index.apply('a', store(0, Tier.HBM, slice(0, 6)));
  expect(index.match(chain).rank('a', 0)).toMatchObject({ hbmSegments: 0, localSegments: 0 });
  const points = { ...store(0, Tier.HBM, keyAt(chain, 3)), holding: 'resumePoints' } as const;
  index.apply('a', points);
  expect(index.match(chain).rank('a', 0)).toMatchObject({ hbmSegments: 4, localSegments: 4 });
  // A point beyond what is held does not help.
  index.apply('a', { ...points, keys: keyAt(chain, 8) });
  expect(index.match(chain).rank('a', 0).hbmSegments).toBe(4);
  index.apply('a', { ...points, kind: 'remove', keys: keyAt(chain, 3) });
  expect(index.match(chain).rank('a', 0).hbmSegments).toBe(0);
  expect(index.match(chain).runsOf('a', 0)).toEqual([
    { workerId: 'a', rank: 0, tier: Tier.HBM, first: 0, count: 6 },
  ]);
});

test('many keys survive growth and removal in any order', () => {
  const many = segmentKeys(
    rootKey({ tokenization: 'many' }),
    Array.from({ length: 5000 }, (_, i) => i),
    1,
  );
  const index = new SegmentIndex(limits);
  index.apply('a', store(0, Tier.DRAM, many));
  index.apply('b', store(0, Tier.HBM, many));
  expect(index.match(many).ranks.map((r) => r.localSegments)).toEqual([5000, 5000]);
  expect(index.tierDigest('a', 0, Tier.DRAM)).toEqual({ segments: 5000, xor: xorKeys(many) });
  for (let i = 0; i < 5000; i += 2) {
    index.apply('a', { kind: 'remove', tier: Tier.DRAM, rank: 0, keys: keyAt(many, i) });
  }
  index.dropWorker('b');
  index.sweep(5000);
  expect(index.stats()).toMatchObject({ segments: 2500, replicas: 2500 });
  for (let i = 1; i < 5000; i += 2) {
    expect(index.match(keyAt(many, i)).knownSegments).toBe(1);
    expect(index.match(keyAt(many, i - 1)).knownSegments).toBe(0);
  }
});

const worker = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('store', 'store', 'storeAside', 'remove', 'clear'),
      worker,
      rank: fc.integer({ min: 0, max: 1 }),
      tier: fc.constantFrom(...tiers),
      holding: fc.constantFrom('kv', 'kv', 'resumePoints'),
      from: fc.integer({ min: 0, max: 11 }),
      length: fc.integer({ min: 0, max: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'dropWorker',
        'dropRank',
        'swapIn',
        'discardAside',
        'hybrid',
        'plain',
        'sweep',
      ),
      worker,
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function take(index: SegmentIndex, naive: NaiveIndex, item: Step): void {
  if ('rank' in item) {
    const kind = item.do === 'storeAside' ? 'store' : (item.do as 'store' | 'remove' | 'clear');
    const keys = kind === 'clear' ? slice(0, 0) : slice(item.from, item.from + item.length);
    const holding = item.holding as 'kv' | 'resumePoints';
    const op = { kind, rank: item.rank, tier: item.tier, keys, holding };
    const method = item.do === 'storeAside' ? 'applyAside' : 'apply';
    index[method](item.worker, op);
    naive[method](item.worker, op);
  } else if (item.do === 'dropRank') {
    index.dropRank(item.worker, 1);
    naive.dropRank(item.worker, 1);
  } else if (item.do === 'hybrid' || item.do === 'plain') {
    index.setHybrid(item.worker, item.do === 'hybrid');
    naive.setHybrid(item.worker, item.do === 'hybrid');
  } else if (item.do === 'sweep') {
    index.sweep(3);
  } else {
    const method = item.do as 'dropWorker' | 'swapIn' | 'discardAside';
    index[method](item.worker);
    naive[method](item.worker);
  }
}

test('the index is a naive model after any sequence of changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const index = new SegmentIndex(limits);
      const naive = new NaiveIndex();
      for (const item of steps) {
        take(index, naive, item);
        expectSame(index.match(chain), naive.match(chain));
      }
      for (const keys of [slice(3, 9), slice(0, 0)]) {
        expectSame(index.match(keys), naive.match(keys));
      }
      for (const id of ['a', 'b', 'c']) {
        for (const [rank, tier] of [0, 1].flatMap((r) => tiers.map((t) => [r, t] as const))) {
          for (const holding of ['kv', 'resumePoints'] as const) {
            const held = index.heldKeys(id, rank, tier, holding);
            expect(hexSet(held)).toEqual(naive.held(id, rank, tier, holding));
            expect(index.tierDigest(id, rank, tier, holding)).toEqual({
              segments: held.length / KEY_BYTES,
              xor: xorKeys(held),
            });
          }
        }
        index.discardAside(id);
      }
      index.sweep(10_000);
      expect(index.stats().replicas).toBe(naive.replicas());
    }),
    { numRuns: 400 },
  );
});

function expectSame(match: Match, naive: NaiveMatch): void {
  const byRank = (a: { workerId: string; rank: number }, b: typeof a): number =>
    a.workerId === b.workerId ? a.rank - b.rank : a.workerId < b.workerId ? -1 : 1;
  expect({
    segments: match.segments,
    knownSegments: match.knownSegments,
    ranks: [...match.ranks].sort(byRank),
    runs: [...match.runs].sort(byRank),
  }).toEqual(naive);
  for (const { workerId, rank } of naive.ranks) {
    const runs = naive.runs.filter((run) => run.workerId === workerId && run.rank === rank);
    expect(match.runsOf(workerId, rank)).toEqual(runs);
    const inMemory = runs.filter(({ tier }) => tier === Tier.HBM || tier === Tier.DRAM);
    const reach = Math.max(0, ...inMemory.map(({ first, count }) => first + count));
    expect(match.reachOf(workerId, rank)).toBe(reach);
  }
}

function hexSet(packed: Uint8Array): string[] {
  return unpackKeys(packed).map(keyHex).sort();
}
