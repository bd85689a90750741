import { expect, test } from 'vitest';
import { simpleCost } from '../testing/simple-cost.ts';
import type { TraceRequest } from '../trace/trace-line.ts';
import { workloadRate } from './workload-rate.ts';

const request = (promptTokens: number, blocks: number[]): TraceRequest => ({
  ...{ atMs: 0, promptTokens, outputTokens: 1, blocks },
});

test('only what nobody has computed before counts, and the last token always', () => {
  const cost = simpleCost;
  const all = workloadRate([request(1_000, [1, 2])], cost, 1, 1);
  expect(all).toBeCloseTo(1, 6);
  expect(workloadRate([request(1_000, [1, 2])], cost, 4, 0.5)).toBeCloseTo(2, 6);
  // The second one computes 488 tokens behind the shared block, the third one a token.
  const shared = [request(1_000, [1, 2]), request(1_000, [1, 3]), request(1_000, [1, 3])];
  expect(workloadRate(shared, cost, 1, 1)).toBeCloseTo(3 / ((1_000 + 488 + 1) / 1_000), 6);
});
