import { fittedCost } from '@baton/sim';
import { eventually, post, send, type HttpAnswer } from '@baton/test-kit';
import { describe, expect, test } from 'vitest';
import type { FleetOptions, StandInFleet } from './fleet.ts';
import type { StandIn } from './stand-in.ts';
import { COMPLETIONS, MODEL, type Params } from './testing/asking.ts';
import { startedPair, tokensOf } from './testing/started-fleet.ts';
import type { ViolationKind } from './violations.ts';

/** Connectors of which both sides are asked at once: NixlPushConnector and MooncakeConnector. */

interface Pair {
  fleet: StandInFleet;
  p: StandIn;
  d: StandIn;
  /** What each side is told of a prompt. */
  told: (id: string) => { prefill: Params; decode: Params };
}

/** Of which a prefill lasts until its client has left. */
const slow = fittedCost({
  ...{ name: 'slow', kvBytesPerToken: 2_048, chunkTokens: 2_048, firstToken: 'decode' },
  prefill: { fixedMs: 0, perTokenMs: 100, perPairMs: 0 },
  decode: { fixedMs: 1, perSequenceMs: 0, perKvTokenMs: 0 },
});
/** How long one waits for the other, real time. */
const WAIT_MS = 400;

const kinds: [string, (changes?: FleetOptions) => Promise<Pair>][] = [
  [
    'nixl-push',
    async (changes) => {
      const nixl = { push: true, leaseMs: WAIT_MS, turnMs: WAIT_MS };
      const pair = await startedPair({ nixl, ...changes });
      const place = { remote_engine_id: 'p', remote_host: '127.0.0.1', remote_port: 5_600 };
      return {
        ...pair,
        told: (id) => ({
          prefill: { do_remote_decode: true, do_remote_prefill: false },
          decode: { do_remote_prefill: true, remote_request_id: id, tp_size: 1, ...place },
        }),
      };
    },
  ],
  [
    'mooncake',
    async (changes) => {
      const mooncake = { abortMs: WAIT_MS };
      const pair = await startedPair({ nixl: undefined, mooncake, ...changes });
      const at = `http://127.0.0.1:${pair.p.bootstrapPort}`;
      return {
        ...pair,
        told: (transfer_id) => ({
          prefill: { do_remote_decode: true, do_remote_prefill: false, transfer_id },
          decode: {
            ...{ do_remote_prefill: true, remote_bootstrap_addr: at },
            ...{ remote_engine_id: 'p', transfer_id },
          },
        }),
      };
    },
  ],
];

const prompt = tokensOf(1, 300);
const textOf = ({ body }: HttpAnswer): unknown => body.choices?.[0]?.text;

function legs(
  { p, d, told }: Pair,
  id: string,
  more: { d?: object; p?: object; id?: string } = {},
) {
  const headers = { 'x-request-id': id };
  const { prefill, decode } = told(more.id ?? id);
  const body = { model: MODEL, prompt, max_tokens: 8 };
  const first = { ...body, max_tokens: 1, kv_transfer_params: prefill, ...more.p };
  const second = { ...body, kv_transfer_params: { ...decode, ...more.d } };
  return {
    prefill: (options = {}) => post(p.url, COMPLETIONS, first, { headers, ...options }),
    decode: (options = {}) => post(d.url, COMPLETIONS, second, { headers, ...options }),
  };
}

async function atRest({ fleet }: Pair, violations: ViolationKind[] = []): Promise<void> {
  await eventually(() => expect(fleet.leaks()).toEqual([]));
  expect(fleet.violations.kinds).toEqual(violations);
}

describe.each(kinds)('%s', (kind, start) => {
  test('both at once, decode first, prefill first: all give what one engine gives', async () => {
    const pair = await start();
    const alone = textOf(
      await post(pair.d.url, COMPLETIONS, { model: MODEL, prompt, max_tokens: 8, cache_salt: 'x' }),
    );
    const { prefill, decode } = legs(pair, 'both');
    const [prefilled, decoded] = await Promise.all([prefill(), decode()]);
    expect(textOf(decoded)).toBe(alone);
    const params = prefilled.body.kv_transfer_params as Params | null;
    if (kind === 'mooncake') expect(params).toBeNull();
    else expect(params).toMatchObject({ transfer_mode: 'push', remote_engine_id: 'p' });
    const later = legs(pair, 'decode-first');
    const waiting = later.decode();
    await eventually(() => pair.p.inUse.heldPrompts === 1);
    await later.prefill();
    expect(textOf(await waiting)).toBe(alone);
    const earlier = legs(pair, 'prefill-first');
    await earlier.prefill();
    expect(textOf(await earlier.decode())).toBe(alone);
    await atRest(pair);
  });

  test('what is wrong is seen: an id used twice, another prompt, nobody there, nobody who comes', async () => {
    const pair = await start();
    const one = legs(pair, 'one');
    await Promise.all([one.prefill(), one.decode()]);
    await Promise.all([one.prefill(), one.decode()]);
    await atRest(pair, ['used_twice', 'used_twice']);
    const other = legs(pair, 'other', { p: { prompt: tokensOf(2, 300) } });
    await Promise.all([other.prefill(), other.decode()]);
    await atRest(pair, ['used_twice', 'used_twice', 'other_prompt', 'wrong_kv']);
    const lost = legs(pair, 'lost', { d: { remote_engine_id: 'nobody' } });
    expect((await lost.decode()).status).toBe(500);
    const alone = legs(pair, 'alone');
    expect((await alone.decode()).status).toBe(500);
    await legs(pair, 'kept').prefill();
    const last = ['unknown_engine', 'never_met', 'lease_expired'] as const;
    await eventually(() => expect(pair.fleet.violations.kinds.slice(4)).toEqual(last));
    await eventually(() => expect(pair.fleet.leaks()).toEqual([]));
  });

  test('a client that leaves decode: blocks wait for what prefill still writes', async () => {
    const pair = await start({ speedUp: 1 });
    const { prefill, decode } = legs(pair, 'left');
    const leave = new AbortController();
    const left = expect(decode({ signal: leave.signal })).rejects.toThrow();
    await eventually(() => pair.d.inUse.usedBlocks === 19);
    leave.abort();
    await left;
    await eventually(() => pair.d.inUse.runs === 0);
    expect(pair.d.inUse.usedBlocks).toBe(19);
    await prefill();
    await atRest(pair);
  });

  test('a client that leaves prefill, a prefill that is refused: decode waits, and gives up', async () => {
    const pair = await start({ speedUp: 1, cost: slow });
    const { prefill, decode } = legs(pair, 'left');
    const leave = new AbortController();
    const left = expect(prefill({ signal: leave.signal })).rejects.toThrow();
    await eventually(() => pair.p.inUse.runs === 1);
    leave.abort();
    await left;
    expect((await decode()).status).toBe(500);
    await atRest(pair);
  });

  test('a transfer that fails, a prefill that ends while it keeps', async () => {
    const pair = await start();
    pair.d.arm({ kind: 'transfer_failure' });
    const { prefill, decode } = legs(pair, 'fails');
    const [, decoded] = await Promise.all([prefill(), decode()]);
    expect(decoded.status).toBe(500);
    const kept = legs(pair, 'kept');
    await kept.prefill();
    await pair.p.restart();
    expect((await kept.decode()).status).toBe(500);
    const again = legs(pair, 'again');
    const [, fine] = await Promise.all([again.prefill(), again.decode()]);
    expect(fine.status).toBe(200);
    await eventually(() => expect(pair.fleet.leaks()).toEqual([]));
  });

  test('too little said', async () => {
    const pair = await start();
    const { decode } = legs(pair, 'less', { d: { remote_engine_id: undefined } });
    const leave = new AbortController();
    const answer = decode({ signal: leave.signal }).catch(() => undefined);
    await eventually(() => expect(pair.fleet.violations.kinds).toEqual(['incomplete_parameters']));
    // NIXL dies of it, Mooncake says so in its log and lets the request wait.
    if (kind === 'nixl-push') expect((await answer)?.status).toBe(500);
    leave.abort();
    await answer;
  });
});

test('who only wants to know where prefill is met keeps nothing', async () => {
  const pair = await startedPair({ nixl: { push: true } });
  const kv_transfer_params = { do_remote_decode: true, do_remote_prefill: false };
  const asked = { model: MODEL, prompt: [1, 2, 3], max_tokens: 1, kv_transfer_params };
  const answer = await post(pair.p.url, COMPLETIONS, asked);
  expect(answer.body.kv_transfer_params).toMatchObject({ remote_host: '127.0.0.1' });
  expect(pair.fleet.leaks()).toEqual([]);
});

test('the bootstrap server of Mooncake names the engine', async () => {
  const { p } = await startedPair({ nixl: undefined, mooncake: {} });
  const url = `http://127.0.0.1:${p.bootstrapPort}`;
  expect(await (await fetch(`${url}/query`)).json()).toMatchObject({ 0: { engine_id: 'p' } });
  expect((await send(url, '/query', {})).status).toBe(404);
});

test('of Mooncake a prefill that ends by itself keeps nothing', async () => {
  const [, start] = kinds[1] as (typeof kinds)[number];
  const pair = await start({ meanAnswerTokens: 1 });
  const { prefill, decode } = legs(pair, 'ends');
  await Promise.all([prefill(), decode()]);
  await atRest(pair, ['ended_by_itself', 'never_written']);
});
