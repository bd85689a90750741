import { expect, test } from 'vitest';
import { gapMeans } from './token-gaps.ts';

test.each([
  [[], undefined, undefined],
  [[30], 30, 30],
  [[10, 30, 20], 20, 30],
  [[...Array<number>(18).fill(10), 50, 70], 15, 60],
])('gaps %j: mean %d, the longest tenth %d', (gaps, meanTbtMs, tailTbtMs) => {
  expect(gapMeans(Float64Array.from(gaps))).toEqual({ meanTbtMs, tailTbtMs });
});
