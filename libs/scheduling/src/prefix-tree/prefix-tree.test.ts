import { KEY_BYTES } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleKeys } from '../testing/fleet-sample.ts';
import { PrefixTree } from './prefix-tree.ts';

const keys = (family: string, segments: number): Uint8Array => sampleKeys(family, segments);

test('an empty tree and an empty prompt match nothing', () => {
  const tree = new PrefixTree();
  expect(tree.match(keys('a', 3))).toEqual({ segments: 0, owners: [] });
  tree.insert(keys('a', 3), 'w1', 1);
  expect(tree.match(new Uint8Array())).toEqual({ segments: 0, owners: [] });
});

test('the longest prefix is found, with those who have all of it, the last user first', () => {
  const tree = new PrefixTree();
  tree.insert(keys('a', 5), 'w1', 1);
  tree.insert(keys('a', 3), 'w2', 2);
  expect(tree.match(keys('a', 9))).toEqual({ segments: 5, owners: ['w1'] });
  expect(tree.match(keys('a', 3))).toEqual({ segments: 3, owners: ['w2', 'w1'] });
  expect(tree.match(keys('a', 9), new Set(['w2']))).toEqual({ segments: 3, owners: ['w2'] });
  expect(tree.match(keys('b', 9)).segments).toBe(0);
  expect([tree.segmentsOf('w1'), tree.segmentsOf('w2'), tree.nodes]).toEqual([5, 3, 5]);
});

test('leaves go first, the least recently used first, and nodes without owners with them', () => {
  const tree = new PrefixTree();
  tree.insert(keys('a', 4), 'w1', 1);
  tree.insert(keys('b', 2), 'w1', 2);
  tree.insert(keys('a', 2), 'w1', 3);
  tree.insert(keys('a', 4), 'w2', 4);
  tree.evict('w1', 3);
  const own = new Set(['w1']);
  expect(tree.match(keys('a', 4), own).segments).toBe(2);
  expect(tree.match(keys('b', 2), own).segments).toBe(1);
  expect(tree.match(keys('a', 4)).owners).toEqual(['w2']);
  expect([tree.segmentsOf('w1'), tree.nodes]).toEqual([3, 5]);
});

test('what was used at the same time goes together when it is asked to', () => {
  const tree = new PrefixTree();
  tree.insert(keys('a', 4), 'w1', 1);
  tree.insert(keys('b', 4), 'w1', 1);
  tree.insert(keys('c', 4), 'w1', 2);
  tree.evictByLastUse('w1', 1);
  expect(tree.segmentsOf('w1')).toBe(4);
  tree.evictByLastUse('w1', 0);
  tree.evictByLastUse('w1', -5);
  tree.evictByLastUse('nobody', 1);
  expect(tree.segmentsOf('w1')).toBe(4);
});

test('of an owner whose last segment went nothing is left', () => {
  const tree = new PrefixTree();
  tree.insert(keys('a', 3), 'w1', 1);
  tree.insert(keys('a', 2), 'w2', 2);
  tree.evict('w1', 3);
  expect([tree.ownerNames, tree.segmentsOf('w1')]).toEqual([['w2'], 0]);
  tree.evictByLastUse('w2', 2);
  expect(tree.ownerNames).toEqual([]);
});

test('an owner is removed as a whole', () => {
  const tree = new PrefixTree();
  tree.insert(keys('a', 4), 'w1', 1);
  tree.insert(keys('a', 2), 'w2', 2);
  tree.removeOwner('w1');
  expect(tree.match(keys('a', 4))).toEqual({ segments: 2, owners: ['w2'] });
  expect([tree.segments, tree.nodes, tree.ownerNames]).toEqual([2, 2, ['w2']]);
});

test('the tree is bounded: the largest owner gives way', () => {
  const tree = new PrefixTree(10);
  tree.insert(keys('a', 4), 'w1', 1);
  tree.insert(keys('b', 6), 'w2', 2);
  tree.insert(keys('c', 3), 'w1', 3);
  expect([tree.segmentsOf('w1'), tree.segmentsOf('w2')]).toEqual([4, 6]);
  tree.insert(keys('d', 30), 'w3', 4);
  expect(tree.segments).toBe(10);
  expect(tree.match(keys('d', 30)).segments).toBe(tree.segmentsOf('w3'));
});

test('it agrees with a plain list of everything that was inserted', () => {
  const step = fc.record({
    family: fc.constantFrom('a', 'b', 'c'),
    segments: fc.integer({ min: 0, max: 6 }),
    owner: fc.constantFrom('w1', 'w2', 'w3'),
    evicted: fc.integer({ min: 0, max: 2 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const tree = new PrefixTree();
      /** By owner, family and segment: last use. */
      let plain: { owner: string; family: string; segment: number; use: number }[] = [];
      steps.forEach(({ family, segments, owner, evicted }, use) => {
        tree.insert(keys(family, segments), owner, use);
        for (let segment = 0; segment < segments; segment += 1) {
          plain = plain.filter(
            (one) => one.owner !== owner || one.family !== family || one.segment !== segment,
          );
          plain.push({ owner, family, segment, use });
        }
        tree.evict(owner, evicted);
        const own = plain.filter((one) => one.owner === owner);
        own.sort((a, b) => a.use - b.use || b.segment - a.segment);
        const gone = new Set(own.slice(0, evicted));
        plain = plain.filter((one) => !gone.has(one));
      });
      for (const name of ['w1', 'w2', 'w3']) {
        expect(tree.segmentsOf(name)).toBe(plain.filter((one) => one.owner === name).length);
        for (const family of ['a', 'b', 'c']) {
          const held = plain.filter((one) => one.owner === name && one.family === family);
          const found = tree.match(keys(family, 6), new Set([name])).segments;
          expect(found).toBe(held.length);
        }
      }
      expect(tree.segments).toBe(plain.length);
    }),
  );
});

test('prompts of 2,000 segments are held by eight owners', () => {
  const tree = new PrefixTree();
  const packed = keys('long', 2_000);
  expect(packed.length).toBe(2_000 * KEY_BYTES);
  for (let i = 0; i < 100; i += 1) tree.insert(packed, `w${i % 8}`, i);
  expect(tree.match(packed).segments).toBe(2_000);
  expect(tree.segments).toBe(16_000);
});
