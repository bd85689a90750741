import { afterAll, beforeAll, expect, test } from 'vitest';
import { metricsOf, post } from '@baton/test-kit';
import { startTestEngine, tinyModelFolder } from '../testing/test-engine.ts';
import type { TestEngine } from '../testing/test-engine.ts';
import { BODY_LIMIT_BYTES } from './server.ts';

const WINDOW = 256;
const model = tinyModelFolder();
let engine: TestEngine;

beforeAll(async () => {
  engine = await startTestEngine({ model: model.file, maxModelTokens: WINDOW, maxSequences: 2 });
});
afterAll(async () => {
  await engine?.stop();
  model.remove();
});

const COMPLETION = '/v1/completions';
const CHAT = '/v1/chat/completions';
const text = { model: 'tiny', prompt: 'a' };
const chat = { model: 'tiny', messages: [{ role: 'user', content: 'a' }] };
const content = (value: unknown) => ({ ...chat, messages: [{ role: 'user', content: value }] });
const baton = (fields: object, flags: object = {}) => ({
  ...text,
  kv_transfer_params: { ...flags, baton: { plan_id: 'p', ...fields } },
});
const tokens = (count: number): number[] => Array.from({ length: count }, () => 300);

type Case = [what: string, path: string, body: object | string, param: string | null];

const cases: Case[] = [
  ['malformed JSON', COMPLETION, '{"model":', null],
  ['an empty body', CHAT, '', null],
  ['an array', COMPLETION, '[]', null],
  ['no model', COMPLETION, { prompt: 'a' }, 'model'],
  ['no prompt', COMPLETION, { model: 'tiny' }, 'prompt'],
  [
    'a prompt of no tokens',
    COMPLETION,
    { ...text, prompt: '', add_special_tokens: false },
    'prompt',
  ],
  ['an empty token list', COMPLETION, { ...text, prompt: [] }, 'prompt'],
  ['a list of prompts', COMPLETION, { ...text, prompt: ['a', 'b'] }, 'prompt'],
  ['a list of token lists', COMPLETION, { ...text, prompt: [[1], [2]] }, 'prompt'],
  ['a token that is not in the vocabulary', COMPLETION, { ...text, prompt: [1, 99_999] }, 'prompt'],
  ['a negative token', COMPLETION, { ...text, prompt: [-1] }, 'prompt'],
  ['a fractional token', COMPLETION, { ...text, prompt: [1.5] }, 'prompt'],
  ['n of 2', COMPLETION, { ...text, n: 2 }, 'n'],
  ['n of 2 in a chat', CHAT, { ...chat, n: 2 }, 'n'],
  ['n of 0', CHAT, { ...chat, n: 0 }, 'n'],
  ['best_of', COMPLETION, { ...text, best_of: 3 }, 'best_of'],
  ['echo', COMPLETION, { ...text, echo: true }, 'echo'],
  ['a suffix', COMPLETION, { ...text, suffix: 'z' }, 'suffix'],
  ['logit_bias', CHAT, { ...chat, logit_bias: { 5: 1 } }, 'logit_bias'],
  ['tools', CHAT, { ...chat, tools: [{ type: 'function' }] }, 'tools'],
  ['a JSON schema', CHAT, { ...chat, response_format: { type: 'json_object' } }, 'response_format'],
  ['max_tokens 0', COMPLETION, { ...text, max_tokens: 0 }, 'max_tokens'],
  ['negative max_tokens', CHAT, { ...chat, max_tokens: -3 }, 'max_tokens'],
  ['max_tokens as text', CHAT, { ...chat, max_tokens: '5' }, 'max_tokens'],
  ['max_completion_tokens 0', CHAT, { ...chat, max_completion_tokens: 0 }, 'max_completion_tokens'],
  ['a temperature below 0', COMPLETION, { ...text, temperature: -0.1 }, 'temperature'],
  ['top_p 0', COMPLETION, { ...text, top_p: 0 }, 'top_p'],
  ['min_p above 1', COMPLETION, { ...text, min_p: 1.5 }, 'min_p'],
  ['top_k below -1', COMPLETION, { ...text, top_k: -2 }, 'top_k'],
  ['a fractional seed', COMPLETION, { ...text, seed: 1.5 }, 'seed'],
  ['a penalty above 2', CHAT, { ...chat, presence_penalty: 2.5 }, 'presence_penalty'],
  ['an empty stop string', COMPLETION, { ...text, stop: '' }, 'stop'],
  [
    'too many stop strings',
    COMPLETION,
    { ...text, stop: Array.from({ length: 17 }, String) },
    'stop',
  ],
  ['half a surrogate pair as stop', COMPLETION, { ...text, stop: '\ud83d' }, 'stop'],
  ['too many logprobs', COMPLETION, { ...text, logprobs: 50 }, 'logprobs'],
  ['top_logprobs without logprobs', CHAT, { ...chat, top_logprobs: 2 }, 'top_logprobs'],
  ['stream_options without stream', CHAT, { ...chat, stream_options: {} }, 'stream_options'],
  ['stream as text', CHAT, { ...chat, stream: 'yes' }, 'stream'],
  ['an empty salt', COMPLETION, { ...text, cache_salt: '' }, 'cache_salt'],
  ['no messages', CHAT, { model: 'tiny' }, 'messages'],
  ['empty messages', CHAT, { ...chat, messages: [] }, 'messages'],
  [
    'an unknown role',
    CHAT,
    { ...chat, messages: [{ role: 'x', content: 'a' }] },
    'messages[0].role',
  ],
  ['content that is a number', CHAT, content(5), 'messages[0].content'],
  ['an image', CHAT, content([{ type: 'image_url' }]), 'messages[0].content[0].type'],
  ['a text part without text', CHAT, content([{ type: 'text' }]), 'messages[0].content[0].text'],
  ['content that the template cannot take', CHAT, content(null), 'messages'],
  [
    'both kinds of leg',
    COMPLETION,
    baton({}, { do_remote_prefill: true, do_remote_decode: true }),
    'kv_transfer_params.do_remote_prefill',
  ],
  [
    'a handover without plan',
    COMPLETION,
    { ...text, kv_transfer_params: { do_remote_prefill: true } },
    'kv_transfer_params.baton.plan_id',
  ],
  [
    'a plan id that is a number',
    COMPLETION,
    baton({ plan_id: 7 }),
    'kv_transfer_params.baton.plan_id',
  ],
  ['an unknown field of baton', COMPLETION, baton({ planid: 'x' }), 'kv_transfer_params.baton'],
  [
    'a token to resume that does not exist',
    COMPLETION,
    baton({ resume_token_ids: [99_999] }),
    'kv_transfer_params.baton.resume_token_ids',
  ],
  [
    'resuming a handover',
    COMPLETION,
    baton({ resume_token_ids: [5] }, { do_remote_prefill: true }),
    'kv_transfer_params.baton.resume_token_ids',
  ],
  [
    'kv_transfer_params that are text',
    COMPLETION,
    { ...text, kv_transfer_params: 'x' },
    'kv_transfer_params',
  ],
  ['a prompt over the window', COMPLETION, { ...text, prompt: tokens(WINDOW) }, 'prompt'],
  [
    'prompt and output over the window',
    COMPLETION,
    { ...text, prompt: tokens(WINDOW - 8), max_tokens: 9 },
    'max_tokens',
  ],
  ['a chat over the window', CHAT, content('x'.repeat(WINDOW)), 'messages'],
  [
    'a chat’s output over the window',
    CHAT,
    { ...chat, max_completion_tokens: WINDOW },
    'max_completion_tokens',
  ],
  ['nothing to tokenize', '/tokenize', { model: 'tiny' }, 'prompt'],
  ['two things to tokenize', '/tokenize', { ...text, ...chat }, 'messages'],
  ['a prompt that is a number', '/tokenize', { prompt: 5 }, 'prompt'],
  [
    'an image to tokenize',
    '/tokenize',
    content([{ type: 'image_url' }]),
    'messages[0].content[0].type',
  ],
  ['no tokens to detokenize', '/detokenize', {}, 'tokens'],
  ['a token that does not exist', '/detokenize', { tokens: [5, 99_999] }, 'tokens[1]'],
];

test.each(cases)('%s is refused by name', async (_what, path, body, param) => {
  const answer = await post(engine.url, path, body);
  expect({ status: answer.status, param: answer.body.error?.param }).toEqual({
    status: 400,
    param,
  });
  expect(answer.body.error?.type).toBe('invalid_request_error');
  expect(answer.body.error?.message.length).toBeGreaterThan(5);
  if (param !== null && !param.includes('.')) expect(answer.body.error?.message).toMatch(/\w/);
});

test('what asks for nothing is no reason to refuse', async () => {
  const neutral = {
    n: 1,
    best_of: 1,
    echo: false,
    suffix: null,
    logit_bias: {},
    stop: null,
    user: 'me',
    repetition_penalty: 1,
    min_tokens: 0,
    stop_token_ids: [],
    seed: null,
    logprobs: null,
    stream_options: null,
    unknown_field: { any: 'thing' },
    max_tokens: WINDOW - 2,
    temperature: 0,
  };
  expect((await post(engine.url, COMPLETION, { ...text, ...neutral })).status).toBe(200);
});

test('an unknown model, path, method and content type', async () => {
  const unknown = await post(engine.url, CHAT, { ...chat, model: 'other' });
  expect(unknown.status).toBe(404);
  expect(unknown.body.error).toMatchObject({ param: 'model', code: 'model_not_found' });
  const nowhere = await post(engine.url, '/v1/nowhere', {});
  expect([nowhere.status, nowhere.body.error?.code]).toEqual([404, 'route_not_found']);
  const bad = await fetch(`${engine.url}/v1/%zz`);
  expect(await bad.json()).toMatchObject({ error: { code: 'invalid_request' } });
  const get = await fetch(engine.url + COMPLETION);
  expect([get.status, await get.json()]).toEqual([404, { error: expect.anything() }]);
  const type = { headers: { 'content-type': 'text/csv' } };
  const csv = await post(engine.url, COMPLETION, 'a,b', type);
  expect([csv.status, csv.body.error?.code]).toEqual([415, 'unsupported_media_type']);
});

test('a body over the limit', async () => {
  const prompt = 'x'.repeat(BODY_LIMIT_BYTES);
  const answer = await post(engine.url, COMPLETION, { ...text, prompt });
  expect([answer.status, answer.body.error?.code]).toEqual([413, 'body_too_large']);
});

test('nothing of all this has reached the engine', async () => {
  const before = await metricsOf(engine.url);
  await Promise.all(cases.slice(0, 20).map(([, path, body]) => post(engine.url, path, body)));
  const after = await metricsOf(engine.url);
  for (const name of ['prompt_tokens_total', 'request_prompt_tokens_count']) {
    expect(after.get(name)).toBe(before.get(name));
  }
  expect(after.get('request_success_total{finished_reason="error"}')).toBe(0);
});
