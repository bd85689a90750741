/** A worker that both computes and decodes pulls a prefix from another one, instead of computing it again. */
import type { PlanRecord } from '@baton/core';
import {
  complete,
  eventually,
  post,
  randomPrompt,
  send,
  type CompletionBody,
} from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectIdle, getJson, MODEL, startFleet, type Fleet } from '../kit/fleet.ts';
import { planOf } from '../kit/plans.ts';

const SEGMENT = 64;
const PREFIX_SEGMENTS = 20;
const PREFIX_TOKENS = PREFIX_SEGMENTS * SEGMENT;

let fleet: Fleet;
beforeAll(async () => {
  // Whatever this machine measures: what is handed over comes late, what is pulled does not.
  const costs = { handoverLatencyMs: 1e6, pullLatencyMs: 0 };
  fleet = await startFleet({
    ...{ prefill: 0, decode: 0, both: 2, reproducible: true },
    engineArgs: ['--max-sequences', '1'],
    conductorArgs: ['--policy-parameters', JSON.stringify({ 'kv-centric': costs })],
  });
});
afterAll(() => fleet?.stop());

interface Counters {
  bytesIn: number;
  bytesOut: number;
  segmentsIn: number;
  tokensReused: number;
  tokensTransferred: number;
  tokensComputed: number;
}

interface WorkerView {
  workerId: string;
  counters: Counters;
  tiers: { tier: string; indexedSegments: number }[];
}

async function workerOf(id: string): Promise<WorkerView> {
  const { workers } = await getJson<{ workers: WorkerView[] }>(`${fleet.adminUrl}/workers`);
  const found = workers.find(({ workerId }) => workerId === id);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
}

const hbmSegments = ({ tiers }: WorkerView): number =>
  tiers.find(({ tier }) => tier.toLowerCase() === 'hbm')?.indexedSegments ?? 0;

const request = (prompt: number[], maxTokens: number): CompletionBody => ({
  ...{ model: MODEL, prompt, max_tokens: maxTokens, temperature: 0, ignore_eos: true },
  return_token_ids: true,
});

test.each([
  ['decodes', 100, 6_000],
  ['computes a long prompt', 6_001, 500],
])('from a worker that %s', async (_, ownTokens, maxTokens) => {
  const prefix = randomPrompt(ownTokens, PREFIX_TOKENS);
  const atFirst = await Promise.all(fleet.workers.map(({ id }) => workerOf(id)));

  // Whoever takes this one runs one sequence at a time, and it takes long.
  const leaving = new AbortController();
  const long = request([...prefix, ...randomPrompt(2, ownTokens)], maxTokens);
  const { signal } = leaving;
  const answering = send(fleet.url, '/v1/completions', { ...long, stream: true }, { signal });
  answering.catch(() => undefined);
  const occupying = (): Promise<PlanRecord> => planOf(fleet, PREFIX_TOKENS + ownTokens);
  const { choice } = await occupying();
  const holder = choice?.decode.workerId ?? '';
  expect(choice?.prefill.workerId).toBe(holder);
  const other = fleet.workers.find(({ id }) => id !== holder)?.id ?? '';
  const before = (id: string): WorkerView =>
    atFirst.find(({ workerId }) => workerId === id) as WorkerView;
  await eventually(async () => {
    const segments = hbmSegments(await workerOf(holder)) - hbmSegments(before(holder));
    expect(segments).toBeGreaterThanOrEqual(PREFIX_SEGMENTS);
  });

  const prompt = [...prefix, ...randomPrompt(3, 70)];
  const answer = await post(fleet.url, '/v1/completions', request(prompt, 12));
  expect(answer.status).toBe(200);
  const plan = await planOf(fleet, prompt.length);
  expect((await occupying()).endedAtMs).toBeUndefined();
  leaving.abort();

  const pulls = [{ sourceWorker: holder, firstSegment: 0, segments: PREFIX_SEGMENTS }];
  expect(plan).toMatchObject({
    mode: 'aggregated',
    choice: { prefill: { workerId: other, prefillTokens: 70 }, pulls },
    explanation: { matchedTokens: PREFIX_TOKENS },
  });
  expect(plan.explanation?.candidates[0]).toMatchObject({
    ...{ outcome: 'chosen', prefillWorker: other, decodeWorker: other, pulls },
  });
  expect(plan.explanation?.ineligible).toContainEqual({
    ...{ workerId: holder, reason: 'all sequences taken' },
  });
  const { usage } = answer.body;
  expect(usage?.prompt_tokens).toBe(prompt.length);
  expect(usage?.prompt_tokens_details?.cached_tokens).toBe(PREFIX_TOKENS);

  await expectIdle(fleet);
  const { transfers, computedTokens } = await planOf(fleet, prompt.length);
  expect(computedTokens).toBe(70);
  expect(transfers).toHaveLength(1);
  expect(transfers[0]).toMatchObject({
    ...{ reason: 'prefix', sourceWorker: holder, destinationWorker: other, status: 'done' },
    ...{ orderedSegments: PREFIX_SEGMENTS, segments: PREFIX_SEGMENTS, backend: 'tcp' },
  });
  const after = { from: await workerOf(holder), to: await workerOf(other) };
  const counted = (of: 'from' | 'to', name: keyof Counters): number =>
    after[of].counters[name] - before(after[of].workerId).counters[name];
  expect(counted('to', 'tokensReused')).toBe(0);
  expect(counted('to', 'tokensTransferred')).toBe(PREFIX_TOKENS);
  expect(counted('to', 'tokensComputed')).toBe(70);
  expect(counted('to', 'segmentsIn')).toBe(PREFIX_SEGMENTS);
  expect(counted('to', 'bytesIn')).toBe(transfers[0]?.bytes);
  expect(counted('from', 'bytesOut')).toBe(transfers[0]?.bytes);
  expect(counted('from', 'bytesIn')).toBe(0);

  const alone = { ...request(prompt, 12), cache_salt: 'alone' };
  const expected = await complete(fleet.worker(other).engine.endpoints['http'] ?? '', alone);
  expect(answer.body.choices[0]?.token_ids).toEqual(expected.tokenIds);
  expect(answer.body.choices[0]?.text).toBe(expected.text);
  await expectIdle(fleet);
});
