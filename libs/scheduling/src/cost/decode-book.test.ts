import { expect, test } from 'vitest';
import { seededRandom } from '../random.ts';
import { DecodeBook, type DecodeCost, type DecodeLoad } from './decode-book.ts';

const truth: DecodeCost = { fixedMs: 14.6, perSequenceMs: 0.02, perKvTokenMs: 3.4e-5 };

function timeOf({ streams, kvTokens }: DecodeLoad): number {
  return truth.fixedMs + truth.perSequenceMs * streams + truth.perKvTokenMs * kvTokens;
}

test('nothing is said of a kind that was never measured', () => {
  const book = new DecodeBook();
  book.observe('k', { streams: 1, kvTokens: 10 }, Number.NaN);
  book.observe('k', { streams: 1, kvTokens: 10 }, 0);
  expect(book.tbtMs('k', { streams: 1, kvTokens: 10 })).toBeUndefined();
  book.observe('k', { streams: 1, kvTokens: 10 }, 20);
  expect(book.tbtMs('k', { streams: 1, kvTokens: 10 })).toBeCloseTo(20, 0);
  expect(book.tbtMs('other', { streams: 1, kvTokens: 10 })).toBeUndefined();
});

test.each([1, 0.1, 10])('a step’s time is learned from answers at all loads, %d times', (times) => {
  const book = new DecodeBook();
  const random = seededRandom(3);
  for (let i = 0; i < 600; i += 1) {
    const streams = 1 + Math.floor(random() * 40);
    const load = { streams, kvTokens: streams * (1_000 + random() * 20_000) };
    book.observe('k', load, times * timeOf(load) * (0.95 + 0.1 * random()));
  }
  for (const load of [
    { streams: 1, kvTokens: 12_000 },
    { streams: 20, kvTokens: 240_000 },
    { streams: 40, kvTokens: 400_000 },
  ]) {
    const share = (book.tbtMs('k', load) as number) / (times * timeOf(load));
    expect(Math.abs(share - 1)).toBeLessThan(0.05);
  }
  expect(book.learned()).toMatchObject([{ kind: 'k', observations: 600 }]);
  expect(book.learned()[0]?.errorShare).toBeLessThan(0.1);
});

test('the oldest of too many kinds are forgotten', () => {
  const book = new DecodeBook();
  for (let i = 0; i < 70; i += 1) book.observe(`kind ${i}`, { streams: 1, kvTokens: 1 }, 10);
  expect(book.learned()).toHaveLength(64);
  expect(book.tbtMs('kind 0', { streams: 1, kvTokens: 1 })).toBeUndefined();
});
