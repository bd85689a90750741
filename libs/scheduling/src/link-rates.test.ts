import { expect, test } from 'vitest';
import { LinkRates } from './link-rates.ts';

const options = { defaultBytesPerSec: 1000, maxLinks: 2 };
const MIB = 1024 * 1024;

test('an estimate follows measurements step by step and one outlier moves it little', () => {
  const rates = new LinkRates(options);
  for (let i = 0; i < 40; i += 1) rates.observe('a', 'b', MIB, 2000);
  expect(rates.bytesPerSec('a', 'b')).toBeCloseTo(2000, 0);
  rates.observe('a', 'b', MIB, 1e12);
  expect(rates.bytesPerSec('a', 'b')).toBeLessThanOrEqual(3500);
  expect(rates.bytesPerSec('b', 'a')).toBe(1000);
});

test.each([0, -1, NaN, Infinity])('a rate of %s and small transfers are no measurements', (bad) => {
  const rates = new LinkRates(options);
  rates.observe('a', 'b', MIB, bad);
  rates.observe('a', 'b', 1000, 5);
  expect(rates.bytesPerSec('a', 'b')).toBe(1000);
});

test('the number of links is bounded, and a lost worker is forgotten', () => {
  const rates = new LinkRates(options);
  for (const destination of ['b', 'c', 'd']) rates.observe('a', destination, MIB, 2000);
  expect(rates.bytesPerSec('a', 'b')).toBe(1000);
  expect(rates.bytesPerSec('a', 'd')).toBe(1250);
  rates.forget('d');
  expect(rates.bytesPerSec('a', 'd')).toBe(1000);
  expect(rates.bytesPerSec('a', 'c')).toBe(1250);
});
