import { expect, test } from 'vitest';
import type { LegRequest } from '../engine-protocol.ts';
import { batonProtocol } from './baton-protocol.ts';

const chat: LegRequest = {
  api: 'chat',
  planId: 'plan-1',
  promptTokens: [1, 2, 3],
  maxOutputTokens: 100,
  body: {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    stream_options: { include_usage: false, continuous_usage_stats: true },
    max_completion_tokens: 100,
    min_tokens: 5,
    seed: 7,
    chat_template_kwargs: { enable_thinking: false },
    vllm_xargs: { a: 'b' },
  },
};
const completion: LegRequest = {
  api: 'completion',
  planId: 'plan-2',
  promptTokens: [1, 2, 3],
  maxOutputTokens: 16,
  body: {
    model: 'm',
    prompt: 'Hi',
    add_special_tokens: false,
    logprobs: 2,
    stop: 'x',
    max_tokens: null,
  },
};

const golden = (call: unknown, name: string) =>
  expect(`${JSON.stringify(call, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.golden`);

test.each([
  ['chat', chat],
  ['completion', completion],
])('bodies of every leg: %s', async (name, request) => {
  const before = structuredClone(request);
  const facts = { decodeHeldTokens: 128, prefixTokens: 64 };
  await golden(batonProtocol.aggregated(request, facts.prefixTokens), `${name}-aggregated`);
  await golden(batonProtocol.prefill(request, facts), `${name}-prefill`);
  await golden(batonProtocol.decode(request), `${name}-decode`);
  await golden(batonProtocol.resume(request, [42]), `${name}-resume`);
  expect(request).toEqual(before);
});

test('an engine that takes no token ids gets the prompt as the client wrote it', () => {
  const { body } = batonProtocol.aggregated({ ...completion, promptTokens: undefined }, 0);
  expect(body).toMatchObject({ prompt: 'Hi', add_special_tokens: false });
});

const accounting = {
  prompt_tokens: 10,
  reused_tokens: 4,
  transferred_tokens: 2,
  computed_tokens: 4,
};
const answer = (change: object = {}, baton: object = {}) => ({
  kv_transfer_params: {
    do_remote_prefill: true,
    do_remote_decode: false,
    baton: { plan_id: 'plan-1', token_ids: [42], accounting, ...baton },
    ...change,
  },
});

test('the answer of a prefill leg is read', () => {
  expect(batonProtocol.readPrefill(answer(), 'plan-1')).toEqual({
    ok: true,
    value: {
      tokenIds: [42],
      accounting: { promptTokens: 10, reusedTokens: 4, transferredTokens: 2, computedTokens: 4 },
    },
  });
});

test.each([
  ['nothing', undefined, 'no kv_transfer_params'],
  ['no parameters', { id: 'x' }, 'no kv_transfer_params'],
  ['null parameters', { kv_transfer_params: null }, 'no kv_transfer_params'],
  ['no handover', answer({ do_remote_prefill: false }), 'do_remote_prefill'],
  ['another plan', answer({}, { plan_id: 'plan-9' }), 'plan_id'],
  ['no part of ours', answer({ baton: undefined }), 'plan_id'],
  ['no token', answer({}, { token_ids: [] }), 'token_ids'],
  ['two tokens', answer({}, { token_ids: [1, 2] }), 'token_ids'],
  ['no token id', answer({}, { token_ids: ['a'] }), 'token_ids'],
  ['no accounting', answer({}, { accounting: undefined }), 'accounting'],
  ['a wrong sum', answer({}, { accounting: { ...accounting, prompt_tokens: 11 } }), 'accounting'],
  ['a negative', answer({}, { accounting: { ...accounting, reused_tokens: -4 } }), 'accounting'],
])('an answer of a prefill leg with %s is refused', (_, body, reason) => {
  const result = batonProtocol.readPrefill(body, 'plan-1');
  expect(result).toEqual({ ok: false, reason: expect.stringContaining(reason) });
});
