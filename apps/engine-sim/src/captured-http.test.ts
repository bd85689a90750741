import { post, readStream, send } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { defaultCost } from './engine-options.ts';
import { capturedJson, capturedText, shapeOf } from './testing/captured.ts';
import { startedEngine, startedPair, tokensOf } from './testing/started-fleet.ts';

/** What a stand-in sends, held against what a real vLLM 0.32.0 sent: fields, their order, types, whole texts. */

interface Captured {
  [name: string]: unknown;
  chatStream: object[];
  completionStreamBegins: object[];
  tooLongMessage: string;
}
const captured = capturedJson<Captured>('http-answers.json');
const model = 'tiny';
/** As that vLLM was started. */
const likeTheReal = {
  model,
  maxModelTokens: 1_024,
  blockTokens: 32,
  blocks: 64,
  promptTokensDetails: false,
} as const;

const engine = (more: object = {}) => startedEngine({ ...likeTheReal, nixl: undefined, ...more });

const get = async (url: string): Promise<unknown> => (await fetch(url)).json();

test('what is asked by GET', async () => {
  const { url } = await engine();
  expect(await get(`${url}/version`)).toEqual(captured['version']);
  expect(shapeOf(await get(`${url}/v1/models`))).toEqual(shapeOf(captured['models']));
  const sources = capturedJson<Record<string, object>>('kv-event-sources.json');
  expect(shapeOf(await get(`${url}/kv_event_sources`))).toEqual(shapeOf(sources));
});

test('tokens in and out', async () => {
  const { url } = await engine();
  const messages = [{ role: 'user', content: 'Hi' }];
  const text = await post(url, '/tokenize', { model, prompt: 'Hi' });
  const chat = await post(url, '/tokenize', { model, messages, return_token_strs: true });
  const back = await post(url, '/detokenize', { model, tokens: [72, 105] });
  expect(shapeOf(text.body)).toEqual(shapeOf(captured['tokenize']));
  expect(shapeOf(chat.body)).toEqual(shapeOf(captured['tokenizeChat']));
  expect(back.body).toEqual({ prompt: 'Hi' });
  expect(shapeOf(back.body)).toEqual(shapeOf(captured['detokenize']));
});

test.each([
  ['completion', '/v1/completions', { prompt: [1, 2], max_tokens: 4 }],
  [
    'completionWithIds',
    '/v1/completions',
    { prompt: [1, 2], max_tokens: 4, return_token_ids: true },
  ],
  ['chat', '/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }],
])('an answer as a whole: %s', async (name, path, body) => {
  const { url } = await engine();
  const answer = await post(url, path, { model, temperature: 0, ...body });
  expect(shapeOf(answer.body)).toEqual(shapeOf(captured[name]));
});

test('a stream of a chat, chunk by chunk', async () => {
  const { url } = await engine();
  const response = await send(url, '/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: 'Hi' }],
    max_tokens: 4,
    stream: true,
    stream_options: { include_usage: true },
    return_token_ids: true,
  });
  const { chunks, done } = await readStream(response);
  expect(chunks.map(shapeOf)).toEqual(captured.chatStream.slice(0, -1).map(shapeOf));
  expect(done).toBe(true);
});

test('the first chunks of a stream of a completion', async () => {
  const { url } = await engine();
  const body = { model, prompt: [1, 2], max_tokens: 4, stream: true, return_token_ids: true };
  const { chunks } = await readStream(await send(url, '/v1/completions', body));
  expect(chunks.slice(0, 2).map(shapeOf)).toEqual(captured.completionStreamBegins.map(shapeOf));
});

test('errors, word for word where clients may look at them', async () => {
  const { url } = await engine();
  const other = await post(url, '/v1/completions', { model: 'nope', prompt: 'Hi' });
  expect([other.status, other.body]).toEqual([404, captured['modelNotFound']]);
  const prompt = tokensOf(1, 2_256);
  const long = await post(url, '/v1/completions', { model, prompt });
  expect([long.status, long.body.error?.message]).toEqual([400, captured.tooLongMessage]);
  const off = await post(url, '/inference/v1/generate', { token_ids: [1] });
  expect([off.status, off.body]).toEqual([403, captured['scaleOutIsOff']]);
  const reset = await post(url, '/reset_prefix_cache', {});
  expect(reset.body).toEqual(captured['resetPrefixCache']);
});

/** Names with labels, in order, without values. */
function samplesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('vllm:') && !/_bucket\{|_created\{/.test(line))
    .map((line) => line.replace(/ \S+$/, ''));
}

test('metrics: every name and label, in the order of the capture', async () => {
  const { url } = await engine({ cost: { ...defaultCost, kvBytesPerToken: 524_288 } });
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).toMatch(/^process_start_time_seconds 1\.\d+e\+09$/m);
  const ours = samplesOf(text);
  const used = samplesOf(capturedText('metrics.txt'));
  const unused = samplesOf(capturedText('metrics-unused.txt'));
  expect(ours.filter((name) => !unused.includes(name))).toEqual(used);
  expect(ours.filter((name) => unused.includes(name))).toEqual(unused);
  expect(text).toMatch(/^vllm:num_requests_running\{engine="0",model_name="tiny"\} 0\.0$/m);
});

test('metrics of a connector come first', async () => {
  const { url } = await engine({ nixl: {} });
  const text = await (await fetch(`${url}/metrics`)).text();
  const ours = samplesOf(text).filter((name) => /nixl|kv_fetch/.test(name));
  expect(ours).toEqual(samplesOf(capturedText('metrics-nixl.txt')));
  expect(samplesOf(text)[0]).toBe(ours[0]);
  const fetching = samplesOf(text).findIndex((name) => name.includes('kv_fetch'));
  expect(samplesOf(text)[fetching - 1]).toContain('num_requests_waiting_by_reason');
});

interface Handover {
  prefill_request: { prompt: number };
  prefill_response: { kv_transfer_params: object };
  decode_usage: object;
}

test('the parameters of a handover, field by field', async () => {
  const { fleet, p, d } = await startedPair(likeTheReal);
  const headers = { 'x-request-id': 'pd' };
  for (const one of capturedJson<Handover[]>('nixl-handover.json')) {
    const body = { ...one.prefill_request, prompt: tokensOf(1, one.prefill_request.prompt) };
    const before = await post(p.url, '/v1/completions', body, { headers });
    const given: Record<string, unknown> = { ...before.body.kv_transfer_params };
    const real: Record<string, unknown> = { ...one.prefill_response.kv_transfer_params };
    expect(shapeOf(given)).toEqual(shapeOf(real));
    const blocks = (params: Record<string, unknown>) =>
      (params['remote_block_ids'] as number[][]).map((ids) => ids.length);
    expect(blocks(given)).toEqual(blocks(real));
    expect(given['remote_num_tokens']).toBe(real['remote_num_tokens']);
    expect(given['remote_request_id']).toMatch(/^cmpl-pd-0-[0-9a-f]{8}$/);
    const decode = { ...body, max_tokens: 16, kv_transfer_params: given };
    const after = await post(d.url, '/v1/completions', decode, { headers });
    expect(after.body.usage).toEqual(one.decode_usage);
  }
  expect(fleet.violations.list).toEqual([]);
  expect(fleet.leaks()).toEqual([]);
});
