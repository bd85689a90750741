import { expect, test } from 'vitest';
import type { LegRequest, Rendezvous } from '../engine-protocol.ts';
import { sglangProtocol } from './sglang-protocol.ts';

const chat: LegRequest = {
  api: 'chat',
  planId: 'plan-1',
  promptTokens: [1, 2, 3],
  maxOutputTokens: 100,
  body: {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    stream_options: { continuous_usage_stats: true },
    max_completion_tokens: 100,
    min_tokens: 5,
    tools: [{ type: 'function', function: { name: 'f' } }],
    cache_salt: 'tenant',
    separate_reasoning: false,
  },
};
const completion: LegRequest = {
  api: 'completion',
  planId: 'plan-2',
  promptTokens: [1, 2, 3],
  maxOutputTokens: 16,
  body: { model: 'm', prompt: 'Hi', regex: 'a|b', stop: 'x', max_tokens: null },
};
const rendezvous: Rendezvous = {
  id: 2 ** 47 + 1,
  at: { host: '10.0.0.1', port: 8_998, engineIds: [], tensorRanks: 1, pipelineRanks: 1 },
  rank: undefined,
};

const golden = (call: unknown, name: string) =>
  expect(`${JSON.stringify(call, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.golden`);

test.each([
  ['chat', chat],
  ['completion', completion],
])('bodies of every leg: %s', async (name, request) => {
  await golden(sglangProtocol.aggregated(request, 0), `${name}-aggregated`);
  await golden(sglangProtocol.prefill(request, rendezvous), `${name}-prefill`);
  await golden(sglangProtocol.decode(request, rendezvous), `${name}-decode`);
});

test('bodies of a pair of data-parallel ranks: each side is told its own, and decode that of prefill', async () => {
  const met = { ...rendezvous, rank: 2 };
  const prefill = sglangProtocol.atRank(sglangProtocol.prefill(completion, met), 2);
  const decode = sglangProtocol.atRank(sglangProtocol.decode(completion, met), 1);
  await golden(prefill, 'completion-prefill-rank');
  await golden(decode, 'completion-decode-rank');
  expect([prefill.body['routed_dp_rank'], decode.body['routed_dp_rank']]).toEqual([2, 1]);
  expect(prefill.body).not.toHaveProperty('disagg_prefill_dp_rank');
  expect(decode.body['disagg_prefill_dp_rank']).toBe(2);
});

test('an IPv6 address is in brackets, as SGLang joins it with a port', () => {
  const at = { ...rendezvous.at, host: 'fe80::1' };
  const { body } = sglangProtocol.decode(chat, { ...rendezvous, at });
  expect(body['bootstrap_host']).toBe('[fe80::1]');
});

test('cached tokens were in the own cache; nothing is known of a decode leg, nor where nothing is said', () => {
  const usage = { prompt_tokens: 200, prompt_tokens_details: { cached_tokens: 192 } };
  for (const leg of ['prefill', 'aggregated'] as const) {
    expect(sglangProtocol.readAccounting({ usage }, leg)).toEqual({
      ...{ promptTokens: 200, reusedTokens: 192, transferredTokens: 0, computedTokens: 8 },
    });
  }
  expect(sglangProtocol.readAccounting({ usage }, 'decode')).toBeUndefined();
  const silent = { usage: { prompt_tokens: 200, prompt_tokens_details: null } };
  expect(sglangProtocol.readAccounting(silent, 'prefill')).toBeUndefined();
});

test('an adapter is named beside its model, on both sides of a pair', () => {
  const request = {
    ...{ api: 'completion' as const, body: { model: 'sql', prompt: 'x' }, promptTokens: [1] },
    ...{ planId: 'p', maxOutputTokens: 4, adapter: { name: 'sql', model: 'tiny' } },
  };
  const at = { host: 'h', port: 1, engineIds: [], tensorRanks: 1, pipelineRanks: 1 };
  const meeting = { id: 7, at, rank: undefined };
  const calls = [
    sglangProtocol.aggregated(request, 0),
    sglangProtocol.prefill(request, meeting),
    sglangProtocol.decode(request, meeting),
  ];
  for (const { body } of calls) expect(body).toMatchObject({ model: 'tiny', lora_path: 'sql' });
  const plain = sglangProtocol.aggregated({ ...request, adapter: undefined }, 0);
  expect(plain.body).toMatchObject({ model: 'sql' });
  expect(plain.body).not.toHaveProperty('lora_path');
});
