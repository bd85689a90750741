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
import { coveredUntil, rankMatch, runsOf } from './match.ts';
import { NaiveIndex } from './testing/naive-index.ts';
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
  expect(coveredUntil(runsOf(match, 'a', 0), 1, [Tier.DRAM])).toBe(4);
  expect(coveredUntil(runsOf(match, 'a', 0), 0, [Tier.HBM, Tier.DRAM])).toBe(4);
  expect(coveredUntil(runsOf(match, 'b', 0), 1, tiers)).toBe(1);
  expect(rankMatch(match, 'nobody', 0).localSegments).toBe(0);
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
  expect(index.match(slice(0, 2)).ranks.map((r) => [r.rank, r.hbmSegments])).toEqual([
    [0, 1],
    [1, 2],
  ]);
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

test('at its limit the index refuses, says so, and can be used again after a drop', () => {
  const index = new SegmentIndex({ maxReplicas: 3, maxRanks: 2 });
  index.apply('a', store(0, Tier.HBM, slice(0, 5)));
  expect(index.stats()).toMatchObject({ replicas: 3, refusedStores: 2 });
  expect(index.isIncomplete('a')).toBe(true);
  index.dropWorker('a');
  expect(index.isIncomplete('a')).toBe(false);
  for (const worker of ['b', 'c', 'd']) index.apply(worker, store(0, Tier.HBM, slice(0, 1)));
  expect(index.stats()).toMatchObject({ ranks: 2, replicas: 2 });
  expect(index.isIncomplete('d')).toBe(true);
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
      do: fc.constantFrom('store', 'store', 'remove', 'clear'),
      worker,
      rank: fc.integer({ min: 0, max: 1 }),
      tier: fc.constantFrom(...tiers),
      from: fc.integer({ min: 0, max: 11 }),
      length: fc.integer({ min: 0, max: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop'), worker }) },
);

test('the index is a naive model after any sequence of changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const index = new SegmentIndex(limits);
      const naive = new NaiveIndex();
      for (const item of steps) {
        if (!('rank' in item)) {
          index.dropWorker(item.worker);
          naive.dropWorker(item.worker);
          continue;
        }
        const kind = item.do as 'store' | 'remove' | 'clear';
        const keys = kind === 'clear' ? slice(0, 0) : slice(item.from, item.from + item.length);
        const op = { kind, rank: item.rank, tier: item.tier, keys };
        index.apply(item.worker, op);
        naive.apply(item.worker, op);
      }
      for (const keys of [chain, slice(3, 9), slice(0, 0)]) {
        expect(index.match(keys)).toEqual(naive.match(keys));
      }
      for (const id of ['a', 'b', 'c']) {
        for (const rank of [0, 1]) {
          for (const tier of tiers) {
            const held = index.heldKeys(id, rank, tier);
            expect(hexSet(held)).toEqual(naive.held(id, rank, tier));
            expect(index.tierDigest(id, rank, tier)).toEqual({
              segments: held.length / KEY_BYTES,
              xor: xorKeys(held),
            });
          }
        }
      }
      expect(index.stats().replicas).toBe(naive.replicas());
    }),
    { numRuns: 300 },
  );
});

function hexSet(packed: Uint8Array): string[] {
  return unpackKeys(packed).map(keyHex).sort();
}
