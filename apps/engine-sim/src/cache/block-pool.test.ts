import { expect, test } from 'vitest';
import { BlockPool } from './block-pool.ts';

function pool(blocks = 6): { pool: BlockPool; removed: string[] } {
  const removed: string[] = [];
  const onRemoved = (name: string): void => void removed.push(name);
  return { pool: new BlockPool({ blocks, blockTokens: 2, onRemoved }), removed };
}

test('the first block is nobody’s', () => {
  const { pool: all } = pool();
  expect(all.capacity).toBe(5);
  expect(all.acquire([], 5)).toEqual([1, 2, 3, 4, 5]);
  expect(all.acquire([], 1)).toBeUndefined();
  expect([all.has(0), all.has(5), all.has(6), all.has(1.5)]).toEqual([false, true, false, false]);
});

test('what came free keeps its name until its block is needed, tails first', () => {
  const { pool: all, removed } = pool();
  const blocks = all.acquire([], 3) ?? [];
  ['a', 'b', 'c'].forEach((name, i) => all.name(blocks[i] ?? 0, name));
  all.release(blocks);
  expect(all.lookup(['a', 'b', 'x', 'c'], 9)).toEqual([1, 2]);
  expect(all.lookup(['a', 'b'], 1)).toEqual([1]);
  // Two were never used, then the tail.
  expect(all.acquire([], 3)).toEqual([4, 5, 3]);
  expect(removed).toEqual(['c']);
});

test('a block in use is not taken, and a cached one that is used again waits longest', () => {
  const { pool: all, removed } = pool(4);
  const blocks = all.acquire([], 3) ?? [];
  ['a', 'b', 'c'].forEach((name, i) => all.name(blocks[i] ?? 0, name));
  all.release(blocks);
  expect(all.acquire([1], 3)).toBeUndefined();
  expect(all.acquire([1], 2)).toEqual([1, 3, 2]);
  expect(removed).toEqual(['c', 'b']);
  expect(all.clear()).toBe(false);
});

test('two copies of one name: it is found as long as one is there', () => {
  const { pool: all, removed } = pool(3);
  const blocks = all.acquire([], 2) ?? [];
  for (const block of blocks) all.name(block, 'a');
  all.release(blocks);
  expect(all.acquire([], 1)).toEqual([2]);
  expect([removed, all.lookup(['a'], 1)]).toEqual([['a'], [1]]);
  expect(() => all.release([1])).toThrow('nobody uses it');
});
