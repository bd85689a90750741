import { expect, test } from 'vitest';
import type { RequestRecord } from './request-record.ts';
import { simulationMetrics } from './simulation-metrics.ts';
import type { SimulationResult } from './simulation-result.ts';

const record: RequestRecord = {
  index: 0,
  arrivalMs: 0,
  promptTokens: 1_000,
  outputTokens: 10,
  ttftMs: 100,
  meanTbtMs: 20,
  tailTbtMs: 30,
  finishedAtMs: 1_000,
  refused: undefined,
  waitedMs: 0,
  reusedBlocks: 1,
  pulledBlocks: 0,
  computedTokens: 488,
  movedBytes: 7,
  prefillWorker: 'p1',
  decodeWorker: 'd1',
};
const worker = {
  workerId: 'p1',
  role: 'prefill' as const,
  peakBlocks: 0,
  busyMs: 100,
  steps: 0,
  computedTokens: 0,
  generatedTokens: 0,
  prefillLegs: 0,
  decodeLegs: 0,
};

function resultOf(
  requests: Partial<RequestRecord>[],
  workers: Partial<typeof worker>[] = [],
): SimulationResult {
  return {
    requests: requests.map((changes) => ({ ...record, ...changes })),
    workers: workers.map((changes) => ({ ...worker, ...changes })),
  } as SimulationResult;
}

test('times are those of served requests, shares are of all', () => {
  const late = { ttftMs: 40_000, promptTokens: 3_000, reusedBlocks: 0, computedTokens: 3_000 };
  const rough = { ttftMs: 300, tailTbtMs: 200, meanTbtMs: 50 };
  const refused = { refused: 'no_capacity', ttftMs: undefined, computedTokens: 0, movedBytes: 0 };
  const result = resultOf([{}, rough, late, refused]);
  expect(simulationMetrics(result, { ttftMs: 1_000, tbtMs: 100 }, 512)).toMatchObject({
    requests: 4,
    rejected: 1,
    ttftMeanMs: 40_400 / 3,
    ttftP50Ms: 300,
    ttftMaxMs: 40_000,
    within30s: 2 / 4,
    tbtMeanMs: 30,
    tbtP99Ms: 200,
    tokensWithinSlo: 2_000 / 6_000,
    requestsWithinSlo: 1 / 4,
    wastedTokens: 3_000 + 1_000 - 512,
    tokenHitRatio: 1_024 / 5_000,
    blockHitRatio: 2 / 10,
    bytesMoved: 21,
  });
  expect(simulationMetrics(result, {}, 512)).toMatchObject({ requestsWithinSlo: 3 / 4 });
});

test('quantiles are values that occurred', () => {
  const times = Array.from({ length: 100 }, (_, i) => ({ ttftMs: i + 1 }));
  expect(simulationMetrics(resultOf(times), {}, 512)).toMatchObject({
    ttftP50Ms: 50,
    ttftP90Ms: 90,
    ttftP99Ms: 99,
    ttftMaxMs: 100,
  });
});

test('the spread of load is the busiest worker that computes prompts over the mean', () => {
  const workers = [{ busyMs: 100 }, { busyMs: 300, role: 'both' }, { busyMs: 9e9, role: 'decode' }];
  const result = resultOf([{}], workers as Partial<typeof worker>[]);
  expect(simulationMetrics(result, {}, 512).loadSpread).toBe(1.5);
});

test('of nothing, all is 0', () => {
  expect(new Set(Object.values(simulationMetrics(resultOf([]), {}, 512)))).toEqual(new Set([0]));
});
