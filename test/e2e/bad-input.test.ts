/** Whatever a client sends, it gets a 4xx that names the field, and nothing stays behind. */
import { complete, post, type AnswerBody } from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectIdle, MODEL, startFleet, type Fleet } from '../kit/fleet.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet({
    prefill: 1,
    decode: 1,
    gatewayArgs: ['--body-limit-bytes', String(BODY_LIMIT_BYTES)],
  });
});
afterAll(() => fleet?.stop());

const chat = { model: MODEL, messages: [{ role: 'user', content: 'hello' }], max_tokens: 4 };
const completion = { model: MODEL, prompt: 'hello', max_tokens: 4 };
const CHAT = '/v1/chat/completions';
const COMPLETIONS = '/v1/completions';

const cases: [string, string, object, number, string | null][] = [
  ['not an object', CHAT, [1], 400, null],
  ['no model', CHAT, { messages: chat.messages }, 400, 'model'],
  ['a model that is a number', CHAT, { ...chat, model: 4 }, 400, 'model'],
  ['an unknown model', CHAT, { ...chat, model: 'gpt-none' }, 404, 'model'],
  ['no messages', CHAT, { model: MODEL }, 400, 'messages'],
  ['empty messages', CHAT, { ...chat, messages: [] }, 400, 'messages'],
  ['messages of a wrong type', CHAT, { ...chat, messages: 'hello' }, 400, 'messages'],
  ['no prompt', COMPLETIONS, { model: MODEL }, 400, 'prompt'],
  ['a prompt of a wrong type', COMPLETIONS, { ...completion, prompt: { a: 1 } }, 400, 'prompt'],
  ['token ids out of range', COMPLETIONS, { ...completion, prompt: [1, 999_999] }, 400, 'prompt'],
  ['token ids that are no integers', COMPLETIONS, { ...completion, prompt: [1.5] }, 400, 'prompt'],
  ['max_tokens 0', CHAT, { ...chat, max_tokens: 0 }, 400, 'max_tokens'],
  ['max_tokens negative', COMPLETIONS, { ...completion, max_tokens: -5 }, 400, 'max_tokens'],
  ['max_tokens as text', COMPLETIONS, { ...completion, max_tokens: '5' }, 400, 'max_tokens'],
  ['max_tokens over the window', CHAT, { ...chat, max_tokens: 1e9 }, 400, 'max_tokens'],
  ['n of 2', CHAT, { ...chat, n: 2 }, 400, 'n'],
  ['n of 2 in completions', COMPLETIONS, { ...completion, n: 2 }, 400, 'n'],
  ['a temperature of 9', CHAT, { ...chat, temperature: 9 }, 400, 'temperature'],
  ['stream as text', CHAT, { ...chat, stream: 'yes' }, 400, 'stream'],
  [
    'handover parameters of its own',
    CHAT,
    { ...chat, kv_transfer_params: { do_remote_prefill: true } },
    400,
    'kv_transfer_params',
  ],
  [
    'handover parameters in completions',
    COMPLETIONS,
    { ...completion, kv_transfer_params: {} },
    400,
    'kv_transfer_params',
  ],
];

test.each(cases)('%s', async (_, path, body, status, param) => {
  const answer = await post(fleet.url, path, body);
  const { error } = answer.body;
  expect(error?.message).not.toBe('');
  expect({ status: answer.status, param: error?.param }).toEqual({ status, param });
});

test('malformed JSON', async () => {
  const { status, body } = await post(fleet.url, CHAT, '{"model": ');
  expect(status).toBe(400);
  expect(body.error?.type).toBe('invalid_request_error');
});

test('too long a prompt', async () => {
  const prompt = Array.from({ length: 9_000 }, () => 40);
  const { status, body } = await post(fleet.url, COMPLETIONS, { ...completion, prompt });
  expect({ status, code: body.error?.code }).toEqual({
    status: 400,
    code: 'context_length_exceeded',
  });
});

test('a body over the limit', async () => {
  const prompt = 'x'.repeat(BODY_LIMIT_BYTES);
  const { status, body } = await post(fleet.url, COMPLETIONS, { ...completion, prompt });
  expect(status).toBe(413);
  expect(body.error?.type).toBe('invalid_request_error');
});

test('an unknown path and a wrong method', async () => {
  expect((await post(fleet.url, '/v1/nothing', {})).status).toBe(404);
  const response = await fetch(`${fleet.url}${CHAT}`);
  expect([404, 405]).toContain(response.status);
  expect(((await response.json()) as AnswerBody).error?.message).not.toBe('');
});

test('afterwards everything is free and a good request is served', async () => {
  const answer = await complete(fleet.url, completion);
  expect(answer.completionTokens).toBeGreaterThan(0);
  await expectIdle(fleet);
});
