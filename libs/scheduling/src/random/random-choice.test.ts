import { expect, test } from 'vitest';
import { seededRandom } from '../random.ts';
import { sampleQuery, sampleRank } from '../testing/fleet-sample.ts';
import { RandomChoice } from './random-choice.ts';

const ranks = ['w1', 'w2', 'w3', 'w4'].map((id) => sampleRank(id));
const query = sampleQuery({ promptTokens: 640 });

function picks(seed: number, count: number): number[] {
  const policy = new RandomChoice(seededRandom(seed));
  return Array.from({ length: count }, () => policy.pick(query, 'prefill', ranks).index);
}

test('the example of the page: about as many for each, and the same again', () => {
  const counts = [0, 0, 0, 0];
  for (const index of picks(1, 4_000)) counts[index] = (counts[index] ?? 0) + 1;
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  expect(picks(1, 100)).toEqual(picks(1, 100));
  expect(picks(1, 100)).not.toEqual(picks(2, 100));
});

test('nobody is preferred, whatever there is to do or to reuse', () => {
  const busy = sampleRank('w1', 'prefill', { load: { prefillTokens: 90_000, streams: 9 } });
  const { scores } = new RandomChoice(seededRandom(1)).pick(query, 'decode', [busy, ...ranks]);
  expect(scores.map((score) => score.cost)).toEqual([0, 0, 0, 0, 0]);
});
