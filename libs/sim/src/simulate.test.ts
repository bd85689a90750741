import { expect, test } from 'vitest';
import { a800 } from './cost/a800.ts';
import { dynamo } from './cost/dynamo.ts';
import type { SimulationOptions } from './fleet/options.ts';
import { simulationMetrics } from './report/simulation-metrics.ts';
import type { SimulationResult } from './report/simulation-result.ts';
import { simulate } from './simulate.ts';
import { poissonRequests } from './testing/poisson-requests.ts';
import { simpleCost } from './testing/simple-cost.ts';
import type { TraceRequest } from './trace/trace-line.ts';
import { workloads } from './workload/workloads.ts';

const base: SimulationOptions = {
  fleet: { prefill: 2, decode: 2 },
  cost: a800(),
  hbmBlocks: 600,
};

/** Prompts and answers of which the smallest cache below has room for some. */
const chat = workloads['multi-turn-chat']({ requests: 500, requestsPerSec: 3, seed: 7 }).filter(
  ({ promptTokens, outputTokens }) => promptTokens + outputTokens < 8_000,
);

/** What holds of every simulation that has ended, whatever happened. */
function expectSound(
  result: SimulationResult,
  requests: readonly TraceRequest[],
  hbmBlocks: number,
): void {
  expect(result.requests.map(({ index }) => index)).toEqual(requests.map((_, i) => i));
  for (const record of result.requests) {
    expect(record.finishedAtMs).toBeGreaterThanOrEqual(record.arrivalMs);
    if (record.refused !== undefined) continue;
    expect(record.computedTokens + record.reusedBlocks * 512).toBe(record.promptTokens);
    expect(record.computedTokens).toBeGreaterThan(0);
    expect(record.ttftMs).toBeGreaterThan(0);
    expect(record.outputTokens).toBe(Math.max(1, requests[record.index]?.outputTokens ?? 0));
  }
  const served = result.requests.filter(({ refused }) => refused === undefined);
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  expect(sum(result.workers.map(({ computedTokens }) => computedTokens))).toBe(
    sum(served.map(({ computedTokens }) => computedTokens)),
  );
  expect(result.transfers.bytes).toBe(sum(result.requests.map(({ movedBytes }) => movedBytes)));
  for (const { peakBlocks } of result.workers) expect(peakBlocks).toBeLessThanOrEqual(hbmBlocks);
  expect(new Set(Object.values(result.leftBehind))).toEqual(new Set([0]));
}

test.each<[string, Partial<SimulationOptions>]>([
  ['prefill and decode apart', {}],
  ['aggregated', { fleet: { aggregated: 4 } }],
  ['all roles together', { fleet: { prefill: 1, decode: 1, aggregated: 2 } }],
  ['small caches with tiers below', { hbmBlocks: 60, dramBlocks: 100, ssdBlocks: 400 }],
  ['small caches, few sequences', { hbmBlocks: 60, maxSequences: 2, core: { maxWaitMs: 1e6 } }],
  ['slow links', { linkBytesPerSec: 1e9 }],
  ['free links, first token from decode', { cost: dynamo, linkBytesPerSec: Infinity }],
  ['no overlap', { overlapHandover: false, cost: dynamo, linkBytesPerSec: 2e9 }],
  ['all messages late', { eventDelayMs: 3_000, dispatchMs: 200 }],
  ['too many requests', { speed: 20, core: { maxWaitMs: 5_000, maxWaiting: 50 } }],
])('whatever happens, the books are right: %s', (_name, options) => {
  const hbmBlocks = options.hbmBlocks ?? base.hbmBlocks;
  const result = simulate({ ...base, ...options }, chat);
  expectSound(result, chat, hbmBlocks);
  if (options.speed === undefined) expect(result.plans.refused).toBe(0);
});

test.each([
  ['quick', 20e9],
  ['slower than computing', 1e8],
])('an SSD that is %s', (_, ssdBytesPerSec) => {
  const meanMs = (ssdBlocks: number): number => {
    const tiers = { hbmBlocks: 60, ssdBlocks, ssdBytesPerSec };
    const result = simulate({ ...base, ...tiers, core: { maxWaitMs: 1e9 } }, chat);
    expectSound(result, chat, 60);
    return simulationMetrics(result, {}, 512).ttftMeanMs;
  };
  const gain = meanMs(0) / meanMs(400);
  if (ssdBytesPerSec > 1e9) expect(gain).toBeGreaterThan(1.2);
  else expect(gain).toBeGreaterThan(0.95);
});

test('equal arguments give equal results, another seed others', () => {
  const run = (seed: number): SimulationResult =>
    simulate({ ...base, lostEvents: 0.3, seed, dramBlocks: 50 }, chat);
  expect(run(1)).toEqual(run(1));
  expect(run(1)).not.toEqual(run(2));
});

test('lost events are noticed, and what workers hold becomes known again', () => {
  const heal = (lostEvents: number): SimulationResult => simulate({ ...base, lostEvents }, chat);
  const whole = heal(0);
  expect(whole.resyncs).toBe(0);
  const half = heal(0.5);
  expectSound(half, chat, base.hbmBlocks);
  expect(half.resyncs).toBeGreaterThan(10);
  const hits = (result: SimulationResult): number =>
    simulationMetrics(result, {}, 512).tokenHitRatio;
  expect(hits(half)).toBeGreaterThan(hits(whole) * 0.8);
});

test('a request that cannot be served is refused with its reason, and an answer ends where the KV does', () => {
  const requests = [
    {
      atMs: 0,
      promptTokens: 512 * 30,
      outputTokens: 5,
      blocks: Array.from({ length: 30 }, (_, i) => i),
    },
    {
      atMs: 0,
      promptTokens: 512 * 20 - 10,
      outputTokens: 500,
      blocks: Array.from({ length: 20 }, (_, i) => i),
    },
  ];
  const { requests: records } = simulate({ ...base, hbmBlocks: 20 }, requests);
  expect(records[0]).toMatchObject({ refused: 'context_length_exceeded', ttftMs: undefined });
  expect(records[1]).toMatchObject({ refused: undefined, outputTokens: 10 });
});

test('an engine that never ends its step is an error that names who waits for it', () => {
  const cost = { ...a800(), decodeStepMs: () => Infinity };
  expect(() => simulate({ ...base, cost }, chat.slice(0, 2))).toThrow(/but r0, r1 are not settled/);
});

test('a fleet that would not come to an end is an error that names who waits', () => {
  const fleet = { prefill: 1, decode: 1 };
  const core = { policy: 'round-robin', planLeaseMs: 60_000, maxWaitMs: 1e12 };
  const options = { ...base, fleet, core, linkBytesPerSec: 1e-6 };
  expect(() => simulate(options, chat.slice(0, 1))).toThrow(
    '24 hours of virtual time have passed, but r0 are not settled: engines, links or the fleet are too slow',
  );
});

test('each pair of workers may have its own link', () => {
  const run = (slowBytesPerSec: number): number => {
    const core = { policy: 'round-robin', queue: 'immediate' as const };
    const linkBytesPerSec = (_source: string, destination: string): number =>
      destination === 'd2' ? slowBytesPerSec : 100e9;
    const result = simulate({ ...base, core, linkBytesPerSec }, chat);
    expectSound(result, chat, base.hbmBlocks);
    return simulationMetrics(result, {}, 512).tbtP99Ms;
  };
  // Between the first token, from prefill, and the second lies the handover.
  expect(run(1e9)).toBeGreaterThan(2 * run(100e9));
});

test('turns of a conversation are told as one session', () => {
  const core = { policy: 'session', queue: 'immediate' as const };
  const { requests } = simulate({ ...base, core }, chat);
  const workersOf = new Map<string | undefined, Set<string | undefined>>();
  for (const { index, prefillWorker } of requests) {
    const { sessionId } = chat[index] ?? {};
    const workers = workersOf.get(sessionId) ?? new Set();
    workersOf.set(sessionId, workers.add(prefillWorker));
  }
  expect(workersOf.size).toBeGreaterThan(20);
  expect([...workersOf.values()].filter(({ size }) => size > 1)).toEqual([]);
});

test('progress is told', () => {
  const seen: number[] = [];
  simulate({ ...base, onProgress: (done, all) => seen.push(done / all) }, chat.slice(0, 4));
  expect(seen).toEqual([0.25, 0.5, 0.75, 1]);
});

test('what the engine makes wait waits as long as in a queue with one server', () => {
  const serviceMs = 100;
  const arrivals = poissonRequests(2_000, 0.8, serviceMs, 11);
  const options: SimulationOptions = {
    ...base,
    fleet: { prefill: 1, decode: 1 },
    cost: { ...simpleCost, prefillStepMs: () => serviceMs },
    core: { queue: 'immediate' },
  };
  const { requests } = simulate(options, arrivals);
  let freeAtMs = 0;
  for (const [i, { atMs }] of arrivals.entries()) {
    freeAtMs = Math.max(freeAtMs, atMs + 10) + serviceMs;
    expect(requests[i]?.ttftMs).toBeCloseTo(freeAtMs - atMs, 6);
  }
});
