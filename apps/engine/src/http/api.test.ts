import { readFileSync } from 'node:fs';
import { readTokenizeAnswer } from '@baton/openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, metricsOf, post, stream } from '@baton/test-kit';
import type { AnswerBody } from '@baton/test-kit';
import { startTestEngine, tinyModelFolder } from '../testing/test-engine.ts';
import type { TestEngine } from '../testing/test-engine.ts';

const fixtures = new URL('../../../../test/fixtures/vllm-0.32.0/', import.meta.url);
const model = tinyModelFolder();
let engine: TestEngine;
let url: string;

beforeAll(async () => {
  engine = await startTestEngine({ model: model.file, reproducible: true, maxSequences: 8 });
  url = engine.url;
});
afterAll(async () => {
  await engine?.stop();
  model.remove();
});

const COMPLETION = '/v1/completions';
const CHAT = '/v1/chat/completions';
const greedy = { model: 'tiny', temperature: 0, max_tokens: 8 };
const messages = [{ role: 'user', content: 'the cat sat' }];

const complete = (fields: object) => post(url, COMPLETION, { ...greedy, ...fields });
const chat = (fields: object = {}) => post(url, CHAT, { ...greedy, messages, ...fields });
const textOfAnswer = ({ body }: { body: AnswerBody }) =>
  body.choices[0]?.text ?? body.choices[0]?.message?.content ?? '';
const tokensOf = async (body: object): Promise<number[]> => {
  const answer = await post(url, '/tokenize', body);
  return readTokenizeAnswer(answer.body)?.tokens ?? [];
};

test('a completion in vLLM’s shape', async () => {
  const { status, body } = await complete({ prompt: 'the cat' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    object: 'text_completion',
    model: 'tiny',
    choices: [{ index: 0, logprobs: null, finish_reason: 'length', stop_reason: null }],
    usage: { completion_tokens: 8, prompt_tokens_details: { cached_tokens: 0 } },
    kv_transfer_params: null,
  });
  expect(body.id).toMatch(/^cmpl-/);
  // A token of the test model is a character or a short word.
  expect(body.choices[0]?.text?.length).toBeGreaterThanOrEqual(8);
});

test('text and its token ids give the same answer, and the ids come back when asked for', async () => {
  const ids = await tokensOf({ prompt: 'the cat' });
  const text = await complete({ prompt: 'the cat', return_token_ids: true });
  const tokens = await complete({ prompt: ids, return_token_ids: true });
  expect(textOfAnswer(tokens)).toBe(textOfAnswer(text));
  expect(text.body.choices[0]?.prompt_token_ids).toEqual(ids);
  expect(text.body.choices[0]?.token_ids).toEqual(tokens.body.choices[0]?.token_ids);
  const { body } = await post(url, '/detokenize', { tokens: text.body.choices[0]?.token_ids });
  expect(body).toEqual({ prompt: textOfAnswer(text) });
});

test('a chat answer is the completion of the rendered template', async () => {
  const rendered = '<|im_start|>user\nthe cat sat<|im_end|>\n<|im_start|>assistant\n';
  const expected = await complete({ prompt: rendered, add_special_tokens: false });
  const { status, body } = await chat();
  expect(status).toBe(200);
  expect(body).toMatchObject({
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: textOfAnswer(expected) } }],
    usage: { completion_tokens: 8 },
  });
  expect(body.usage?.prompt_tokens).toBe(expected.body.usage?.prompt_tokens);
  expect(await tokensOf({ messages })).toEqual(
    await tokensOf({ prompt: rendered, add_special_tokens: false }),
  );
  const parts = [{ role: 'user', content: [{ type: 'text', text: 'the cat sat' }] }];
  expect(textOfAnswer(await chat({ messages: parts }))).toBe(textOfAnswer({ body }));
});

test('text parts of one message are joined by line breaks', async () => {
  const parts = ['a', 'b'].map((text) => ({ type: 'text', text }));
  expect(await tokensOf({ messages: [{ role: 'user', content: parts }] })).toEqual(
    await tokensOf({ messages: [{ role: 'user', content: 'a\nb' }] }),
  );
});

test('a streamed completion is the same text, with usage last', async () => {
  const whole = await complete({ prompt: 'a dog' });
  const body = { ...greedy, prompt: 'a dog', stream_options: { include_usage: true } };
  const { chunks, text } = await stream(url, COMPLETION, body);
  expect(text).toBe(textOfAnswer(whole));
  const usage = chunks.pop();
  expect(usage?.choices).toEqual([]);
  expect(usage?.usage).toMatchObject({
    completion_tokens: 8,
    prompt_tokens: whole.body.usage?.prompt_tokens,
  });
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('length');
  expect(chunks.slice(0, -1).every((chunk) => chunk.choices[0]?.finish_reason === null)).toBe(true);
  expect(new Set(chunks.map((chunk) => `${chunk.id} ${chunk.object}`))).toEqual(
    new Set([`${usage?.id} text_completion`]),
  );
  const without = await stream(url, COMPLETION, { ...greedy, prompt: 'a dog' });
  expect(without.chunks.some((chunk) => 'usage' in chunk)).toBe(false);
});

test('a streamed chat opens with the role and carries prompt tokens on its first chunk', async () => {
  const whole = await chat();
  const body = { ...greedy, messages, return_token_ids: true };
  const { chunks, text } = await stream(url, CHAT, body);
  expect(chunks[0]?.choices).toEqual([
    { index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null },
  ]);
  expect(chunks[0]?.prompt_token_ids).toEqual(await tokensOf({ messages }));
  expect(text).toBe(textOfAnswer(whole));
  expect(chunks.flatMap((chunk) => chunk.choices[0]?.token_ids ?? [])).toHaveLength(8);
  expect(chunks.at(-1)?.choices[0]).toMatchObject({ finish_reason: 'length', stop_reason: null });
});

test('log probabilities in both shapes', async () => {
  const { body } = await complete({ prompt: 'on', logprobs: 2 });
  const logprobs = body.choices[0]?.logprobs as Record<string, (number | string | object)[]>;
  expect(Object.keys(logprobs).sort()).toEqual([
    'text_offset',
    'token_logprobs',
    'tokens',
    'top_logprobs',
  ]);
  expect(logprobs['tokens']?.join('')).toBe(textOfAnswer({ body }));
  expect(logprobs['text_offset']).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  for (const [i, best] of (logprobs['top_logprobs'] ?? []).entries()) {
    const entries = Object.entries(best as Record<string, number>);
    expect(entries).toHaveLength(2);
    const most = Math.max(...entries.map(([, logprob]) => logprob));
    expect((best as Record<string, number>)[String(logprobs['tokens']?.[i])]).toBe(most);
    expect(logprobs['token_logprobs']?.[i]).toBe(most);
    expect(most).toBeLessThan(0);
  }
  const answer = await chat({ logprobs: true, top_logprobs: 3, max_tokens: 2 });
  const content = (answer.body.choices[0]?.logprobs as { content: object[] }).content;
  expect(content).toHaveLength(2);
  expect(content[0]).toMatchObject({
    token: expect.any(String),
    logprob: expect.any(Number),
    bytes: expect.arrayContaining([expect.any(Number)]),
    top_logprobs: [{}, {}, {}],
  });
  expect((await chat({ logprobs: true })).body.choices[0]?.logprobs).toMatchObject({
    content: [{ top_logprobs: [] }, {}, {}, {}, {}, {}, {}, {}],
  });
});

test('a stop string ends the text before it, streamed or not, and the sequence ends', async () => {
  const text = textOfAnswer(await complete({ prompt: 'a dog' }));
  const stop = text.slice(3, 5);
  const before = text.slice(0, text.indexOf(stop));
  const { body } = await complete({ prompt: 'a dog', stop, max_tokens: 4000 });
  expect(body.choices[0]).toMatchObject({ text: before, finish_reason: 'stop', stop_reason: stop });
  expect(body.usage?.completion_tokens).toBe(before.length + 2);
  const stops = ['no such text', stop];
  const streamed = await stream(url, COMPLETION, { ...greedy, prompt: 'a dog', stop: stops });
  expect(streamed.text).toBe(before);
  expect(streamed.chunks.at(-1)?.choices[0]).toMatchObject({
    finish_reason: 'stop',
    stop_reason: stop,
  });
  await eventually(async () => (await metricsOf(url)).get('num_requests_running') === 0);
});

test('text that may become a stop string is held back and comes at the end', async () => {
  const text = textOfAnswer(await complete({ prompt: 'a dog' }));
  const { body } = await complete({ prompt: 'a dog', stop: `${text.slice(-2)}more` });
  expect(body.choices[0]).toMatchObject({ text, finish_reason: 'length' });
});

test('seeded sampling repeats, other seeds differ', async () => {
  const sampled = { temperature: 1.2, top_p: 0.95, top_k: 40, min_p: 0.01, max_tokens: 24 };
  const run = async (seed: number) =>
    textOfAnswer(await complete({ ...sampled, prompt: 'the', seed, ignore_eos: true }));
  expect(await run(7)).toBe(await run(7));
  expect(await run(7)).not.toBe(await run(8));
  expect(await run(-1)).toBe(await run(2 ** 32 - 1));
});

test('penalties change a greedy answer', async () => {
  const long = { prompt: 'the cat', max_tokens: 48 };
  const plain = textOfAnswer(await complete(long));
  const penalized = textOfAnswer(
    await complete({ ...long, frequency_penalty: 2, presence_penalty: 2 }),
  );
  expect(penalized).not.toBe(plain);
});

test('a prefix is reused, per salt', async () => {
  const prompt = Array.from({ length: 200 }, (_, i) => 261 + (i % 90));
  const cached = async (fields: object): Promise<number> =>
    (await complete({ prompt, ...fields })).body.usage?.prompt_tokens_details?.cached_tokens ?? -1;
  expect(await cached({})).toBe(0);
  expect(await cached({})).toBe(192);
  expect(await cached({ cache_salt: 'tenant-a' })).toBe(0);
  expect(await cached({ cache_salt: 'tenant-a' })).toBe(192);
  expect(await cached({ cache_salt: 'tenant-b' })).toBe(0);
  expect(await cached({ prompt: prompt.slice(0, 128) })).toBe(64);
});

test('models, health, version, event sources', async () => {
  const get = async (path: string): Promise<unknown> => (await fetch(url + path)).json();
  expect(await get('/v1/models')).toMatchObject({
    object: 'list',
    data: [{ id: 'tiny', object: 'model', max_model_len: 8192 }],
  });
  const health = await fetch(`${url}/health`);
  expect([health.status, await health.text()]).toEqual([200, '']);
  expect(await get('/version')).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  const sources = readFileSync(new URL('kv-event-sources.json', fixtures), 'utf8');
  const captured = (JSON.parse(sources) as Record<string, object>)['0'] ?? {};
  const ours = ((await get('/kv_event_sources')) as Record<string, object>)['0'] ?? {};
  expect(Object.keys(ours).sort()).toEqual(Object.keys(captured).sort());
  expect(ours).toMatchObject({
    endpoint: engine.endpoints.events,
    replay_endpoint: engine.endpoints.replay,
  });
});

test('tokenize counts, names the window and can show the pieces', async () => {
  const { body } = await post(url, '/tokenize', { prompt: 'cat', return_token_strs: true });
  expect(body).toMatchObject({ count: 4, max_model_len: 8192, token_strs: ['<s>', 'c', 'a', 't'] });
  expect(await tokensOf({ prompt: 'cat', add_special_tokens: false })).toHaveLength(3);
  const open = await tokensOf({ messages, add_generation_prompt: false });
  expect((await tokensOf({ messages })).slice(0, open.length)).toEqual(open);
  expect(await tokensOf({ prompt: '', add_special_tokens: false })).toEqual([]);
});

test('metrics have vLLM’s names and labels', async () => {
  const before = await metricsOf(url);
  const prompt = Array.from({ length: 130 }, (_, i) => 261 + ((i * 7) % 90));
  await complete({ prompt });
  await complete({ prompt });
  const after = await metricsOf(url);
  const grown = (name: string) => (after.get(name) ?? NaN) - (before.get(name) ?? NaN);
  expect(grown('prompt_tokens_total')).toBe(260);
  expect(grown('prompt_tokens_by_source_total{source="local_compute"}')).toBe(132);
  expect(grown('prompt_tokens_by_source_total{source="local_cache_hit"}')).toBe(128);
  expect(grown('prompt_tokens_by_source_total{source="external_kv_transfer"}')).toBe(0);
  expect(grown('prefix_cache_queries_total')).toBe(260);
  expect(grown('prefix_cache_hits_total')).toBe(128);
  expect(grown('generation_tokens_total')).toBe(16);
  expect(grown('request_success_total{finished_reason="length"}')).toBe(2);
  expect(grown('time_to_first_token_seconds_count')).toBe(2);
  expect(grown('inter_token_latency_seconds_count')).toBe(14);

  const shape = (text: string): Map<string, string[]> =>
    new Map(
      text.split('\n').flatMap((line) => {
        const match = /^(vllm:[a-z0-9_]+)\{(.*)\} /.exec(line);
        const labels = [...(match?.[2] ?? '').matchAll(/(\w+)="/g)].map(([, label]) => label ?? '');
        return match && !match[1]?.endsWith('_bucket') ? [[match[1] ?? '', labels.sort()]] : [];
      }),
    );
  const captured = shape(readFileSync(new URL('metrics.txt', fixtures), 'utf8'));
  const ours = shape(await (await fetch(`${url}/metrics`)).text());
  expect(ours.size).toBeGreaterThan(20);
  for (const [name, labels] of ours) {
    if (name === 'vllm:cache_config_info')
      expect(captured.get(name)).toEqual(expect.arrayContaining(labels));
    else expect([name, captured.get(name)]).toEqual([name, labels]);
  }
});

test('a request id comes back and names the answer', async () => {
  const body = { ...greedy, prompt: 'a' };
  const answer = await post(url, COMPLETION, body, { headers: { 'x-request-id': 'req-1' } });
  expect(answer.headers.get('x-request-id')).toBe('req-1');
  expect(answer.body.id).toBe('cmpl-req-1');
  const twice = await Promise.all(
    [1, 2].map(() => post(url, COMPLETION, body, { headers: { 'x-request-id': 'same' } })),
  );
  expect(twice.map(({ status }) => status)).toEqual([200, 200]);
});
