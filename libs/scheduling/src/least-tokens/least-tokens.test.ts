import { expect, test } from 'vitest';
import { sampleQuery, sampleRank } from '../testing/fleet-sample.ts';
import { LeastTokens } from './least-tokens.ts';

const query = sampleQuery({ promptTokens: 640, held: { 'prefill-1': 9 } });

test('the example of the page: tokens count, not requests; KV for decode', () => {
  const policy = new LeastTokens();
  const prefill = [
    sampleRank('prefill-1', 'prefill', { load: { streams: 1, prefillTokens: 9_000 } }),
    sampleRank('prefill-2', 'prefill', { load: { streams: 3, prefillTokens: 6_000 } }),
  ];
  expect(policy.pick(query, 'prefill', prefill).index).toBe(1);
  const decode = [
    sampleRank('decode-1', 'decode', { load: { kvBlocks: 40, prefillTokens: 5_000 } }),
    sampleRank('decode-2', 'decode', { load: { kvBlocks: 41 } }),
  ];
  const pick = policy.pick(query, 'decode', decode);
  expect(pick.index).toBe(0);
  expect(pick.scores.map((score) => score.cost)).toEqual([2_560, 2_624]);
  expect(policy.pick(query, 'whole', decode).index).toBe(1);
});

test('equal ones take turns', () => {
  const policy = new LeastTokens();
  const ranks = ['w1', 'w2', 'w3'].map((id) => sampleRank(id));
  const picks = [1, 2, 3, 4].map(() => policy.pick(query, 'prefill', ranks).index);
  expect(picks).toEqual([0, 1, 2, 0]);
});
