import { expect, test } from 'vitest';
import { rackLinks } from './rack-links.ts';

const rates = { withinBytesPerSec: 100, betweenBytesPerSec: 10 };

test('halves of each role share a rack', () => {
  const rate = rackLinks({ prefill: 4, decode: 2 }, 2, rates);
  expect(rate('p1', 'p2')).toBe(100);
  expect(rate('p2', 'd1')).toBe(100);
  expect(rate('p2', 'p3')).toBe(10);
  expect(rate('p2', 'd2')).toBe(10);
  expect(rate('d2', 'p4')).toBe(100);
});

test('with more workers than fit evenly, and more than nine', () => {
  const rate = rackLinks({ aggregated: 11 }, 3, rates);
  const inRackOfFirst = ['w01', 'w02', 'w03', 'w04', 'w05', 'w11'].map((id) => rate('w01', id));
  expect(inRackOfFirst).toEqual([100, 100, 100, 100, 10, 10]);
  expect(rate('w09', 'w11')).toBe(100);
  expect(rackLinks({ aggregated: 3 }, 1, rates)('w1', 'w3')).toBe(100);
});
