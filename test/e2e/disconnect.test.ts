/** A client that leaves, at any point of a request, leaves nothing behind after five seconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { complete, randomPrompt, send, type CompletionBody } from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectIdle, MODEL, startFleet, type Fleet } from '../kit/fleet.ts';

let fleet: Fleet;
let nextSeed = 1;

beforeAll(async () => {
  fleet = await startFleet({ prefill: 1, decode: 1 });
});
afterAll(() => fleet?.stop());

const request = (promptTokens: number, extra: object = {}): CompletionBody => ({
  model: MODEL,
  prompt: randomPrompt(nextSeed++, promptTokens),
  max_tokens: 2_000,
  ignore_eos: true,
  stream: true,
  ...extra,
});

/** Sends and leaves after `afterMs`, or as soon as `chunks` pieces of the answer are there. */
async function leave(
  body: CompletionBody,
  { afterMs, chunks }: { afterMs?: number; chunks?: number },
): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const answer = send(fleet.url, '/v1/completions', body, { signal });
  if (afterMs !== undefined) {
    await sleep(afterMs);
  } else {
    const reader = (await answer).body?.getReader();
    for (let i = 0; i < (chunks ?? 1); i++) await reader?.read();
  }
  controller.abort();
  await answer.then((response) => response.body?.cancel()).catch(() => undefined);
}

test.each([0, 2, 5, 10, 20, 50, 150, 400])('a long prompt, left after %d ms', async (afterMs) => {
  await leave(request(4_000), { afterMs });
  await expectIdle(fleet);
});

test.each([1, 2, 3, 10])('left after %d chunks of the answer', async (chunks) => {
  await leave(request(700), { chunks });
  await expectIdle(fleet);
});

test('an aggregated request, left in the middle', async () => {
  await leave(request(50), { chunks: 3 });
  await expectIdle(fleet);
});

test('an answer that is not streamed', async () => {
  await leave(request(700, { stream: false }), { afterMs: 300 });
  await expectIdle(fleet);
});

test('forty clients that leave at forty moments, while others stay', async () => {
  const staying = Array.from({ length: 4 }, () =>
    complete(fleet.url, { ...request(300), max_tokens: 30 }),
  );
  const leaving = Array.from({ length: 40 }, (_, i) =>
    leave(request(200 + 40 * i), { afterMs: 15 * i }),
  );
  await Promise.all(leaving);
  for (const answer of await Promise.all(staying)) expect(answer.completionTokens).toBe(30);
  await expectIdle(fleet);
});

test('afterwards the fleet serves as before', async () => {
  const answer = await complete(fleet.url, { ...request(700), max_tokens: 5 });
  expect(answer.completionTokens).toBe(5);
  expect(answer.headers.get('x-baton-prefill-worker')).toBe('prefill-1');
});
