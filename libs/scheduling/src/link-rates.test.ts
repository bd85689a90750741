import fc from 'fast-check';
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

test('whatever is measured and forgotten, each link has its own last rate or the default', () => {
  const worker = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const measured = fc.tuple(worker, worker, fc.integer({ min: 500, max: 4_000 }));
  const change = fc.oneof({ weight: 6, arbitrary: measured }, worker);
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const maxLinks = 6;
      const rates = new LinkRates({ ...options, maxLinks });
      const known = new Map<string, number>();
      for (const one of changes) {
        if (typeof one === 'string') {
          rates.forget(one);
          for (const link of [...known.keys()]) if (link.includes(one)) known.delete(link);
          continue;
        }
        const [source, destination, perSec] = one;
        const link = `${source}${destination}`;
        const old = known.get(link) ?? options.defaultBytesPerSec;
        const bounded = Math.min(Math.max(perSec, old / 4), old * 4);
        rates.observe(source, destination, MIB, perSec);
        known.delete(link);
        known.set(link, old + 0.25 * (bounded - old));
        const [oldest] = known.keys();
        if (known.size > maxLinks && oldest !== undefined) known.delete(oldest);
      }
      for (const source of 'abcde') {
        const row = rates.ratesFrom(source);
        for (const destination of 'abcde') {
          const expected = known.get(`${source}${destination}`) ?? options.defaultBytesPerSec;
          expect(rates.bytesPerSec(source, destination)).toBeCloseTo(expected, 6);
          expect(rates.rateIn(row, rates.numberOf(destination))).toBeCloseTo(expected, 6);
        }
      }
    }),
  );
});
