import { expect, test } from 'vitest';
import { defaultsOf } from '../parameters.ts';
import type { RankView } from '../policy.ts';
import { sampleQuery, sampleRank } from '../testing/fleet-sample.ts';
import { Composite } from './composite.ts';
import { compositeParameters } from './parameters.ts';

const defaults = defaultsOf(compositeParameters);
const query = sampleQuery({ promptTokens: 640, held: { w1: 5 } });
const workers = (queueMs: number): RankView[] => [
  sampleRank('w1', 'prefill', { queueMs }),
  sampleRank('w2'),
];

test('the example of the page: reuse against the queue', () => {
  const policy = new Composite(defaults);
  const busy = policy.pick(query, 'prefill', workers(400));
  expect(busy.index).toBe(0);
  expect(busy.scores[0]?.terms).toEqual({ hitRatio: 0.5, queueSec: 0.4 });
  expect(busy.scores[0]?.cost).toBeCloseTo(-0.1);
  expect(policy.pick(query, 'prefill', workers(600)).index).toBe(1);
});

test('the weights count', () => {
  expect(new Composite({ alpha: 0, beta: 1 }).pick(query, 'prefill', workers(1)).index).toBe(1);
  expect(new Composite({ alpha: 1, beta: 0 }).pick(query, 'prefill', workers(1e6)).index).toBe(0);
});

test('equal ones: the fewest requests, then turns', () => {
  const policy = new Composite(defaults);
  const ranks = [2, 1, 1].map((streams, i) => sampleRank(`d${i}`, 'decode', { load: { streams } }));
  expect([1, 2, 3].map(() => policy.pick(query, 'decode', ranks).index)).toEqual([1, 2, 1]);
});
