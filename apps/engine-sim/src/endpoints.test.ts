import { eventually, metricsOf, post, readStream, send, stream } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { VirtualClock } from './engine/clock.ts';
import { ask, CHAT, COMPLETIONS, MODEL, tokensIn } from './testing/asking.ts';
import { publishedBatches } from './testing/replayed-batches.ts';
import { startedEngine, tokensOf } from './testing/started-fleet.ts';

const prompt = tokensOf(1, 100);

test('/health and /ping say nothing but that it is there', async () => {
  const { url } = await startedEngine();
  for (const [method, path] of [
    ['GET', '/health'],
    ['GET', '/ping'],
    ['POST', '/ping'],
  ] as const) {
    const answer = await fetch(url + path, { method });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  }
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
});

test('a text goes into tokens and back', async () => {
  const { url } = await startedEngine();
  const text = 'Grüße, 世界 🙂';
  const into = await post(url, '/tokenize', { model: MODEL, prompt: text });
  const { tokens, count } = into.body as unknown as { tokens: number[]; count: number };
  expect(tokens).toHaveLength(count);
  const back = await post(url, '/detokenize', { model: MODEL, tokens });
  expect(back.body).toEqual({ prompt: text });
  expect((await post(url, '/tokenize', { model: MODEL })).status).toBe(400);
  expect((await post(url, '/detokenize', { tokens: ['a'] })).status).toBe(400);
});

test('a prompt as a text, as its tokens, and as a chat that renders to them: one answer', async () => {
  const engine = await startedEngine();
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  ];
  const into = await post(engine.url, '/tokenize', { model: MODEL, messages });
  const { tokens } = into.body as unknown as { tokens: number[] };
  const chat = await ask(engine, { messages, max_tokens: 8 }, 'a', CHAT);
  const ids = await ask(engine, { prompt: tokens, max_tokens: 8 });
  expect(chat.body.prompt_token_ids).toEqual(tokens);
  expect(tokensIn(ids)).toEqual(tokensIn(chat));
  const text = await ask(engine, { prompt: 'Hi', max_tokens: 8 });
  expect(tokensIn(await ask(engine, { prompt: [72, 105], max_tokens: 8 }))).toEqual(tokensIn(text));
});

test('a stream is the whole answer in pieces, with usage when it is asked for', async () => {
  const engine = await startedEngine();
  const body = { model: MODEL, prompt, max_tokens: 12, return_token_ids: true };
  const whole = await ask(engine, { prompt, max_tokens: 12 });
  const plain = await stream(engine.url, COMPLETIONS, body);
  expect(plain.text).toBe(whole.body.choices[0]?.text);
  expect(plain.chunks).toHaveLength(12);
  expect(plain.chunks.flatMap((chunk) => chunk.choices[0]?.token_ids)).toEqual(tokensIn(whole));
  expect(plain.chunks.at(-1)?.choices[0]?.finish_reason).toBe('length');
  const told = await stream(engine.url, COMPLETIONS, {
    ...body,
    stream_options: { include_usage: true, continuous_usage_stats: true },
  });
  const counts = told.chunks.map(({ usage }) => usage?.completion_tokens);
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12]);
  expect(told.chunks.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 100, total_tokens: 112, prompt_tokens_details: { cached_tokens: 96 } },
  });
});

test('how an answer ends: by a stop string, a stop token, the model, a limit, the window', async () => {
  const engine = await startedEngine({ meanAnswerTokens: 10, maxModelTokens: 120 });
  const free = { prompt, ignore_eos: true };
  const long = await ask(engine, { ...free, max_tokens: 20 });
  const text = long.body.choices[0]?.text ?? '';
  const stop = text.slice(5, 8);
  const cut = await ask(engine, { ...free, max_tokens: 20, stop });
  expect(cut.body.choices[0]).toMatchObject({
    text: text.slice(0, 5),
    finish_reason: 'stop',
    stop_reason: stop,
  });
  const streamed = await stream(engine.url, COMPLETIONS, {
    model: MODEL,
    ...free,
    max_tokens: 20,
    stop,
  });
  expect(streamed.text).toBe(text.slice(0, 5));
  const token = tokensIn(long)[3];
  const byToken = await ask(engine, {
    prompt,
    max_tokens: 20,
    stop_token_ids: [token],
    min_tokens: 1,
  });
  expect(byToken.body.choices[0]?.finish_reason).toBe('stop');
  const ends = await Promise.all(
    Array.from({ length: 8 }, (_, i) => ask(engine, { prompt: tokensOf(i, 20), max_tokens: 90 })),
  );
  expect(ends.map(({ body }) => body.choices[0]?.finish_reason)).toContain('stop');
  const least = await ask(engine, { prompt: tokensOf(0, 20), max_tokens: 90, min_tokens: 80 });
  expect(tokensIn(least).length).toBeGreaterThanOrEqual(80);
  const chat = { messages: [{ role: 'user', content: 'Hi' }], ignore_eos: true };
  const full = await ask(engine, chat, 'a', CHAT);
  expect(full.body.usage?.total_tokens).toBe(120);
  expect((await ask(engine, { ...free, max_tokens: 21 })).status).toBe(400);
  expect(tokensIn(await ask(engine, { prompt: [1], ignore_eos: true }))).toHaveLength(16);
});

test('one prefix, with and without salts and adapters: only what may be shared is', async () => {
  const engine = await startedEngine();
  const cachedOf = async (more: object) => {
    const { body } = await ask(engine, { prompt, max_tokens: 4, ...more });
    return body.usage?.prompt_tokens_details?.cached_tokens;
  };
  const lora = { lora_name: 'lora-a', lora_path: 'adapters/a' };
  expect((await send(engine.url, '/v1/load_lora_adapter', lora)).status).toBe(200);
  expect(await cachedOf({})).toBe(0);
  expect(await cachedOf({})).toBe(96);
  expect(await cachedOf({ cache_salt: 'tenant-a' })).toBe(0);
  expect(await cachedOf({ cache_salt: 'tenant-a' })).toBe(96);
  expect(await cachedOf({ cache_salt: 'tenant-b' })).toBe(0);
  expect(await cachedOf({ model: 'lora-a' })).toBe(0);
  expect(await cachedOf({ model: 'lora-a' })).toBe(96);
  expect((await post(engine.url, '/reset_prefix_cache', {})).body).toEqual({ success: true });
  expect(await cachedOf({})).toBe(0);
});

test('adapters come and go', async () => {
  const engine = await startedEngine();
  const { url } = engine;
  const lora = { lora_name: 'lora-a', lora_path: 'adapters/a' };
  expect((await send(url, '/v1/load_lora_adapter', lora)).status).toBe(200);
  expect((await send(url, '/v1/load_lora_adapter', lora)).status).toBe(400);
  const models = await (await fetch(`${url}/v1/models`)).json();
  expect(models).toMatchObject({
    data: [
      { id: MODEL, parent: null, max_model_len: 1_024 },
      { id: 'lora-a', parent: MODEL, root: 'adapters/a' },
    ],
  });
  const plain = await ask(engine, { prompt, max_tokens: 8 });
  const adapted = await ask(engine, { prompt, max_tokens: 8, model: 'lora-a' });
  expect(adapted.body.model).toBe('lora-a');
  expect(tokensIn(adapted)).not.toEqual(tokensIn(plain));
  expect((await send(url, '/v1/unload_lora_adapter', lora)).status).toBe(200);
  expect((await send(url, '/v1/unload_lora_adapter', lora)).status).toBe(404);
  expect((await ask(engine, { prompt, model: 'lora-a' })).status).toBe(404);
});

test.each<[string, object, string]>([
  ['no prompt', { prompt: undefined }, 'prompt: is required'],
  ['an empty one', { prompt: '' }, 'prompt: must have'],
  ['several', { prompt: ['a', 'b'] }, 'one prompt at a time'],
  ['a token that there is not', { prompt: [40_000] }, 'out of vocabulary'],
  ['several answers', { prompt: 'a', n: 2 }, 'n: a stand-in'],
  ['log probabilities', { prompt: 'a', logprobs: 1 }, 'logprobs: a stand-in'],
  ['another type', { prompt: 'a', max_tokens: 'x' }, 'max_tokens: expected'],
])('what is refused: %s', async (_, body, message) => {
  const engine = await startedEngine();
  const answer = await ask(engine, body);
  expect([answer.status, answer.body.error]).toEqual([
    400,
    expect.objectContaining({
      message: expect.stringContaining(message),
      type: 'BadRequestError',
      code: 400,
    }),
  ]);
  expect(engine.inUse).toEqual({ openRequests: 0, runs: 0, usedBlocks: 0, heldPrompts: 0 });
});

test('text parts only, and JSON only', async () => {
  const { url } = await startedEngine();
  const image = { type: 'image_url', image_url: { url: 'x' } };
  const messages = [{ role: 'user', content: [image] }];
  expect((await post(url, CHAT, { model: MODEL, messages })).status).toBe(400);
  expect((await post(url, COMPLETIONS, '{')).status).toBe(400);
});

test('a client that leaves ends its request; /abort_requests ends those of others', async () => {
  const engine = await startedEngine({ speedUp: 1 });
  const abort = new AbortController();
  const body = { model: MODEL, prompt, max_tokens: 900, stream: true };
  const response = await send(engine.url, COMPLETIONS, body, { signal: abort.signal });
  await eventually(() => engine.inUse.runs === 1);
  abort.abort();
  await expect(readStream(response)).rejects.toThrow();
  await eventually(() => expect(engine.inUse.usedBlocks).toBe(0));
  const others = ['a', 'b'].map((id) => ask(engine, { prompt, max_tokens: 900 }, id));
  await eventually(() => engine.inUse.runs === 2);
  await post(engine.url, '/abort_requests', { request_ids: ['cmpl-a'] });
  const first = await others[0];
  expect(first?.body.choices[0]?.finish_reason).toBe('abort');
  expect(engine.inUse.runs).toBe(1);
  await post(engine.url, '/abort_requests', {});
  expect((await others[1])?.body.choices[0]?.finish_reason).toBe('abort');
  await eventually(() => engine.inUse.openRequests === 0);
  const metrics = await metricsOf(engine.url);
  expect(metrics.get('request_success_total{finished_reason="abort"}')).toBe(3);
});

test('the cache is not emptied under a running request', async () => {
  const engine = await startedEngine({ speedUp: 1 });
  const running = ask(engine, { prompt, max_tokens: 900 });
  await eventually(() => engine.inUse.usedBlocks > 0);
  expect((await post(engine.url, '/reset_prefix_cache', {})).body).toEqual({ success: false });
  await post(engine.url, '/abort_requests', {});
  await running;
  expect((await post(engine.url, '/reset_prefix_cache', {})).body).toEqual({ success: true });
});

test('with a virtual clock an answer comes when the test lets its time go by', async () => {
  const clock = new VirtualClock(1_700_000_000_000);
  const engine = await startedEngine({ clock });
  let isOver = false;
  const answering = ask(engine, { prompt, max_tokens: 3 }).finally(() => (isOver = true));
  await eventually(() => engine.inUse.runs === 1);
  // 30 ms for the prompt and 10.1 for each of two more tokens.
  clock.advance(50.1);
  expect([engine.inUse.runs, isOver]).toEqual([1, false]);
  clock.advance(0.2);
  const { body } = await answering;
  expect([body.created, body.usage?.completion_tokens]).toEqual([1_700_000_000, 3]);
});

test('metrics count what was done', async () => {
  const engine = await startedEngine();
  await ask(engine, { prompt, max_tokens: 8 });
  await ask(engine, { prompt, max_tokens: 4 });
  const metrics = await metricsOf(engine.url);
  const of = (name: string) => metrics.get(name);
  expect(of('prompt_tokens_total')).toBe(200);
  expect(of('prompt_tokens_by_source_total{source="local_compute"}')).toBe(104);
  expect(of('prompt_tokens_by_source_total{source="local_cache_hit"}')).toBe(96);
  expect(of('prefix_cache_hits_total')).toBe(96);
  expect(of('generation_tokens_total')).toBe(12);
  expect(of('request_success_total{finished_reason="length"}')).toBe(2);
  expect(of('time_to_first_token_seconds_count')).toBe(2);
  // 20 ms and a tenth for each token, one after the other.
  expect(of('request_prefill_time_seconds_sum')).toBeCloseTo(0.03 + 0.0204, 6);
  expect(of('request_decode_time_seconds_sum')).toBeCloseTo((7 + 3) * 0.0101, 6);
  expect(of('kv_cache_usage_perc')).toBe(0);
  expect(await publishedBatches(engine.replayEndpoint)).toHaveLength(1);
});
