import { expect, test } from 'vitest';
import { sampleQuery, sampleRank } from '../testing/fleet-sample.ts';
import { LongestPrefix } from './longest-prefix.ts';

const ranks = ['prefill-1', 'prefill-2', 'prefill-3'].map((id) => sampleRank(id));

test('the example of the page: the longest match, without one in turn', () => {
  const policy = new LongestPrefix();
  const held = sampleQuery({ promptTokens: 650, held: { 'prefill-1': 2, 'prefill-3': 6 } });
  const pick = policy.pick(held, 'prefill', ranks);
  expect(pick.index).toBe(2);
  expect(pick.scores.map((score) => score.cost)).toEqual([-128, -0, -384]);
  const unknown = sampleQuery({ promptTokens: 640 });
  const picks = [1, 2, 3].map(() => policy.pick(unknown, 'prefill', ranks).index);
  expect(picks).toEqual([0, 1, 2]);
});

test('load does not count', () => {
  const busy = sampleRank('prefill-1', 'prefill', { load: { prefillTokens: 1e6, streams: 99 } });
  const query = sampleQuery({ promptTokens: 640, held: { 'prefill-1': 1 } });
  const others = [busy, ...ranks.slice(1)];
  expect(new LongestPrefix().pick(query, 'prefill', others).index).toBe(0);
});

test('those with equally long matches take turns', () => {
  const policy = new LongestPrefix();
  const query = sampleQuery({ promptTokens: 640, held: { 'prefill-2': 4, 'prefill-3': 4 } });
  const picks = [1, 2, 3].map(() => policy.pick(query, 'prefill', ranks).index);
  expect(picks).toEqual([1, 2, 1]);
});
