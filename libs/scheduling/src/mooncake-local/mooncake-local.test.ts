import { expect, test } from 'vitest';
import type { RankView } from '../policy.ts';
import { sampleQuery, sampleRank } from '../testing/fleet-sample.ts';
import { MooncakeLocal } from './mooncake-local.ts';

const policy = new MooncakeLocal();
const query = sampleQuery({ promptTokens: 640, held: { 'prefill-1': 5 } });
const workers = (queueMs: number): RankView[] => [
  sampleRank('prefill-1', 'prefill', { queueMs }),
  sampleRank('prefill-2'),
];

test('the example of the page: queue and what is lacking', () => {
  const pick = policy.pick(query, 'prefill', workers(100));
  expect(pick.index).toBe(0);
  expect(pick.scores.map((score) => score.cost)).toEqual([260, 320]);
  expect(policy.pick(query, 'prefill', workers(200)).index).toBe(1);
  expect(policy.pick(query, 'whole', workers(100)).index).toBe(0);
});

test('of equal ones the first, every time', () => {
  const picks = [1, 2, 3].map(() => policy.pick(query, 'prefill', workers(160)).index);
  expect(picks).toEqual([0, 0, 0]);
});

test('decode goes to the fewest KV tokens, whatever is held', () => {
  const ranks = [9, 3, 3].map((kvBlocks, i) =>
    sampleRank(`d${i}`, 'decode', { load: { kvBlocks, streams: 9 - kvBlocks } }),
  );
  expect(policy.pick(query, 'decode', ranks).index).toBe(1);
});
