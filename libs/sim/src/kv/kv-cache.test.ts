import { Tier } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KvCache, type KvHold, type TierBlocks } from './kv-cache.ts';

const room = { hbmBlocks: 4, dramBlocks: 0, ssdBlocks: 0 };

function cacheOf(blocks: Partial<TierBlocks> = {}): { cache: KvCache; changes: string[] } {
  const changes: string[] = [];
  const cache = new KvCache({ ...room, ...blocks }, (kind, tier, block) => {
    changes.push(`${kind === 'store' ? '+' : '-'}${tier}:${block}`);
  });
  return { cache, changes };
}

/** Somebody computes these blocks from start to end. */
function compute(cache: KvCache, blocks: number[]): KvHold | undefined {
  const { hbm } = cache.lookup(blocks, blocks.length);
  const hold = cache.acquire(blocks, hbm, blocks.length);
  if (hold !== undefined) cache.publish(hold, blocks.length);
  return hold;
}

const use = (cache: KvCache, blocks: number[]): void => {
  const hold = compute(cache, blocks);
  if (hold !== undefined) cache.release(hold);
};

test('what nobody uses gives way, the tail of a prompt before its head', () => {
  const { cache, changes } = cacheOf();
  use(cache, [1, 2, 3]);
  use(cache, [7, 8]);
  expect(changes).toEqual(['+1:1', '+1:2', '+1:3', '-1:3', '+1:7', '+1:8']);
  expect(cache.lookup([1, 2, 3], 3)).toEqual({ hbm: 2, dram: 0, ssd: 0 });
  // Using it again makes it the last to go.
  use(cache, [1, 2]);
  use(cache, [9]);
  expect(cache.held(Tier.HBM).sort()).toEqual([1, 2, 7, 9]);
});

test('what is used stays, and nobody gets more than there is', () => {
  const { cache } = cacheOf();
  const first = compute(cache, [1, 2, 3]);
  expect(cache.acquire([5, 6], 0, 2)).toBeUndefined();
  expect(cache.acquire([1, 2, 6], 2, 4)).toBeUndefined();
  const second = cache.acquire([1, 2, 6], 2, 3);
  expect(second).toMatchObject({ named: 2, unnamed: 1 });
  expect(cache.usedBlocks).toBe(4);
  if (first !== undefined) cache.release(first);
  expect(cache.blocksInUse).toBe(3);
  if (second !== undefined) cache.release(second);
  expect(cache.blocksInUse).toBe(0);
  expect(cache.held(Tier.HBM).sort()).toEqual([1, 2, 3]);
});

test('two who compute the same block keep one of it', () => {
  const { cache, changes } = cacheOf();
  const holds = [cache.acquire([1], 0, 1), cache.acquire([1], 0, 1)];
  expect(cache.usedBlocks).toBe(2);
  for (const hold of holds) if (hold !== undefined) cache.publish(hold, 1);
  expect(cache.usedBlocks).toBe(1);
  expect(changes).toEqual(['+1:1']);
  for (const hold of holds) if (hold !== undefined) cache.release(hold);
  expect(cache.held(Tier.HBM)).toEqual([1]);
});

test('HBM goes to DRAM, DRAM to SSD, and what is there is found without a gap', () => {
  const { cache, changes } = cacheOf({ hbmBlocks: 2, dramBlocks: 2, ssdBlocks: 1 });
  use(cache, [1, 2]);
  use(cache, [3, 4]);
  expect(changes.slice(2, 6)).toEqual(['-1:2', '+2:2', '-1:1', '+2:1']);
  use(cache, [5, 6]);
  expect(cache.held(Tier.DRAM).sort()).toEqual([3, 4]);
  expect(cache.held(Tier.SSD)).toEqual([1]);
  expect(cache.lookup([1, 3, 4, 5, 2, 6], 6, 6)).toEqual({ hbm: 0, dram: 3, ssd: 1 });
  expect(cache.lookup([3, 4, 1], 3, 2)).toEqual({ hbm: 0, dram: 2, ssd: 0 });
  expect(cache.lookup([5, 6, 3, 1], 3)).toEqual({ hbm: 2, dram: 1, ssd: 0 });
});

test('without DRAM, HBM goes to SSD at once', () => {
  const { cache } = cacheOf({ hbmBlocks: 1, ssdBlocks: 5 });
  use(cache, [1]);
  use(cache, [2]);
  expect(cache.held(Tier.SSD)).toEqual([1]);
});

test('whatever happens: never more than there is room, and the changes say what is held', () => {
  const step = fc.record({
    blocks: fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 5 }),
    unnamed: fc.integer({ min: 0, max: 2 }),
    releaseAt: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const told = new Map<number, Set<number>>([1, 2, 3].map((tier) => [tier, new Set()]));
      const cache = new KvCache(
        { hbmBlocks: 6, dramBlocks: 3, ssdBlocks: 2 },
        (kind, tier, block) => {
          expect(told.get(tier)?.has(block)).toBe(kind === 'remove');
          if (kind === 'store') told.get(tier)?.add(block);
          else told.get(tier)?.delete(block);
        },
      );
      const holds: KvHold[] = [];
      for (const { blocks, unnamed, releaseAt } of steps) {
        const { hbm } = cache.lookup(blocks, blocks.length);
        const hold = cache.acquire(blocks, hbm, blocks.length + unnamed);
        if (hold !== undefined) {
          cache.publish(hold, blocks.length);
          holds.push(hold);
        }
        for (const ended of holds.splice(releaseAt)) cache.release(ended);
        expect(cache.usedBlocks).toBeLessThanOrEqual(6);
        for (const tier of [Tier.HBM, Tier.DRAM, Tier.SSD] as const) {
          expect(cache.held(tier).sort()).toEqual([...(told.get(tier) ?? [])].sort());
          expect(cache.digests.get(tier)?.blocks).toBe(told.get(tier)?.size);
        }
      }
      for (const hold of holds) cache.release(hold);
      expect(cache.blocksInUse).toBe(0);
    }),
  );
});
