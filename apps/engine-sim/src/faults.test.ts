import { eventually, metricsOf, post, readStream, send, stream } from '@baton/test-kit';
import { expect, test } from 'vitest';
import type { Fault } from './faults/fault.ts';
import { ask, COMPLETIONS, MODEL, prefill, tokensIn } from './testing/asking.ts';
import { publishedBatches } from './testing/replayed-batches.ts';
import { startedEngine, startedPair, tokensOf } from './testing/started-fleet.ts';

const body = { model: MODEL, prompt: tokensOf(1, 40), max_tokens: 6 };

test.each([
  [429, 7],
  [503, undefined],
  [500, undefined],
])('%i, as often as it was told, and then no more', async (status, retryAfterSec) => {
  const engine = await startedEngine();
  engine.arm({ kind: 'status', status, retryAfterSec }, 2);
  for (let i = 0; i < 2; i += 1) {
    const answer = await ask(engine, body);
    expect([answer.status, answer.body.error?.code]).toEqual([status, status]);
    expect(answer.headers.get('retry-after')).toBe(retryAfterSec?.toString() ?? null);
  }
  expect((await ask(engine, body)).status).toBe(200);
});

test('a connection that is reset', async () => {
  const engine = await startedEngine();
  engine.arm({ kind: 'reset' });
  await expect(ask(engine, body)).rejects.toThrow('fetch failed');
  await eventually(() => engine.inUse.openRequests === 0);
});

test.each<Fault>([{ kind: 'hang' }, { kind: 'stall', afterTokens: 2 }])(
  '$kind: nothing comes until the client has enough',
  async (fault) => {
    const engine = await startedEngine();
    engine.arm(fault);
    const abort = new AbortController();
    const { signal } = abort;
    let tokens = 0;
    const reading = (async () => {
      const response = await send(engine.url, COMPLETIONS, { ...body, stream: true }, { signal });
      await readStream(response, () => (tokens += 1));
    })();
    await eventually(() => engine.inUse.openRequests === 1 && engine.faults.armed.length === 0);
    const wanted = fault.kind === 'stall' ? 2 : 0;
    await eventually(() => expect(tokens).toBe(wanted));
    abort.abort();
    await expect(reading).rejects.toThrow();
    await eventually(() => expect(engine.inUse).toMatchObject({ openRequests: 0, usedBlocks: 0 }));
  },
);

test.each([0, 1, 4])('a stream is cut after %i tokens', async (afterTokens) => {
  const engine = await startedEngine();
  engine.arm({ kind: 'cut', afterTokens });
  let tokens = 0;
  const response = await send(engine.url, COMPLETIONS, { ...body, stream: true });
  await expect(readStream(response, () => (tokens += 1))).rejects.toThrow();
  expect(tokens).toBe(afterTokens);
  await eventually(() => expect(engine.inUse.usedBlocks).toBe(0));
});

test('an event that is no JSON', async () => {
  const engine = await startedEngine();
  engine.arm({ kind: 'malformed_sse', afterTokens: 2 });
  await expect(stream(engine.url, COMPLETIONS, body)).rejects.toThrow(SyntaxError);
});

test('an event with an error', async () => {
  const engine = await startedEngine();
  engine.arm({ kind: 'error_event', afterTokens: 2 });
  const { chunks, error } = await stream(engine.url, COMPLETIONS, body);
  expect(chunks).toHaveLength(3);
  expect(error).toMatchObject({ code: 500, type: 'InternalServerError' });
});

test('a late answer is late by engine time', async () => {
  const engine = await startedEngine();
  engine.arm({ kind: 'delay', delayMs: 200_000 });
  const startMs = performance.now();
  expect((await ask(engine, body)).status).toBe(200);
  expect(performance.now() - startMs).toBeGreaterThan(190);
});

test('a fault for one leg leaves the others alone', async () => {
  const { p, d } = await startedPair();
  for (const engine of [p, d]) engine.arm({ kind: 'status', status: 503, on: 'decode' });
  const kv_transfer_params = await prefill(p, body);
  expect((await ask(p, body)).status).toBe(200);
  expect((await ask(d, { ...body, kv_transfer_params })).status).toBe(503);
  expect(p.faults.armed).toHaveLength(1);
});

test('a transfer that fails: 500, and the next handover works', async () => {
  const { fleet, p, d } = await startedPair({ nixl: { leaseMs: 300 } });
  d.arm({ kind: 'transfer_failure' });
  const one = await prefill(p, body, 'one');
  const lost = await ask(d, { ...body, kv_transfer_params: one }, 'one');
  expect(lost.status).toBe(500);
  expect(p.inUse.heldPrompts).toBe(1);
  const two = await prefill(p, body, 'two');
  const decoded = await ask(d, { ...body, kv_transfer_params: two }, 'two');
  expect(tokensIn(decoded)).toEqual(tokensIn(await ask(p, body)));
  await eventually(() => expect(fleet.leaks()).toEqual([]));
  expect(fleet.violations.kinds).toEqual(['lease_expired']);
  const metrics = await (await fetch(`${d.url}/metrics`)).text();
  expect(metrics).toMatch(/nixl_num_failed_transfers_total\{.*\} 1\.0/);
});

test('a prefill that says nothing of its KV keeps nothing', async () => {
  const { fleet, p } = await startedPair();
  p.arm({ kind: 'no_parameters' });
  await expect(prefill(p, body)).rejects.toThrow('no parameters');
  expect(fleet.leaks()).toEqual([]);
});

test('a process that hangs answers nothing, and goes on as if nothing had been', async () => {
  const engine = await startedEngine();
  engine.freeze();
  const health = () => fetch(`${engine.url}/health`, { signal: AbortSignal.timeout(50) });
  await expect(health()).rejects.toThrow();
  const waiting = ask(engine, body);
  engine.thaw();
  expect((await waiting).status).toBe(200);
  expect((await fetch(`${engine.url}/health`)).status).toBe(200);
});

test('a freeze in the middle of a stream: it goes on later with the same tokens', async () => {
  const engine = await startedEngine({ speedUp: 10 });
  const whole = await ask(engine, { ...body, max_tokens: 40 });
  const response = await send(engine.url, COMPLETIONS, { ...body, max_tokens: 40, stream: true });
  let tokens = 0;
  const reading = readStream(response, () => {
    tokens += 1;
    if (tokens === 5) engine.freeze();
  });
  await eventually(() => tokens >= 5);
  engine.thaw();
  expect((await reading).text).toBe(whole.body.choices[0]?.text);
});

test('an engine that died answers with 500 until it is restarted', async () => {
  const engine = await startedEngine({ speedUp: 10 });
  const running = ask(engine, { ...body, max_tokens: 900 });
  await eventually(() => engine.inUse.usedBlocks > 0);
  engine.die();
  expect((await running).status).toBe(500);
  expect((await fetch(`${engine.url}/health`)).status).toBe(503);
  expect(engine.inUse.usedBlocks).toBe(0);
  await engine.restart();
  expect((await ask(engine, body)).status).toBe(200);
});

test('with a prefill engine that died goes what it kept: decode fails, and nothing is left', async () => {
  const { fleet, p, d } = await startedPair();
  const kv_transfer_params = await prefill(p, body);
  p.die();
  expect((await ask(d, { ...body, kv_transfer_params })).status).toBe(500);
  expect(fleet.leaks()).toEqual([]);
  expect(fleet.violations.list).toEqual([]);
});

test('a restart: connections break, the cache is empty, events count from 0, addresses stay', async () => {
  const { fleet, p, d } = await startedPair({ speedUp: 10 });
  const alone = await ask(p, body);
  const { url, eventsEndpoint, replayEndpoint } = p;
  const kv_transfer_params = await prefill(p, body);
  const running = ask(p, { ...body, max_tokens: 900 });
  const broken = expect(running).rejects.toThrow();
  await eventually(() => p.inUse.runs === 1);
  const startOf = async () => (await metricsOf(p.url)).get('process_start_time_seconds') ?? 0;
  const startedSec = await startOf();
  await p.restart();
  await broken;
  expect(await startOf()).toBeGreaterThan(startedSec);
  expect([p.url, p.eventsEndpoint, p.replayEndpoint]).toEqual([
    url,
    eventsEndpoint,
    replayEndpoint,
  ]);
  expect(await publishedBatches(p.replayEndpoint)).toHaveLength(0);
  const again = await ask(p, body);
  expect(again.body.usage?.prompt_tokens_details).toEqual({ cached_tokens: 0 });
  expect(tokensIn(again)).toEqual(tokensIn(alone));
  // What the earlier life had kept is gone, which is nobody's fault.
  const late = await ask(d, { ...body, kv_transfer_params });
  expect(late.status).toBe(500);
  expect(fleet.violations.list).toEqual([]);
  expect(fleet.leaks()).toEqual([]);
});

test('a slow start: until it is up, nobody is there', async () => {
  const engine = await startedEngine();
  const restarting = engine.restart(150);
  await eventually(async () => {
    await expect(fetch(`${engine.url}/health`)).rejects.toThrow();
  });
  await restarting;
  expect((await fetch(`${engine.url}/health`)).status).toBe(200);
});

test('all of it over HTTP', async () => {
  const { url, inUse } = await startedEngine();
  const armed = await post(url, '/sim/faults', { kind: 'status', status: 429, times: 2 });
  expect(armed.body).toEqual({ armed: Array(2).fill({ kind: 'status', status: 429 }) });
  expect((await post(url, COMPLETIONS, body)).status).toBe(429);
  expect(await (await fetch(`${url}/sim/faults`)).json()).toMatchObject({ armed: [{}] });
  await fetch(`${url}/sim/faults`, { method: 'DELETE' });
  expect((await post(url, COMPLETIONS, body)).status).toBe(200);
  await post(url, '/sim/faults', { kind: 'freeze' });
  await expect(fetch(`${url}/health`, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
  await post(url, '/sim/faults', { kind: 'thaw' });
  expect((await fetch(`${url}/health`)).status).toBe(200);
  await post(url, '/sim/faults', { kind: 'die' });
  expect((await fetch(`${url}/health`)).status).toBe(503);
  await post(url, '/sim/faults', { kind: 'restart' });
  await eventually(async () => (await fetch(`${url}/health`)).status === 200);
  expect(inUse.runs).toBe(0);
  expect((await post(url, '/sim/faults', { kind: 'status', status: 200 })).status).toBe(400);
});
