import { eventually, post, readStream, send } from '@baton/test-kit';
import { describe, expect, test } from 'vitest';
import { CHAT, COMPLETIONS, MODEL } from './testing/asking.ts';
import { pair, PLACE, startedSglangPair } from './testing/sglang-pair.ts';
import { tokensOf } from './testing/started-fleet.ts';
import type { ViolationKind } from './violations.ts';

const prompt = tokensOf(1, 100);
const body = { model: MODEL, prompt, max_tokens: 8 };
const textOf = (answer: { body: { choices?: { text?: string }[] } }): string | undefined =>
  answer.body.choices?.[0]?.text;

test.each([1, 15, 16, 17, 500])(
  'a prompt of %i tokens: both at once give what one engine gives',
  async (count) => {
    const { fleet, p, d, whole } = await startedSglangPair();
    const call = { ...body, prompt: tokensOf(count, count) };
    const alone = await post(whole.url, COMPLETIONS, call);
    const [prefilled, decoded] = await pair({ p, d }, { ...call, bootstrap_room: 2 ** 47 });
    expect(textOf(decoded)).toBe(textOf(alone));
    expect(decoded.body.choices?.[0]?.finish_reason).toBe('length');
    expect(prefilled.body).toMatchObject({
      choices: [{ finish_reason: 'length', matched_stop: null }],
      usage: { prompt_tokens: count, completion_tokens: 1 },
    });
    expect(fleet.violations.list).toEqual([]);
    expect(fleet.leaks()).toEqual([]);
  },
);

test('a chat, streamed by decode alone', async () => {
  const { fleet, p, d, whole } = await startedSglangPair();
  const call = { model: MODEL, messages: [{ role: 'user', content: 'What for?' }], max_tokens: 12 };
  const alone = await post(whole.url, CHAT, call);
  const met = { ...call, ...PLACE, bootstrap_room: 7 };
  const prefilled = post(p.url, CHAT, met);
  const { text, done } = await readStream(await send(d.url, CHAT, { ...met, stream: true }));
  expect([text, done]).toEqual([alone.body.choices?.[0]?.message?.content, true]);
  expect((await prefilled).status).toBe(200);
  expect(fleet.violations.list).toEqual([]);
  await eventually(() => expect(fleet.leaks()).toEqual([]));
});

test('decode keeps no prefixes, prefill does: what it found is told, and nothing where nothing was', async () => {
  const { p, d } = await startedSglangPair();
  const cached = async (room: number): Promise<unknown[]> => {
    const answers = await pair({ p, d }, { ...body, bootstrap_room: room });
    return answers.map((answer) => answer.body.usage?.prompt_tokens_details);
  };
  expect(await cached(1)).toEqual([null, null]);
  expect(await cached(2)).toEqual([{ cached_tokens: 96 }, null]);
});

describe('what is done wrong', () => {
  const asked = async (more: object, kinds: ViolationKind[], options = {}) => {
    const { fleet, p, d } = await startedSglangPair({ meetMs: 100, ...options });
    const answers = await pair({ p, d }, { ...body, ...more });
    await eventually(() => expect(fleet.leaks()).toEqual([]));
    expect(fleet.violations.kinds.sort()).toEqual(kinds);
    return answers.map(({ status }) => status);
  };

  test('no room: neither side answers alone', async () => {
    expect(await asked({ bootstrap_room: undefined }, ['no_room', 'no_room'])).toEqual([400, 400]);
  });

  test.each([-1, 1.5, '7', 2 ** 63])('%j is no room', async (bootstrap_room) => {
    expect(await asked({ bootstrap_room }, ['no_such_room', 'no_such_room'])).toEqual([400, 400]);
  });

  test('a room that JSON does not have exactly', async () => {
    const statuses = await asked({ bootstrap_room: 2 ** 60 }, ['no_such_room', 'no_such_room']);
    expect(statuses).toEqual([200, 200]);
  });

  test('a place where nobody is: decode fails, prefill waits in vain', async () => {
    const kinds: ViolationKind[] = ['other_bootstrap', 'room_never_met', 'unknown_bootstrap'];
    expect(await asked({ bootstrap_room: 1, bootstrap_port: 9_000 }, kinds)).toEqual([500, 500]);
  });

  test('a transfer that fails takes both along, and is nobody’s fault', async () => {
    const { fleet, p, d } = await startedSglangPair();
    d.arm({ kind: 'transfer_failure' });
    const answers = await pair({ p, d }, { ...body, bootstrap_room: 1 });
    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
    expect(answers[1]?.body).toMatchObject({
      object: 'error',
      message: 'KVTransferError(bootstrap_room=1): KV transfer failed',
    });
    await eventually(() => expect(fleet.leaks()).toEqual([]));
    expect(fleet.violations.list).toEqual([]);
  });

  test('a room that is used twice', async () => {
    const { fleet, p, d } = await startedSglangPair({ meetMs: 100 });
    await pair({ p, d }, { ...body, bootstrap_room: 1 });
    await pair({ p, d }, { ...body, bootstrap_room: 1 });
    expect(new Set(fleet.violations.kinds)).toEqual(new Set(['room_used_twice']));
    await eventually(() => expect(fleet.leaks()).toEqual([]));
  });

  test.each(['p', 'd'] as const)('one side alone (%s) waits in vain', async (name) => {
    const { fleet, ...engines } = await startedSglangPair({ meetMs: 100 });
    const call = { ...body, ...PLACE, bootstrap_room: 1 };
    expect((await post(engines[name].url, COMPLETIONS, call)).status).toBe(500);
    expect(fleet.violations.kinds).toEqual(['room_never_met']);
    await eventually(() => expect(fleet.leaks()).toEqual([]));
  });

  test('other prompts in one room: decode answers from other KV', async () => {
    const { fleet, p, d } = await startedSglangPair();
    const call = { ...body, ...PLACE, bootstrap_room: 1 };
    await Promise.all([
      post(p.url, COMPLETIONS, call),
      post(d.url, COMPLETIONS, { ...call, prompt: tokensOf(2, 100) }),
    ]);
    expect(fleet.violations.kinds).toEqual(['other_prompt', 'wrong_kv']);
  });

  test('a room for a server that is no side of pairs', async () => {
    const { fleet, whole } = await startedSglangPair();
    const call = { ...body, ...PLACE, bootstrap_room: 1 };
    expect((await post(whole.url, COMPLETIONS, call)).status).toBe(200);
    expect(fleet.violations.kinds).toEqual(['no_connector']);
  });
});

test.each(['p', 'd'] as const)(
  'a client that leaves one side (%s) ends the other',
  async (name) => {
    const { fleet, p, d } = await startedSglangPair({ speedUp: 1 });
    const call = { ...body, ...PLACE, bootstrap_room: 1, prompt: tokensOf(1, 900) };
    const leave = new AbortController();
    const legs = { p, d };
    const other = name === 'p' ? d : p;
    const left = send(legs[name].url, COMPLETIONS, call, { signal: leave.signal });
    const stayed = post(other.url, COMPLETIONS, call);
    await eventually(() => p.inUse.heldPrompts === 1 && d.inUse.runs === 1 && p.inUse.runs === 1);
    leave.abort();
    await expect(left).rejects.toThrow();
    expect((await stayed).status).toBe(500);
    await eventually(() => expect(fleet.leaks()).toEqual([]));
    expect(fleet.violations.list).toEqual([]);
  },
);

test('a prefill server that ends takes its rooms along', async () => {
  const { fleet, p, d } = await startedSglangPair({ speedUp: 1 });
  const call = { ...body, ...PLACE, bootstrap_room: 1, prompt: tokensOf(1, 900) };
  const prefilled = post(p.url, COMPLETIONS, call);
  const decoded = post(d.url, COMPLETIONS, call);
  const failed = expect(prefilled).rejects.toThrow();
  await eventually(() => p.inUse.runs === 1 && d.inUse.runs === 1);
  await p.restart();
  await failed;
  expect((await decoded).status).toBe(500);
  await eventually(() => expect(fleet.leaks()).toEqual([]));
  expect(fleet.violations.list).toEqual([]);
});
