import { expect, test } from 'vitest';
import { median, medianInterval, quantile } from './statistics.ts';

test('quantiles interpolate', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([1, 2, 3, 4])).toBe(2.5);
  expect(quantile([0, 10], 0.9)).toBeCloseTo(9);
  expect(() => median([])).toThrow(RangeError);
});

test('the interval holds the median, narrows with more values and does not vary by itself', () => {
  const few = medianInterval([1, 5, 9, 13, 17]);
  expect(few.low).toBeLessThanOrEqual(few.median);
  expect(few.high).toBeGreaterThanOrEqual(few.median);
  const many = medianInterval(Array.from({ length: 500 }, (_, i) => 1 + (i % 5) * 4));
  expect(many.high - many.low).toBeLessThan(few.high - few.low);
  expect(medianInterval([1, 5, 9, 13, 17])).toEqual(few);
});
