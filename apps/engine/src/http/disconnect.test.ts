import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, metricsOf, post, postStream } from '@baton/test-kit';
import { startTestEngine, tinyModelFolder } from '../testing/test-engine.ts';
import type { TestEngine } from '../testing/test-engine.ts';

let folder: ReturnType<typeof tinyModelFolder>;
let engine: TestEngine;

beforeEach(async () => {
  folder = tinyModelFolder();
  engine = await startTestEngine({ model: folder.file, maxSequences: 2 });
});
afterEach(async () => {
  await engine.stop();
  folder.remove();
});

const COMPLETION = '/v1/completions';
const long = (seed: number, tokens = 4_000): object => ({
  model: 'tiny',
  prompt: Array.from({ length: tokens }, (_, i) => 261 + ((i * seed + (i >> 6)) % 90)),
  temperature: 0,
  max_tokens: 3_000,
  ignore_eos: true,
});

async function idle(): Promise<void> {
  await eventually(async () => {
    const metrics = await metricsOf(engine.url);
    return metrics.get('num_requests_running') === 0 && metrics.get('num_requests_waiting') === 0;
  });
  expect((await metricsOf(engine.url)).get('kv_cache_usage_perc')).toBe(0);
}

const aborted = async (): Promise<number | undefined> =>
  (await metricsOf(engine.url)).get('request_success_total{finished_reason="abort"}');

test('a client that goes away during prefill, waiting or decode leaves nothing', async () => {
  const clients = [1, 2, 3, 4, 5].map((seed) => {
    const gone = new AbortController();
    const { signal } = gone;
    return { gone, done: post(engine.url, COMPLETION, long(seed), { signal }).catch(() => 'gone') };
  });
  await eventually(async () => {
    const metrics = await metricsOf(engine.url);
    const running = metrics.get('num_requests_running') ?? 0;
    return running + (metrics.get('num_requests_waiting') ?? 0) === 5;
  });
  for (const { gone } of clients) gone.abort();
  expect(await Promise.all(clients.map(({ done }) => done))).toEqual(clients.map(() => 'gone'));
  await idle();
  expect(await aborted()).toBe(5);
});

test('a client that goes away in the middle of a stream ends its sequence', async () => {
  const gone = new AbortController();
  const stream = postStream(engine.url, COMPLETION, long(3, 20), { signal: gone.signal });
  await stream.next();
  await stream.next();
  gone.abort();
  await expect(
    (async () => {
      for await (const event of stream) void event;
    })(),
  ).rejects.toThrow();
  await idle();
  expect(await aborted()).toBe(1);
});

test('a client that goes away with half its body sent leaves nothing', async () => {
  const half = request(engine.url + COMPLETION, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 1_000 },
  });
  half.on('error', () => undefined);
  half.write('{"model":"tiny"');
  await new Promise((resolve) => half.once('socket', (socket) => socket.once('connect', resolve)));
  half.destroy();
  await idle();
  expect((await metricsOf(engine.url)).get('request_prompt_tokens_count')).toBe(0);
});

test('health answers while a prompt is computed', async () => {
  const gone = new AbortController();
  const running = post(engine.url, COMPLETION, long(7, 8_000 - 3_000), { signal: gone.signal });
  const outcome = running.then(
    () => 'answered',
    () => 'gone',
  );
  await eventually(async () => (await metricsOf(engine.url)).get('num_requests_running') === 1);
  let checks = 0;
  for (; checks < 5; checks += 1) expect((await fetch(`${engine.url}/health`)).status).toBe(200);
  // Still in its prompt: no token has come.
  expect((await metricsOf(engine.url)).get('generation_tokens_total')).toBe(0);
  gone.abort();
  expect(await outcome).toBe('gone');
  await idle();
});

test('a dead inference thread: running requests fail, health says 503, new ones are refused', async () => {
  const running = post(engine.url, COMPLETION, long(5));
  await eventually(async () => (await metricsOf(engine.url)).get('num_requests_running') === 1);
  engine.breakThread();
  const failed = await running;
  expect([failed.status, failed.body.error?.code]).toEqual([502, 'engine_failed']);
  const health = await fetch(`${engine.url}/health`);
  expect(health.status).toBe(503);
  expect(await health.json()).toMatchObject({ error: { message: 'broken by the test' } });
  const refused = await post(engine.url, COMPLETION, { model: 'tiny', prompt: 'a' });
  expect([refused.status, refused.body.error?.code]).toEqual([502, 'engine_failed']);
  expect(engine.fatal).toEqual(['broken by the test']);
});

test('an error after the first chunk is an event of the stream', async () => {
  const events: string[] = [];
  for await (const event of postStream(engine.url, COMPLETION, long(9, 10))) {
    events.push(event);
    if (events.length === 3) engine.breakThread();
  }
  expect(events.at(-1)).toBe('[DONE]');
  expect(JSON.parse(events.at(-2) ?? '')).toMatchObject({ error: { code: 'engine_failed' } });
});
