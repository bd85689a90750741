import { expect, test } from 'vitest';
import { SeededRandom } from './seeded-random.ts';

test('equal seeds give equal numbers, on every machine and in every version', () => {
  const random = new SeededRandom(1);
  expect([1, 2, 3].map(() => random.below(2 ** 32))).toEqual([
    2_693_262_067, 11_749_833, 2_265_367_787,
  ]);
  expect(new SeededRandom(1).share()).toBe(new SeededRandom(1).share());
  expect(new SeededRandom(1).share()).not.toBe(new SeededRandom(2).share());
});

test('numbers are below their limit, and all of them come', () => {
  const random = new SeededRandom(2);
  const seen = new Set(Array.from({ length: 200 }, () => random.below(6)));
  expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  expect(new Set(Array.from({ length: 50 }, () => random.oneOf(['a', 'b'])))).toHaveLength(2);
  expect(random.bytes(3)).toHaveLength(3);
  expect(() => random.oneOf([])).toThrow(RangeError);
});

test('times between events have their mean', () => {
  const random = new SeededRandom(3);
  const times = Array.from({ length: 20_000 }, () => random.exponential(5));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
  expect(times.reduce((sum, time) => sum + time, 0) / times.length).toBeCloseTo(5, 0);
});
