import { CacheFollower, EngineHttp } from '@baton/engine-clients';
import { protocolOf, type LegRequest, type SequentialProtocol } from '@baton/engine-protocols';
import { RecordedSets } from '@baton/engine-protocols/testing';
import { keyHex, rootKey, segmentKeys, Tier, unpackKeys } from '@baton/kv';
import { eventually, post, send } from '@baton/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { ask, MODEL, tokensIn } from './testing/asking.ts';
import { startedEngine, startedPair, tokensOf } from './testing/started-fleet.ts';
import type { StandIn } from './stand-in.ts';

/** What Baton reads engines with, on stand-ins. */

const SEGMENT_TOKENS = 64;
const TOKENIZATION = 'bytes';

/** @param catchUpMs how often it asks by itself whether something was missed */
function follow(engine: StandIn, catchUpMs = 50) {
  const told = new RecordedSets();
  const resets: string[] = [];
  const follower = new CacheFollower({
    source: { eventsEndpoint: engine.eventsEndpoint, replayEndpoint: engine.replayEndpoint },
    rank: 0,
    cache: { tokenization: TOKENIZATION, segmentTokens: SEGMENT_TOKENS },
    sink: told,
    identity: 'stand-in',
    onReset: (reason) => void resets.push(reason),
    replayTimeoutMs: 500,
    catchUpMs,
  });
  onTestFinished(() => follower.close());
  return { told, resets, follower };
}

function keysOf(
  tokens: readonly number[],
  scope: { salt?: string; adapter?: string } = {},
): string[] {
  const root = rootKey({ tokenization: TOKENIZATION, ...scope });
  return unpackKeys(segmentKeys(root, tokens, SEGMENT_TOKENS)).map(keyHex);
}

const prompt = tokensOf(1, 200);

test('a follower knows what is cached: prompts, answers, salts, adapters, what was evicted', async () => {
  const engine = await startedEngine({ blocks: 66 });
  const { told, follower } = follow(engine);
  await send(engine.url, '/v1/load_lora_adapter', { lora_name: 'lora-a', lora_path: 'a' });
  const answer = await ask(engine, { prompt, max_tokens: 100 });
  await ask(engine, { prompt, max_tokens: 1, cache_salt: 'tenant-a' });
  await ask(engine, { prompt, max_tokens: 1, model: 'lora-a' });
  // The KV of the last token is never there.
  const whole = [...prompt, ...tokensIn(answer).slice(0, -1)];
  const wanted = [
    ...keysOf(whole),
    ...keysOf(prompt, { salt: 'tenant-a' }),
    ...keysOf(prompt, { adapter: 'lora-a' }),
  ].sort();
  await eventually(() => expect(told.held(Tier.HBM)).toEqual(wanted));
  const long = tokensOf(2, 1_000);
  await ask(engine, { prompt: long, max_tokens: 1 });
  await eventually(() => expect(told.held(Tier.HBM)).toEqual(keysOf(long).sort()));
  await post(engine.url, '/reset_prefix_cache', {});
  await ask(engine, { prompt, max_tokens: 1 });
  await eventually(() => expect(told.held(Tier.HBM)).toEqual(keysOf(prompt).sort()));
  expect(told.problems).toEqual([]);
  expect(follower.counters).toMatchObject({ mismatched: 0, malformed: 0, decodeFailures: 0 });
});

test('events that are lost and repeated: the follower asks again, and a restart is one', async () => {
  const engine = await startedEngine();
  const { told, resets, follower } = follow(engine, 10_000);
  const prompts: number[][] = [];
  const askNext = async (): Promise<void> => {
    const next = tokensOf(prompts.length, 70);
    prompts.push(next);
    await ask(engine, { prompt: next, max_tokens: 1 });
  };
  // A subscription takes its time: until then everything comes by replay.
  await eventually(async () => {
    await askNext();
    return follower.counters.batches > follower.counters.replayed;
  });
  engine.arm({ kind: 'lose_events' });
  engine.arm({ kind: 'repeat_events' });
  for (let i = 0; i < 3; i += 1) await askNext();
  const all = () => prompts.flatMap((one) => keysOf(one)).sort();
  await eventually(() => expect(told.held(Tier.HBM)).toEqual(all()));
  expect(follower.counters.gaps).toBeGreaterThan(0);
  expect(follower.counters.repeated).toBeGreaterThan(0);
  expect(resets).toEqual([]);
  await engine.restart();
  await ask(engine, { prompt, max_tokens: 1 });
  await eventually(() => expect(told.held(Tier.HBM)).toEqual(keysOf(prompt).sort()));
  expect(resets).not.toEqual([]);
});

test('the protocol of vLLM pairs, over the client that the gateway has', async () => {
  const { fleet, p, d } = await startedPair();
  const protocol = protocolOf('vllm', 'nixl', true) as SequentialProtocol;
  const http = new EngineHttp({ connectMs: 1_000, maxAnswerBytes: 1_000_000 });
  onTestFinished(() => http.close());
  const request: LegRequest = {
    api: 'completion',
    planId: 'plan-1',
    promptTokens: prompt,
    maxOutputTokens: 12,
    body: { model: MODEL, prompt: 'not looked at', stream: true },
  };
  const { signal } = new AbortController();
  const limits = { firstByteMs: 5_000, idleMs: 5_000 };
  const headers = { 'x-request-id': 'plan-1' };
  const facts = { promptTokens: prompt.length, blockTokens: 16 };
  const before = await http.postJson({
    ...{ engineUrl: p.url, headers, signal, limits },
    ...protocol.prefill(request, { decodeHeldTokens: 0, prefixTokens: 0 }),
  });
  expect(protocol.readAccounting(before, 'prefill')).toMatchObject({ computedTokens: 200 });
  const read = protocol.readHandover(before, facts);
  if (!read.ok || read.value === undefined) throw new Error('no parameters');
  const stream = await http.postStream({
    ...{ engineUrl: d.url, headers, signal, limits },
    ...protocol.decode(request, read.value),
  });
  const events: string[] = [];
  for (let next = await stream.next(); next; next = await stream.next()) events.push(...next);
  const chunks = events.map((event) => JSON.parse(event) as { choices: { text: string }[] });
  const alone = await ask(p, { prompt, max_tokens: 12 });
  const text = chunks.flatMap(({ choices }) => choices.map((choice) => choice.text)).join('');
  expect(text).toBe(alone.body.choices[0]?.text);
  expect(fleet.violations.list).toEqual([]);
  expect(fleet.leaks()).toEqual([]);
});
