import { expect, test } from 'vitest';
import { sampleQuery, sampleRank } from '../testing/fleet-sample.ts';
import { RoundRobin } from './round-robin.ts';

const ranks = ['prefill-1', 'prefill-2', 'prefill-3'].map((id) => sampleRank(id));
const query = sampleQuery({ promptTokens: 640, held: { 'prefill-1': 9 } });

test('the example of the page: each in its turn', () => {
  const policy = new RoundRobin();
  const picks = [1, 2, 3, 4, 5].map(() => policy.pick(query, 'prefill', ranks).index + 1);
  expect(picks).toEqual([1, 2, 3, 1, 2]);
});

test('one that cannot take a request is passed over and keeps its place in the order', () => {
  const policy = new RoundRobin();
  policy.pick(query, 'prefill', ranks);
  const withoutSecond = ranks.filter((rank) => rank.facts.workerId !== 'prefill-2');
  expect(policy.pick(query, 'prefill', withoutSecond).index).toBe(1);
  expect(policy.pick(query, 'prefill', ranks).index).toBe(0);
  expect(policy.pick(query, 'prefill', ranks).index).toBe(1);
});
