import { HolderSets } from '@baton/index';
import { expect, test } from 'vitest';
import { BlockIndex, TIERS } from './block-index.ts';

test('holder numbers end before they would be cut to 16 bits, and come back', () => {
  const index = new BlockIndex(100);
  const place = { rank: 0, tier: 0 };
  const taken: number[] = [];
  while (index.hasHolders) for (let i = 0; i < TIERS; i += 1) taken.push(index.takeHolder(place));
  expect(taken).toHaveLength(65_535);
  expect(Math.max(...taken)).toBe(65_534);
  const id = index.acquire(new DataView(new ArrayBuffer(16)), 0);
  index.add(id, 65_534);
  expect([...index.holders(index.setOf(id))]).toEqual([65_534]);
  expect(() => new HolderSets().add(0, 65_535)).toThrow(
    new RangeError('holders are numbers below 65535, not 65535'),
  );
  for (const holder of taken.slice(0, TIERS)) index.freeHolder(holder);
  expect(index.hasHolders).toBe(true);
});
