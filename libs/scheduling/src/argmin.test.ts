import { expect, test } from 'vitest';
import { argmin } from './argmin.ts';

test('the least, of equal ones the first', () => {
  expect(argmin([3, 1, 2, 1])).toBe(1);
  expect(argmin([Infinity, Infinity])).toBe(0);
  expect(() => argmin([])).toThrow(RangeError);
});
