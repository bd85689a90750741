import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EMPTY_SET, HolderSets } from './holder-sets.ts';

const change = fc.record({
  segment: fc.integer({ min: 0, max: 7 }),
  holder: fc.integer({ min: 0, max: 12 }).map((n) => n * 5000),
});

test('segments with equal holders share one set, whatever the order of the changes', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 120 }), (changes) => {
      const sets = new HolderSets();
      const segments = Array.from({ length: 8 }, () => EMPTY_SET);
      const naive = segments.map(() => new Set<number>());
      for (const { segment, holder } of changes) {
        const own = naive[segment] as Set<number>;
        const set = segments[segment] as number;
        expect(sets.has(set, holder)).toBe(own.has(holder));
        if (own.delete(holder)) segments[segment] = sets.remove(set, holder);
        else {
          own.add(holder);
          segments[segment] = sets.add(set, holder);
        }
      }
      const texts = naive.map((set) => [...set].sort((a, b) => a - b).join());
      segments.forEach((set, i) => expect([...sets.members(set)].join()).toBe(texts[i]));
      const different = new Set(texts.filter((text) => text !== ''));
      expect(sets.size).toBe(different.size);
      expect(new Set(segments.filter((set) => set !== EMPTY_SET)).size).toBe(different.size);
      for (const set of segments) sets.release(set);
      expect(sets.size).toBe(0);
    }),
  );
});

test('sets that come and go take no more room than those that are there', () => {
  const sets = new HolderSets();
  const kept: number[] = [];
  for (let i = 0; i < 64; i += 1) {
    let set = EMPTY_SET;
    for (let j = 0; j <= i; j += 1) set = sets.add(set, j * 100);
    kept.push(set);
  }
  for (let round = 0; round < 20_000; round += 1) {
    let set = EMPTY_SET;
    for (let j = 0; j < 40; j += 1) set = sets.add(set, (round * 31 + j * 7) % 60_000);
    sets.release(set);
  }
  expect(sets.sizeBytes).toBeLessThan(64 * 1024);
  expect(sets.size).toBe(64);
  kept.forEach((set, i) => {
    expect([...sets.members(set)]).toEqual(Array.from({ length: i + 1 }, (_, j) => j * 100));
  });
});
