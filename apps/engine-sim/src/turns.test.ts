import { eventually, metricsOf } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { ask, FOR_DECODE, prefill, tokensIn, type Params } from './testing/asking.ts';
import { capturedJson, shapeOf } from './testing/captured.ts';
import { startedPair, tokensOf } from './testing/started-fleet.ts';
import type { ViolationKind } from './violations.ts';

/** NixlConnector with bidirectional_kv_xfer: the prefill of a turn reads what decode keeps of the turn before. */

const nixl = { bidirectional: true };

/** A first turn of 200 tokens and 120 more: its tokens, and what decode says of them. */
async function turn(pair: Awaited<ReturnType<typeof startedPair>>) {
  const body = { prompt: tokensOf(1, 200), cache_salt: 'a' };
  const kv_transfer_params = await prefill(pair.p, body);
  const answer = await ask(pair.d, { ...body, max_tokens: 120, kv_transfer_params });
  const { kv_transfer_params: kept } = answer.body;
  return { tokens: [...body.prompt, ...tokensIn(answer)], kept: { ...kept } as Params, answer };
}

async function next(
  { p, d }: Awaited<ReturnType<typeof startedPair>>,
  prompt: number[],
  kept: Params,
) {
  const body = { prompt, cache_salt: 'a' };
  const cut = { ...body, max_tokens: 1, kv_transfer_params: kept };
  const prefilled = await ask(p, cut, 'two');
  const params = prefilled.body.kv_transfer_params;
  const decoded = await ask(d, { ...body, max_tokens: 9, kv_transfer_params: params }, 'two');
  const alone = await ask(p, { prompt, max_tokens: 9, cache_salt: 'other' }, 'alone');
  return { prefilled, params: params as Params, same: [tokensIn(decoded), tokensIn(alone)] };
}

test('decode keeps prompt and answer, and prefill reads what it lacks of them', async () => {
  const pair = await startedPair({ nixl });
  const { tokens, kept, answer } = await turn(pair);
  const captured = capturedJson<Record<string, { kv_transfer_params: Params }>>('nixl-bidi.json');
  expect(shapeOf(kept)).toEqual(shapeOf(captured['d1']?.kv_transfer_params));
  // The last token that was sampled is nobody's to read.
  expect(kept).toMatchObject({ do_remote_decode: true, remote_num_tokens: 319 });
  expect((kept['remote_block_ids'] as number[][])[0]).toHaveLength(20);
  expect(answer.body.usage?.prompt_tokens_details).toEqual({ cached_tokens: 0 });
  const { prefilled, params, same } = await next(pair, [...tokens, ...tokensOf(3, 50)], kept);
  expect(same[0]).toEqual(same[1]);
  expect(params['remote_prefill_cached_tokens']).toBe(319);
  expect(prefilled.body.usage?.prompt_tokens_details).toEqual({ cached_tokens: 319 });
  const metrics = await metricsOf(pair.p.url);
  const read = metrics.get('prompt_tokens_by_source_total{source="external_kv_transfer"}');
  expect(read).toBe(319 - 192);
  expect(pair.fleet.violations.list).toEqual([]);
  await eventually(() => pair.p.inUse.usedBlocks === 0);
  // What decode keeps of the second turn.
  expect(pair.d.inUse).toMatchObject({ heldPrompts: 1 });
});

test('what prefill has already, or nearly, is not read, and decode is free of it', async () => {
  const pair = await startedPair({ nixl });
  const { tokens, kept } = await turn(pair);
  await ask(pair.p, { prompt: tokens, cache_salt: 'a', max_tokens: 1 });
  const { same } = await next(pair, tokens, kept);
  expect(same[0]).toEqual(same[1]);
  const metrics = await metricsOf(pair.p.url);
  expect(metrics.get('prompt_tokens_by_source_total{source="external_kv_transfer"}')).toBe(0);
  expect(pair.d.inUse.heldPrompts).toBe(1);
  expect(pair.fleet.violations.list).toEqual([]);
});

test('a turn that nobody reads is forgotten, and nobody is blamed', async () => {
  const pair = await startedPair({ nixl: { ...nixl, turnMs: 50 } });
  const { tokens, kept } = await turn(pair);
  expect(pair.d.inUse).toMatchObject({ heldPrompts: 1, usedBlocks: 20 });
  await eventually(() => expect(pair.fleet.leaks()).toEqual([]));
  expect(pair.fleet.violations.list).toEqual([]);
  await next(pair, [...tokens, 5, 6], kept);
  expect(pair.fleet.violations.kinds).toEqual(['used_after_expiry']);
});

test.each<[string, (tokens: number[], kept: Params) => [number[], Params], ViolationKind[]]>([
  [
    'another prompt',
    (tokens, kept) => [tokensOf(9, tokens.length), kept],
    ['other_prompt', 'wrong_kv'],
  ],
  // As vLLM does, the last blocks are read into a prompt that is shorter.
  [
    'a shorter prompt',
    (tokens, kept) => [tokens.slice(0, 270), kept],
    ['other_prompt', 'wrong_kv'],
  ],
  [
    'changed parameters',
    (tokens, kept) => [[...tokens, 5], { ...kept, remote_num_tokens: 318 }],
    ['changed_parameters'],
  ],
])('%s', async (_, change, kinds) => {
  const pair = await startedPair({ nixl });
  const { tokens, kept } = await turn(pair);
  const [prompt, params] = change(tokens, kept);
  await next(pair, prompt, params);
  expect([...new Set(pair.fleet.violations.kinds)]).toEqual(kinds);
});

test('a decode that has ended, a read that fails: prefill fails, and computes when it is asked again', async () => {
  const pair = await startedPair({ nixl });
  const { tokens, kept } = await turn(pair);
  pair.p.arm({ kind: 'transfer_failure' });
  const body = { prompt: [...tokens, 5], cache_salt: 'a', max_tokens: 1 };
  const failed = await ask(pair.p, { ...body, kv_transfer_params: kept }, 'two');
  expect(failed.status).toBe(500);
  await pair.d.restart();
  expect((await ask(pair.p, { ...body, kv_transfer_params: kept }, 'three')).status).toBe(500);
  expect((await ask(pair.p, { ...body, kv_transfer_params: FOR_DECODE }, 'four')).status).toBe(200);
  expect(pair.fleet.violations.list).toEqual([]);
});

test('without it decode keeps nothing, and prefill reads nothing', async () => {
  const pair = await startedPair();
  const { tokens, answer } = await turn(pair);
  expect(answer.body.kv_transfer_params).toBeNull();
  expect(pair.fleet.leaks()).toEqual([]);
  const bidi = await startedPair({ nixl });
  const { kept } = await turn(bidi);
  await next(pair, [...tokens, 5], kept);
  expect(pair.fleet.violations.list).toEqual([]);
});
