import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JsonObject, LegRequest } from '../engine-protocol.ts';
import { vllmBatonProtocol } from './vllm-baton-protocol.ts';
import { vllmProtocol } from './vllm-protocol.ts';

/** What a real vLLM 0.32.0 with bidirectional_kv_xfer answered to two turns, with blocks of 32 tokens. */
const fixture = new URL('../../../../test/fixtures/vllm-0.32.0/nixl-bidi.json', import.meta.url);
const turns = JSON.parse(readFileSync(fixture, 'utf8')) as Record<'p1' | 'd1' | 'p2', JsonObject>;
const kept = turns.d1['kv_transfer_params'] as JsonObject;
const blockTokens = 32;
const read = (change: object, answer: JsonObject = turns.d1) =>
  vllmProtocol.readTurn({ ...answer, kv_transfer_params: { ...kept, ...change } }, blockTokens);

const request: LegRequest = {
  ...{ api: 'completion', planId: 'p', promptTokens: [1, 2], maxOutputTokens: 9 },
  body: { model: 'm', prompt: 'Hi' },
};

test('what decode keeps: the prompt and all of the answer but its last token', () => {
  const said = vllmProtocol.readTurn(turns.d1, blockTokens);
  const [choice] = turns.d1['choices'] as [{ prompt_token_ids: number[]; token_ids: number[] }];
  const all = [...choice.prompt_token_ids, ...choice.token_ids];
  expect(said).toEqual({ ok: true, value: { params: kept, tokenIds: all.slice(0, 319) } });
  // A chat has the prompt's tokens at its top.
  const { prompt_token_ids, ...rest } = choice;
  const chat = { ...turns.d1, prompt_token_ids, choices: [rest] };
  expect(vllmProtocol.readTurn(chat, blockTokens)).toEqual(said);
});

test.each([
  ['no tokens of the prompt', { prompt_token_ids: null }],
  ['no tokens of the answer', { token_ids: null }],
  ['what is no token', { token_ids: [2 ** 32] }],
  ['fewer tokens than are kept', { token_ids: [1, 2] }],
])('%s: nothing by which it could be found', (_, change) => {
  const [choice] = turns.d1['choices'] as [object];
  const said = read({}, { ...turns.d1, choices: [{ ...choice, ...change }] });
  expect(said).toMatchObject({ ok: true, value: { tokenIds: undefined } });
});

test.each<[string, object, string]>([
  ['too few blocks', { remote_block_ids: [[1, 2, 3]] }, 'has 3 blocks, the prompt 10'],
  ['too many blocks', { remote_num_tokens: 280 }, 'has 10 blocks, the prompt 9'],
  ['no length', { remote_num_tokens: null }, 'no remote_num_tokens'],
  ['nobody', { remote_host: null }, 'remote_host is no text'],
  ['no request', { remote_request_id: undefined }, 'remote_request_id is no text'],
  ['what a prefill says', turns.p1['kv_transfer_params'] as object, 'do_remote_decode is not true'],
  ['both directions', { do_remote_prefill: true }, 'do_remote_prefill is true'],
])('%s: refused by name', (_, change, reason) => {
  expect(read(change)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
});

test('most engines keep nothing', () => {
  const nothing = { ok: true, value: undefined };
  expect(vllmProtocol.readTurn({ ...turns.d1, kv_transfer_params: null }, 32)).toEqual(nothing);
  expect(vllmBatonProtocol.readTurn(turns.d1, blockTokens)).toEqual(nothing);
});

test('prefill is given what decode said, decode is asked for tokens only where that is of use', () => {
  const facts = { decodeHeldTokens: 0, prefixTokens: 0, keptTurn: kept };
  expect(vllmProtocol.prefill(request, facts).body).toMatchObject({
    ...{ max_tokens: 1, stream: false, kv_transfer_params: kept },
  });
  expect(vllmProtocol.decode(request, {}, true).body).toMatchObject({ return_token_ids: true });
  expect(vllmProtocol.decode(request, {}).body).not.toHaveProperty('return_token_ids');
  // And what prefill says then is as of any other prompt.
  const handover = vllmProtocol.readHandover(turns.p2, { promptTokens: 370, blockTokens });
  expect(handover).toEqual({ ok: true, value: turns.p2['kv_transfer_params'] });
});
