import { expect, test } from 'vitest';
import { demoLoad, loadSizeFor, tokensOf, wordsOf, type LoadSize } from './demo-load.ts';

const words = Array.from({ length: 40 }, (_, i) => 100 + i);
/** Equal for both loads, which makes sharing by chance as likely as it can be. */
function counting(): () => number {
  let i = 0;
  return () => (i++ % 97) / 97;
}
const size: LoadSize = { conversations: 3, turns: 3, openingSegments: 2 };
const loadOf = (salt: number) =>
  demoLoad(size, { words, segmentTokens: 64, salt, random: counting() });

function sharedTokens(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((token, i) => token !== b[i]);
  return differs < 0 ? a.length : differs;
}

test('each prompt is the one before it and a segment more, with something left to compute', () => {
  const load = loadOf(0);
  expect(load.map((prompts) => prompts.map(({ length }) => length))).toEqual(
    Array.from({ length: 3 }, () => [3 * 64 + 8, 4 * 64 + 8, 5 * 64 + 8]),
  );
  for (const [first = [], second = [], third = []] of load) {
    expect(sharedTokens(first, second)).toBe(first.length);
    expect(sharedTokens(second, third)).toBe(second.length);
  }
  expect(load.flat().flat()).toHaveLength(tokensOf(size, 64));
});

test('conversations share the system prompt of one segment, and nothing behind it', () => {
  const [[one = []] = [], [two = []] = [], [three = []] = []] = loadOf(0);
  expect([sharedTokens(one, two), sharedTokens(two, three), sharedTokens(one, three)]).toEqual([
    ...[64, 64, 64],
  ]);
});

test('loads with different salts are of the same form and differ from the first token on', () => {
  const [one, two] = [loadOf(0), loadOf(1)];
  expect(two.map((prompts) => prompts.map(({ length }) => length))).toEqual(
    one.map((prompts) => prompts.map(({ length }) => length)),
  );
  for (const a of one.flat()) for (const b of two.flat()) expect(sharedTokens(a, b)).toBe(0);
});

test('a slow fleet gets less to do, however slow it is', () => {
  const tokens = [1_000, 45, 30, 1, 0].map((rate) => tokensOf(loadSizeFor(rate, 64, 50), 64));
  expect(tokens).toEqual([2_952, 1_776, 1_008, 1_008, 1_008]);
  for (const [i, rate] of [1_000, 45].entries()) expect(tokens[i]).toBeLessThan(rate * 50);
});

test('words are different tokens without the one that stands before each prompt', () => {
  expect(wordsOf([1, 7, 8, 7, 1, 9])).toEqual([7, 8, 9]);
  const few = { words: [1, 2, 3], segmentTokens: 64, salt: 0, random: counting() };
  expect(() => demoLoad(size, few)).toThrow('needs 16 different tokens, and the tokenizer made 3');
});
