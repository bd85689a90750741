import { eventually, post } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { ask, prefill, tokensIn, type Params } from './testing/asking.ts';
import { capturedJson } from './testing/captured.ts';
import { startedPair, tokensOf } from './testing/started-fleet.ts';
import { ViolationLog, type ViolationKind } from './violations.ts';

/** What goes wrong with handover parameters, and what vLLM 0.32.0 was seen to do about it. */

const captured = capturedJson<Record<string, object>>('http-answers.json');
const body = { prompt: tokensOf(1, 100) };
const idsIn = (params: Params) => (params['remote_block_ids'] as number[][])[0] ?? [];

test.each<[string, (params: Params) => Params, ViolationKind[]]>([
  ['another name of the request', (p) => ({ ...p, remote_request_id: 'r' }), ['unknown_request']],
  ['another length', (p) => ({ ...p, remote_num_tokens: 99 }), ['changed_parameters']],
  ['a field too many', (p) => ({ ...p, extra: 1 }), ['changed_parameters']],
])('%s: the answer is right, and only we have seen it', async (_, change, kinds) => {
  const { fleet, p, d } = await startedPair();
  const kv_transfer_params = change(await prefill(p, body));
  const decoded = await ask(d, { ...body, max_tokens: 8, kv_transfer_params });
  expect(tokensIn(decoded)).toEqual(tokensIn(await ask(p, { ...body, max_tokens: 8 })));
  expect(fleet.violations.kinds).toEqual(kinds);
});

test('other blocks: 200 and wrong tokens', async () => {
  const { fleet, p, d } = await startedPair();
  await prefill(p, { prompt: tokensOf(2, 100) }, 'other');
  const params = await prefill(p, body);
  const shifted = idsIn(params).map((id) => id - 7);
  const kv_transfer_params = { ...params, remote_block_ids: [shifted] };
  const decoded = await ask(d, { ...body, max_tokens: 8, kv_transfer_params });
  expect(decoded.status).toBe(200);
  expect(tokensIn(decoded)).not.toEqual(tokensIn(await ask(p, { ...body, max_tokens: 8 })));
  expect(fleet.violations.kinds).toEqual(['changed_parameters', 'wrong_kv']);
});

test('another prompt than that of prefill: wrong tokens', async () => {
  const { fleet, p, d } = await startedPair();
  const kv_transfer_params = await prefill(p, body);
  const other = { prompt: tokensOf(3, 100), max_tokens: 8 };
  const decoded = await ask(d, { ...other, kv_transfer_params });
  expect(tokensIn(decoded)).not.toEqual(tokensIn(await ask(p, other)));
  expect(fleet.violations.kinds).toEqual(['other_prompt', 'wrong_kv']);
});

test.each<[string, (params: Params) => Params, ViolationKind[]]>([
  [
    'too few blocks',
    (p) => ({ ...p, remote_block_ids: [idsIn(p).slice(1)] }),
    ['changed_parameters', 'too_few_blocks'],
  ],
  ['no host', (p) => ({ ...p, remote_host: null }), ['incomplete_parameters']],
])('%s: the decode engine dies', async (_, change, kinds) => {
  const { fleet, p, d } = await startedPair();
  const kv_transfer_params = change(await prefill(p, body));
  const decoded = await ask(d, { ...body, max_tokens: 8, kv_transfer_params });
  expect([decoded.status, decoded.body]).toEqual([500, captured['engineDied']]);
  expect((await fetch(`${d.url}/health`)).status).toBe(503);
  const later = await ask(d, { ...body, max_tokens: 8 });
  expect([later.status, later.body]).toEqual([500, captured['engineDied']]);
  expect(fleet.violations.kinds).toEqual(kinds);
});

test('an engine that nobody knows: 500 after five seconds, and the decode engine lives', async () => {
  const { fleet, p, d } = await startedPair();
  const params = await prefill(p, body);
  const kv_transfer_params = { ...params, remote_port: 1 };
  const decoded = await ask(d, { ...body, max_tokens: 8, kv_transfer_params });
  expect([decoded.status, decoded.body]).toEqual([500, captured['unreachable']]);
  expect(fleet.violations.kinds).toEqual([]);
  const unknown = { ...params, remote_engine_id: 'nobody' };
  await ask(d, { ...body, max_tokens: 8, kv_transfer_params: unknown });
  expect(fleet.violations.kinds).toEqual(['unknown_engine']);
  expect((await ask(d, { ...body, max_tokens: 8 })).status).toBe(200);
});

test('parameters are for one decode', async () => {
  const { fleet, p, d } = await startedPair();
  const kv_transfer_params = await prefill(p, body);
  const decode = () => ask(d, { ...body, max_tokens: 8, kv_transfer_params });
  // Both at once, too: the second is the one that is wrong.
  const [one, other] = await Promise.all([decode(), decode()]);
  expect(tokensIn(one)).toEqual(tokensIn(other));
  expect(fleet.violations.kinds).toEqual(['used_twice']);
});

test('a prompt that nobody reads: its lease ends, and who comes then may read anything', async () => {
  const { fleet, p, d } = await startedPair({ blocks: 66, nixl: { leaseMs: 50 } });
  const kv_transfer_params = await prefill(p, body);
  expect(p.inUse).toMatchObject({ heldPrompts: 1, usedBlocks: 7 });
  await eventually(() => p.inUse.heldPrompts === 0);
  expect(fleet.leaks()).toEqual([]);
  const alone = await ask(d, { ...body, max_tokens: 8, cache_salt: 'x' });
  // Everything in its cache is another prompt's now.
  await ask(p, { prompt: tokensOf(9, 1_000), max_tokens: 1 });
  const decoded = await ask(d, { ...body, max_tokens: 8, kv_transfer_params });
  expect(tokensIn(decoded)).not.toEqual(tokensIn(alone));
  expect(fleet.violations.kinds).toEqual(['lease_expired', 'used_after_expiry', 'wrong_kv']);
  const metrics = await (await fetch(`${p.url}/metrics`)).text();
  expect(metrics).toMatch(/nixl_num_kv_expired_reqs_total\{.*\} 1\.0/);
  expect(metrics).toMatch(/nixl_num_notifications_after_expiry_total\{.*\} 1\.0/);
});

test('what is odd about a request that vLLM takes without a word', async () => {
  const { fleet, p, d } = await startedPair();
  const params = await prefill(p, body, 'one');
  await ask(d, { ...body, max_tokens: 2, kv_transfer_params: params }, 'other');
  await ask(p, { ...body, max_tokens: 2, kv_transfer_params: { do_remote_decode: true } });
  await ask(d, { ...body, max_tokens: 2, kv_transfer_params: {} });
  const both = { do_remote_decode: true, do_remote_prefill: true };
  await ask(p, { ...body, max_tokens: 1, kv_transfer_params: both });
  expect(fleet.violations.kinds).toEqual([
    'other_request_id',
    'prefill_not_cut',
    'empty_parameters',
    'both_directions',
  ]);
});

test('they are told over HTTP, by engine', async () => {
  const { p, d } = await startedPair();
  await ask(d, { ...body, max_tokens: 1, kv_transfer_params: {} }, 'odd');
  const told = async (url: string) => (await fetch(`${url}/sim/violations`)).json();
  expect(await told(p.url)).toEqual({ violations: [], counts: {} });
  expect(await told(d.url)).toMatchObject({
    violations: [{ kind: 'empty_parameters', engine: 'd', detail: expect.stringContaining('odd') }],
    counts: { empty_parameters: 1 },
  });
  const state = await (await fetch(`${d.url}/sim/state`)).json();
  expect(state).toEqual({ openRequests: 0, runs: 0, usedBlocks: 0, heldPrompts: 0 });
  expect((await post(d.url, '/sim/faults', { kind: 'nothing' })).status).toBe(400);
});

test('an engine counts its own, however many others had before', async () => {
  const violations = new ViolationLog();
  const other = { kind: 'wrong_kv', engine: 'other', detail: '', atMs: 0 } as const;
  for (let i = 0; i < 2_000; i += 1) violations.record(other);
  const { d } = await startedPair({ violations });
  await ask(d, { ...body, max_tokens: 1, kv_transfer_params: {} });
  const told = await (await fetch(`${d.url}/sim/violations`)).json();
  expect(told).toMatchObject({ violations: [], counts: { empty_parameters: 1 } });
  expect(violations.total).toBe(2_001);
});
