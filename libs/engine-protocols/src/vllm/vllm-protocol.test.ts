import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JsonObject, LegRequest } from '../engine-protocol.ts';
import { vllmProtocol } from './vllm-protocol.ts';

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
    vllm_xargs: { a: 'b' },
  },
};
const completion: LegRequest = {
  api: 'completion',
  planId: 'plan-2',
  promptTokens: [1, 2, 3],
  maxOutputTokens: 16,
  body: { model: 'm', prompt: 'Hi', add_special_tokens: false, stop: 'x', max_tokens: null },
};
const params = { do_remote_prefill: true, do_remote_decode: false, remote_port: 1 };

const golden = (call: unknown, name: string) =>
  expect(`${JSON.stringify(call, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.golden`);

test.each([
  ['chat', chat],
  ['completion', completion],
])('bodies of every leg: %s', async (name, request) => {
  const before = structuredClone(request);
  const facts = { decodeHeldTokens: 0, prefixTokens: 0 };
  await golden(vllmProtocol.aggregated(request, 0), `${name}-aggregated`);
  await golden(vllmProtocol.prefill(request, facts), `${name}-prefill`);
  await golden(vllmProtocol.decode(request, params), `${name}-decode`);
  expect(request).toEqual(before);
});

interface Captured {
  name: string;
  prefill_request: { kv_transfer_params: JsonObject };
  prefill_response: JsonObject & {
    kv_transfer_params: JsonObject;
    usage: { prompt_tokens: number };
  };
}
const fixture = new URL(
  '../../../../test/fixtures/vllm-0.32.0/nixl-handover.json',
  import.meta.url,
);
const captured = JSON.parse(readFileSync(fixture, 'utf8')) as Captured[];
const [first] = captured as [Captured];
/** That vLLM was started with blocks of 32 tokens. */
const blockTokens = 32;

test.each(captured)('what a real vLLM has said of its KV is passed on as it is: $name', (one) => {
  const { prefill_request, prefill_response } = one;
  const facts = { promptTokens: prefill_response.usage.prompt_tokens, blockTokens };
  const read = vllmProtocol.readHandover(prefill_response, facts);
  expect(read).toEqual({ ok: true, value: prefill_response.kv_transfer_params });
  const { body } = vllmProtocol.prefill(completion, { decodeHeldTokens: 0, prefixTokens: 0 });
  expect(body['kv_transfer_params']).toEqual(prefill_request.kv_transfer_params);
});

const answerWith = (change: object): JsonObject => ({
  ...first.prefill_response,
  kv_transfer_params: { ...first.prefill_response.kv_transfer_params, ...change },
});

test.each<[string, object, string]>([
  ['too few blocks', { remote_block_ids: [[7, 8]] }, 'remote_block_ids has 2 blocks, the prompt 7'],
  ['too many blocks', { remote_block_ids: [[1, 2, 3, 4, 5, 6, 7, 8]] }, 'has 8 blocks'],
  ['no blocks', { remote_block_ids: [] }, 'remote_block_ids is no list of block ids'],
  ['blocks that are no numbers', { remote_block_ids: [['a']] }, 'no list of block ids'],
  ['negative blocks', { remote_block_ids: [-1, 1, 2, 3, 4, 5, 6] }, 'no list of block ids'],
  ['no host', { remote_host: null }, 'remote_host is no text'],
  ['no engine', { remote_engine_id: '' }, 'remote_engine_id is no text'],
  ['no port', { remote_port: 0 }, 'remote_port is no port'],
  ['another port', { remote_port: '9661' }, 'remote_port is no port'],
  ['another length', { remote_num_tokens: 199 }, 'remote_num_tokens is 199, the prompt has 200'],
  ['a length that is no number', { remote_num_tokens: '200' }, 'remote_num_tokens is 200'],
  ['a negative length', { remote_num_tokens: -5 }, 'remote_num_tokens is -5'],
  ['nothing to fetch', { do_remote_prefill: false }, 'do_remote_prefill is not true'],
  ['both directions', { do_remote_decode: true }, 'do_remote_decode is true'],
])('%s: refused by name', (_name, change, reason) => {
  const read = vllmProtocol.readHandover(answerWith(change), { promptTokens: 200, blockTokens });
  expect(read).toEqual({ ok: false, reason: expect.stringContaining(reason) });
});

test('one list of blocks, as before there were groups, and groups that keep fewer', () => {
  const facts = { promptTokens: 200, blockTokens };
  const ids = [1, 2, 3, 4, 5, 6, 7];
  for (const remote_block_ids of [ids, [ids, [7]], [[], ids]]) {
    expect(vllmProtocol.readHandover(answerWith({ remote_block_ids }), facts).ok).toBe(true);
  }
});

test.each([[null], [undefined]])('without parameters (%s) there is nothing to fetch', (none) => {
  const read = vllmProtocol.readHandover(
    { kv_transfer_params: none },
    { promptTokens: 200, blockTokens },
  );
  expect(read).toEqual({ ok: true, value: undefined });
});

test('cached tokens were in the own cache, but of a decode leg they say what prefill had', () => {
  const usage = { prompt_tokens: 200, prompt_tokens_details: { cached_tokens: 192 } };
  expect(vllmProtocol.readAccounting({ usage }, 'prefill')).toMatchObject({
    reusedTokens: 192,
    transferredTokens: 0,
    computedTokens: 8,
  });
  expect(vllmProtocol.readAccounting({ usage }, 'decode')).toBeUndefined();
  const { prefill_response } = first;
  expect(vllmProtocol.readAccounting(prefill_response, 'prefill')).toBeUndefined();
});

test('under MultiConnector what other connectors say beside it goes along', () => {
  const answer = answerWith({ max_load_tokens: 5, offloaded: { chunks: [1] } });
  const read = vllmProtocol.readHandover(answer, { promptTokens: 200, blockTokens });
  expect(read).toEqual({ ok: true, value: answer['kv_transfer_params'] });
});
