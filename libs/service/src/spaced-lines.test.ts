import { expect, test } from 'vitest';
import { SpacedLines } from './spaced-lines.ts';

test('the first line is said at once, and later ones tell how many were left out', () => {
  let nowMs = 5;
  const lines = new SpacedLines(1_000, () => nowMs);
  const said: number[] = [];
  const line = () => lines.line((leftOut) => void said.push(leftOut));
  for (let times = 0; times < 4; times += 1) line();
  expect(said).toEqual([0]);
  nowMs += 999;
  line();
  nowMs += 1;
  line();
  line();
  expect(said).toEqual([0, 4]);
  nowMs += 5_000;
  line();
  expect(said).toEqual([0, 4, 1]);
});
