import { expect, test } from 'vitest';
import { sampleQuery, sampleRank } from '../testing/fleet-sample.ts';
import { LeastOutstanding } from './least-outstanding.ts';

const query = sampleQuery({ promptTokens: 640 });
const rank = (id: string, streams: number, prefillTokens = 0) =>
  sampleRank(id, 'prefill', { load: { streams, prefillTokens } });

test('the example of the page: the fewest requests, equal ones in turn', () => {
  const policy = new LeastOutstanding();
  const ranks = [rank('prefill-1', 4), rank('prefill-2', 2), rank('prefill-3', 2)];
  const picks = [1, 2, 3].map(() => policy.pick(query, 'prefill', ranks).index);
  expect(picks).toEqual([1, 2, 1]);
});

test('requests are counted, not their tokens', () => {
  const ranks = [rank('w1', 1, 90_000), rank('w2', 2, 10)];
  const { index, scores } = new LeastOutstanding().pick(query, 'prefill', ranks);
  expect(index).toBe(0);
  expect(scores.map((score) => score.cost)).toEqual([1, 2]);
});
