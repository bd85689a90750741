import { CacheFollower, probeEngine, resetEngineCache } from '@baton/engine-clients';
import { RecordedSets } from '@baton/engine-protocols/testing';
import { keyHex, rootKey, segmentKeys, Tier, unpackKeys } from '@baton/kv';
import { eventually, post } from '@baton/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { COMPLETIONS, MODEL } from './testing/asking.ts';
import { startedSglangPair } from './testing/sglang-pair.ts';
import { tokensOf } from './testing/started-fleet.ts';

/** What Baton reads SGLang with, on stand-ins. */

const SEGMENT_TOKENS = 64;
const cache = { tokenization: 'bytes', segmentTokens: SEGMENT_TOKENS };
const signal = new AbortController().signal;

function keysOf(tokens: readonly number[], salt?: string): string[] {
  const root = rootKey({ tokenization: 'bytes', ...(salt !== undefined && { salt }) });
  return unpackKeys(segmentKeys(root, tokens, SEGMENT_TOKENS)).map(keyHex);
}

test('a follower knows what is cached: prompts once, salts, what was evicted and flushed', async () => {
  const { whole } = await startedSglangPair({ blocks: 66 });
  const { events } = await probeEngine({ engineUrl: whole.url, signal });
  const [source] = events ?? [];
  if (source === undefined) throw new Error('its events are there');
  const told = new RecordedSets();
  const follower = new CacheFollower({
    ...{ source, rank: 0, cache, sink: told, identity: 'sglang', dialect: 'sglang' },
    ...{ onReset: () => undefined, replayTimeoutMs: 500, catchUpMs: 50 },
  });
  onTestFinished(() => follower.close());
  const ask = (prompt: number[], more = {}) =>
    post(whole.url, COMPLETIONS, { model: MODEL, prompt, max_tokens: 1, ...more });
  const prompt = tokensOf(1, 200);
  await Promise.all([ask(prompt), ask(prompt)]);
  await ask(prompt, { cache_salt: 'tenant-a' });
  const wanted = [...keysOf(prompt), ...keysOf(prompt, 'tenant-a')].sort();
  await eventually(() => expect(told.held(Tier.HBM)).toEqual(wanted));
  const long = tokensOf(2, 1_000);
  await ask(long);
  await eventually(() => expect(told.held(Tier.HBM)).toEqual(keysOf(long).sort()));
  expect(await resetEngineCache({ engine: 'sglang', engineUrl: whole.url })).toBeUndefined();
  await ask(prompt);
  await eventually(() => expect(told.held(Tier.HBM)).toEqual(keysOf(prompt).sort()));
  expect(told.problems).toEqual([]);
  expect(follower.counters).toMatchObject({ mismatched: 0, malformed: 0, decodeFailures: 0 });
});

test('adapters: listed behind their model, asked for in two ways, each with KV of its own', async () => {
  const modules = [{ name: 'sql', path: '/sql' }];
  const { whole } = await startedSglangPair({ adapters: { slots: 3, modules } });
  const probed = await probeEngine({ engineUrl: whole.url, signal });
  expect(probed).toMatchObject({
    adapters: [{ name: 'sql', revision: '/sql' }],
    metrics: { adapters: { slots: 3 } },
    eventsObstacle: expect.stringContaining('adapters') as string,
  });
  const prompt = tokensOf(5, 200);
  const ask = (more: object, at = whole) =>
    post(at.url, COMPLETIONS, { prompt, max_tokens: 4, ignore_eos: true, ...more });
  const read = ({ body }: Awaited<ReturnType<typeof ask>>) => {
    const { choices = [], usage } = body as {
      choices?: { text: string }[];
      usage?: { prompt_tokens_details?: { cached_tokens: number } | null };
    };
    return [choices[0]?.text, usage?.prompt_tokens_details?.cached_tokens ?? 0];
  };
  const [base] = read(await ask({ model: MODEL }));
  const [sql, cached] = read(await ask({ model: MODEL, lora_path: 'sql' }));
  expect(cached).toBe(0);
  expect(sql).not.toBe(base);
  expect(read(await ask({ model: `${MODEL}:sql` }))).toEqual([sql, 192]);
  const { whole: plain } = await startedSglangPair();
  for (const refused of [
    ask({ model: MODEL, lora_path: 'law' }),
    ask({ model: 'sql' }),
    ask({ model: MODEL, lora_path: 'sql' }, plain),
  ]) {
    expect((await refused).status).toBeGreaterThanOrEqual(400);
  }
  const load = await post(plain.url, '/load_lora_adapter', { lora_name: 'sql', lora_path: '/sql' });
  expect(load).toMatchObject({ status: 400, body: { success: false } });
});

test('what is found by looking: the kind, the side, the place to meet, room and events', async () => {
  const { p, d, whole } = await startedSglangPair();
  const [prefill, decode, alone] = await Promise.all(
    [p, d, whole].map(({ url }) => probeEngine({ engineUrl: url, signal })),
  );
  const common = { engine: 'sglang', version: '0.5.16', maxModelTokens: 1_024, takesChats: true };
  expect(prefill).toMatchObject({
    ...common,
    ...{ side: 'prefill', connector: 'sglang-mooncake', maxSequences: 128 },
    meetingPoint: { host: '127.0.0.1', port: 8_998, tensorRanks: 1, pipelineRanks: 1 },
    metrics: { cache: { blockTokens: 16, blocks: 255, prefixCaching: true } },
    events: [{ eventsEndpoint: p.eventsEndpoint, replayEndpoint: p.replayEndpoint }],
  });
  expect(decode).toMatchObject({
    ...common,
    ...{ side: 'decode', connector: 'sglang-mooncake', meetingPoint: undefined, events: undefined },
    metrics: { cache: { prefixCaching: false } },
    eventsObstacle: expect.stringContaining('--disaggregation-decode-enable-radix-cache') as string,
  });
  expect(alone).toMatchObject({ ...common, side: undefined, connector: '' });
  expect(new Set([prefill, decode, alone].map((one) => one?.tokenization)).size).toBe(1);
});
