import { expect, test } from 'vitest';
import { poolHitRatio } from './pool-hit-ratio.ts';

const asks = (...prompts: number[][]): Parameters<typeof poolHitRatio>[0] =>
  prompts.map((blocks) => ({ atMs: 0, promptTokens: 1, outputTokens: 1, blocks }));

test('leading blocks that are there count, those behind a gap do not', () => {
  expect(poolHitRatio(asks([1, 2], [1, 2, 3], [9, 2]), Infinity)).toBe(2 / 7);
  expect(poolHitRatio([], Infinity)).toBe(0);
});

test('what was used least recently leaves, tails before heads', () => {
  // 3 leaves for 7; then 1 and 2 are found.
  expect(poolHitRatio(asks([1, 2, 3], [7], [1, 2, 3]), 3)).toBe(2 / 7);
  expect(poolHitRatio(asks([1, 2, 3], [7], [1, 2, 3]), 4)).toBe(3 / 7);
  expect(poolHitRatio(asks([1], [1]), 0)).toBe(0);
});
