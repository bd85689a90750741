import { expect, test } from 'vitest';
import { seededRandom } from '../random.ts';
import { rankName } from '../rank-name.ts';
import { CostBook, type CostBookOptions } from './cost-book.ts';
import { prefillMs, type PrefillCost } from './prefill-cost.ts';

const truth: PrefillCost = { fixedMs: 10, perTokenMs: 0.1, perPairMs: 2e-6 };
const name = (workerId: string, rank = 0): string => rankName({ workerId, rank });
const bookOf = (options: Partial<CostBookOptions> = {}): CostBook =>
  new CostBook({ prefillTokensPerSec: 2_000, ...options });

const errorOf = (book: CostBook, kind: string): number | undefined =>
  book.learned().find((one) => one.kind === kind)?.errorShare;

/** Prompts of all lengths, on a rank that is so many times as slow as its kind. */
function teach(
  book: CostBook,
  workerId: string,
  count: number,
  slowness = 1,
  kind = 'k',
  seed = 1,
): void {
  const random = seededRandom(seed);
  for (let i = 0; i < count; i += 1) {
    const newTokens = Math.ceil(100 * Math.exp(random() * 5));
    const ms = slowness * prefillMs(truth, newTokens, 0);
    book.observe(kind, name(workerId), 0, { newTokens, contextTokens: 0, ms });
  }
}

/** Predicted for 2,000 tokens, as a share of what they take by the truth. */
function share(book: CostBook, workerId: string, kind = 'k', rank = 0): number {
  const cost = book.cost(kind, name(workerId, rank), 0);
  return prefillMs(cost, 2_000, 0) / prefillMs(truth, 2_000, 0);
}

test('before anything is measured: what the engine reports, else the default', () => {
  const linear = (perTokenMs: number): PrefillCost => ({ fixedMs: 0, perTokenMs, perPairMs: 0 });
  expect(bookOf().cost('k', name('a'), 0)).toEqual(linear(0.5));
  expect(bookOf().cost('k', name('a'), 4_000)).toEqual(linear(0.25));
});

test('a prediction rests on something once a rate is reported or a prefill measured', () => {
  const book = bookOf();
  expect(book.isCalibrated('k', 0)).toBe(false);
  expect(book.isCalibrated('k', 1)).toBe(true);
  teach(book, 'a', 1);
  expect([book.isCalibrated('k', 0), book.isCalibrated('other', 0)]).toEqual([true, false]);
});

test('workers of a kind learn from each other, and a slow one is known as slow', () => {
  const book = bookOf();
  for (let i = 0; i < 20; i += 1) {
    teach(book, 'a', 10, 1, 'k', i);
    teach(book, 'slow', 10, 2, 'k', i);
  }
  expect(Math.abs(share(book, 'a') - 1)).toBeLessThan(0.05);
  expect(Math.abs(share(book, 'slow') / 2 - 1)).toBeLessThan(0.05);
  expect(share(book, 'slow', 'k', 1)).toBeCloseTo(share(book, 'new'), 6);
});

test.each([
  [0.1, 0.08],
  [0.5, 0.02],
  [1, 0.02],
  [3, 0.02],
  [20, 0.02],
])(
  'one that was never measured is predicted as its kind, %d times as fast as believed at first',
  (times, off) => {
    const perSec = 1_000 / prefillMs({ ...truth, fixedMs: 0 }, 1, 0) / times;
    const book = bookOf({ prefillTokensPerSec: perSec });
    teach(book, 'a', 100);
    expect(Math.abs(share(book, 'new') - 1)).toBeLessThan(off);
    expect(Math.abs(share(book, 'a') - 1)).toBeLessThan(off);
  },
);

test('one kind says nothing of another', () => {
  const book = bookOf();
  teach(book, 'a', 100);
  const before = bookOf().cost('other', name('a'), 0);
  expect(book.cost('other', name('new'), 0)).toEqual(before);
  expect(errorOf(book, 'other')).toBeUndefined();
});

test('single wild measurements move a rank little, and never beyond a tenth or tenfold', () => {
  const book = bookOf();
  teach(book, 'a', 200);
  const before = share(book, 'a');
  const wild = { newTokens: 2_000, contextTokens: 0 };
  book.observe('k', name('a'), 0, { ...wild, ms: 1e9 });
  expect(share(book, 'a') / before).toBeLessThan(1.4);
  for (const ms of [0, -1, Number.NaN]) book.observe('k', name('a'), 0, { ...wild, ms });
  for (let i = 0; i < 300; i += 1) {
    book.observe('k', name('broken'), 0, { ...wild, ms: 1e9 });
  }
  expect(share(book, 'broken')).toBeLessThanOrEqual(10 * share(book, 'new') + 1e-9);
  for (const value of Object.values(book.cost('k', name('a'), 0))) {
    expect(Number.isFinite(value)).toBe(true);
  }
});

test('a worker that is gone is forgotten, all its ranks, and nobody else', () => {
  const book = bookOf();
  teach(book, 'a', 100);
  teach(book, 'slow', 100, 3);
  teach(book, 'slow2', 100, 3);
  const others = share(book, 'slow2');
  book.forgetWorker('slow');
  expect(share(book, 'slow')).toBeCloseTo(share(book, 'new'), 6);
  expect(share(book, 'slow2')).toBe(others);
});

test('the oldest of too many kinds are forgotten', () => {
  const book = bookOf();
  for (let i = 0; i < 70; i += 1) teach(book, 'a', 1, 1, `kind ${i}`);
  expect(book.isCalibrated('kind 0', 0)).toBe(false);
  expect(book.isCalibrated('kind 69', 0)).toBe(true);
});

test('the error says how far predictions are off', () => {
  const book = bookOf();
  expect(errorOf(book, 'k')).toBeUndefined();
  teach(book, 'a', 200);
  teach(book, 'a', 200);
  const settled = errorOf(book, 'k') as number;
  expect(settled).toBeLessThan(0.1);
  const random = seededRandom(2);
  for (let i = 0; i < 50; i += 1) {
    const ms = prefillMs(truth, 1_000, 0) * (0.5 + random());
    book.observe('k', name('a'), 0, { newTokens: 1_000, contextTokens: 0, ms });
  }
  expect(errorOf(book, 'k')).toBeGreaterThan(settled + 0.02);
});

test('a rank that computes slowly is no further away: tiny prompts cost the same everywhere', () => {
  const book = bookOf();
  teach(book, 'quick', 300);
  teach(book, 'slow', 300, 2);
  const costOf = (workerId: string): PrefillCost => book.cost('k', name(workerId), 0);
  expect(costOf('slow').perTokenMs).toBeGreaterThan(1.5 * costOf('quick').perTokenMs);
  expect(costOf('slow').fixedMs).toBe(costOf('quick').fixedMs);
});

test('what slows all ranks is a matter of the kind, and one rank alone has no factor', () => {
  const alone = bookOf();
  teach(alone, 'a', 300);
  teach(alone, 'a', 300, 1.5);
  expect(share(alone, 'a')).toBeCloseTo(share(alone, 'new'), 6);

  const two = bookOf();
  for (let i = 0; i < 60; i += 1) {
    const slowness = i < 20 ? 1 : 1.5;
    teach(two, 'a', 10, slowness, 'k', i);
    teach(two, 'b', 10, slowness, 'k', i);
  }
  expect(Math.abs(share(two, 'new') / 1.5 - 1)).toBeLessThan(0.05);
});
