/** The bytes really move, and each prompt token is counted once: reused, transferred or computed. */
import { complete, eventually, metricsOf, randomPrompt, type Completion } from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectIdle, getJson, MODEL, startFleet, type Fleet } from '../kit/fleet.ts';

const SEGMENT = 64;

let fleet: Fleet;
beforeAll(async () => {
  // Whatever this machine measures, prefill and decode are one worker where they may be: that moves least.
  const parameters = JSON.stringify({ 'kv-centric': { tieShare: 100 } });
  const conductorArgs = ['--policy-parameters', parameters];
  fleet = await startFleet({ prefill: 1, decode: 2, conductorArgs });
});
afterAll(() => fleet?.stop());

interface Counters {
  bytesIn: number;
  bytesOut: number;
  segmentsIn: number;
  tokensReused: number;
  tokensTransferred: number;
  tokensComputed: number;
  handoversReceived: number;
}

/** Counters of one worker's agent. */
async function counters(workerId: string): Promise<Counters> {
  const { workers } = await getJson<{ workers: { workerId: string; counters: Counters }[] }>(
    `${fleet.adminUrl}/workers`,
  );
  const found = workers.find((worker) => worker.workerId === workerId);
  if (found === undefined) throw new Error(`no ${workerId}`);
  return found.counters;
}

async function all(): Promise<Map<string, Counters>> {
  const entries = fleet.workers.map(async ({ id }) => [id, await counters(id)] as const);
  return new Map(await Promise.all(entries));
}

/** What `workerId` counted since `before`, once it adds up to `promptTokens`. */
async function counted(
  workerId: string,
  before: Map<string, Counters>,
  promptTokens: number,
): Promise<Counters> {
  return eventually(async () => {
    const now = await counters(workerId);
    const then = before.get(workerId) as Counters;
    const names = Object.keys(now) as (keyof Counters)[];
    const difference = Object.fromEntries(names.map((n) => [n, now[n] - then[n]]));
    const delta = difference as unknown as Counters;
    expect(delta.tokensReused + delta.tokensTransferred + delta.tokensComputed).toBe(promptTokens);
    return delta;
  });
}

/** Prompt tokens that the engines computed so far, by vLLM's metric. */
async function computedByEngines(): Promise<number> {
  const values = fleet.workers.map(async ({ engine }) => {
    const metrics = await metricsOf(engine.endpoints['http'] ?? '');
    return metrics.get('prompt_tokens_by_source_total{source="local_compute"}') ?? NaN;
  });
  return (await Promise.all(values)).reduce((sum, value) => sum + value, 0);
}

const ask = (prompt: number[], maxTokens = 6): Promise<Completion> =>
  complete(fleet.url, {
    model: MODEL,
    prompt,
    max_tokens: maxTokens,
    ignore_eos: true,
    stream: true,
  });

const legs = (answer: Completion): { prefill: string; decode: string } => ({
  prefill: answer.headers.get('x-baton-prefill-worker') ?? '',
  decode: answer.headers.get('x-baton-decode-worker') ?? '',
});

/** The index hears of new segments a moment after the answer; without that, no second request can be cached. */
async function indexed(workerId: string, segments: number): Promise<void> {
  await eventually(async () => {
    const { workers } = await getJson<{
      workers: { workerId: string; tiers: { tier: string; indexedSegments: number }[] }[];
    }>(`${fleet.adminUrl}/workers`);
    const worker = workers.find((candidate) => candidate.workerId === workerId);
    const hbm = worker?.tiers.find((tier) => tier.tier.toLowerCase() === 'hbm');
    expect(hbm?.indexedSegments).toBeGreaterThanOrEqual(segments);
  });
}

test.each([5 * SEGMENT, 5 * SEGMENT + 1, 700, 2_000])(
  'a new prompt of %d tokens is handed over whole',
  async (promptTokens) => {
    await expectIdle(fleet);
    const before = await all();
    const answer = await ask(randomPrompt(promptTokens, promptTokens));
    const { prefill, decode } = legs(answer);
    expect(prefill).not.toBe(decode);
    expect(answer.cachedTokens).toBe(0);

    const there = await counted(decode, before, promptTokens);
    expect(there).toMatchObject({ tokensReused: 0, tokensComputed: 0, handoversReceived: 1 });
    expect(there.tokensTransferred).toBe(promptTokens);
    expect(there.segmentsIn).toBe(Math.floor(promptTokens / SEGMENT));
    // 256 bytes of KV a token, and what describes it.
    expect(there.bytesIn).toBeGreaterThan(promptTokens * 256);
    const here = await counted(prefill, before, promptTokens);
    expect(here).toMatchObject({ tokensTransferred: 0, tokensComputed: promptTokens });
    expect(here.bytesOut).toBe(there.bytesIn);
    await expectIdle(fleet);
  },
);

test.each([1, SEGMENT / 4, SEGMENT])('a prompt of %d tokens runs on one worker', async (length) => {
  const { prefill, decode } = legs(await ask(randomPrompt(7_000 + length, length)));
  expect(prefill).toBe(decode);
  expect(decode).toMatch(/^decode-/);
});

test('the second request with the same prefix computes less and says so', async () => {
  const prefix = randomPrompt(77, 8 * SEGMENT);
  const first = await ask([...prefix, ...randomPrompt(78, 40)]);
  await indexed(legs(first).decode, 8);
  const computedBefore = await computedByEngines();
  const second = await ask([...prefix, ...randomPrompt(79, 40)]);
  expect(second.cachedTokens).toBe(8 * SEGMENT);
  expect((await computedByEngines()) - computedBefore).toBe(40);
  // Decode had the prefix already, so the whole request ran there.
  expect(legs(second)).toEqual({ prefill: legs(first).decode, decode: legs(first).decode });
});

test('what decode holds is not sent again', async () => {
  const prefix = randomPrompt(87, 8 * SEGMENT);
  await expectIdle(fleet);
  const atFirst = await all();
  const first = await ask([...prefix, ...randomPrompt(88, 10)]);
  await indexed(legs(first).decode, 8);
  // What an agent counts reaches the conductor with its next beat.
  for (const id of new Set(Object.values(legs(first)))) {
    await counted(id, atFirst, 8 * SEGMENT + 10);
  }
  const before = await all();
  const second = await ask([...prefix, ...randomPrompt(89, 5 * SEGMENT)]);
  const { prefill, decode } = legs(second);
  expect(prefill).not.toBe(decode);
  expect(second.cachedTokens).toBe(8 * SEGMENT);
  const there = await counted(decode, before, 13 * SEGMENT);
  if (decode === legs(first).decode) {
    expect(there).toMatchObject({ tokensReused: 8 * SEGMENT, tokensTransferred: 5 * SEGMENT });
  } else {
    expect(there.tokensTransferred).toBe(13 * SEGMENT);
  }
  expect(there.tokensComputed).toBe(0);
});

test('a prompt of one answer token needs no decode worker', async () => {
  const answer = await ask(randomPrompt(97, 400), 1);
  expect(answer.completionTokens).toBe(1);
  expect(answer.finishReason).toBe('length');
  await expectIdle(fleet);
});
