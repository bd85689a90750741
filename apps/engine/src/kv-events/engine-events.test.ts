import { readFileSync } from 'node:fs';
import { decode } from '@msgpack/msgpack';
import { keyAt, keyHex, rootKey, segmentKeys } from '@baton/kv';
import { Dealer, Subscriber } from 'zeromq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from '@baton/test-kit';
import { SEGMENT_TOKENS, startTestEngine, tinyModelFolder } from '../testing/test-engine.ts';
import type { TestEngine } from '../testing/test-engine.ts';
import { Tokenizer } from '../tokenizer/tokenizer.ts';

type EventMap = Record<string, unknown>;

const model = tinyModelFolder();
/** Room for about ten segments, so that the last prompt pushes others out. */
const CAPACITY_TOKENS = 640;
let engine: TestEngine;
let subscriber: Subscriber;
let tokenization: string;

beforeAll(async () => {
  const { tokenizer, facts } = await Tokenizer.open(model.file);
  tokenization = facts.tokenization;
  await tokenizer.close();
  engine = await startTestEngine({
    model: model.file,
    kvCapacityTokens: CAPACITY_TOKENS,
    maxSequences: 2,
  });
  subscriber = new Subscriber({ linger: 0 });
  subscriber.connect(engine.endpoints.events);
  subscriber.subscribe();
});
afterAll(async () => {
  subscriber.close();
  await engine.stop();
  model.remove();
});

const promptOf = (count: number, seed: number): number[] =>
  Array.from({ length: count }, (_, i) => 261 + ((i * 7 + seed * 29) % 95));
const run = (prompt: number[], fields: object = {}) =>
  post(engine.url, '/v1/completions', { model: 'tiny', prompt, max_tokens: 1, ...fields });

/** Everything since the engine's start, from the replay. */
async function replayed(): Promise<{ seq: bigint; batch: [number, EventMap[], number] }[]> {
  const dealer = new Dealer({ linger: 0 });
  dealer.connect(engine.endpoints.replay);
  await dealer.send(['', Buffer.alloc(8)]);
  const batches: { seq: bigint; batch: [number, EventMap[], number] }[] = [];
  for (;;) {
    const [, , seq = Buffer.of(), payload = Buffer.of()] = await dealer.receive();
    if (payload.length === 0) break;
    const batch = decode(new Uint8Array(payload)) as [number, EventMap[], number];
    batches.push({ seq: seq.readBigUInt64BE(), batch });
  }
  dealer.close();
  return batches;
}

test('what enters and leaves the cache is told in the shape of the captures', async () => {
  const first = promptOf(200, 1);
  await run(first);
  await run([...first.slice(0, 128), ...promptOf(70, 2)]);
  await run(promptOf(130, 3), { cache_salt: 'tenant-a' });
  await run(promptOf(400, 4));
  const batches = await replayed();
  expect(batches.map(({ seq }) => seq)).toEqual(batches.map((_, i) => BigInt(i)));
  const events = batches.flatMap(({ batch }) => batch[1]);

  const fixtures = new URL('../../../../test/fixtures/vllm-0.32.0/', import.meta.url);
  const captured = new Map<unknown, EventMap>();
  for (const line of readFileSync(new URL('kv-events.jsonl', fixtures), 'utf8')
    .trim()
    .split('\n')) {
    const { frames_hex } = JSON.parse(line) as { frames_hex: string[] };
    const batch = decode(Buffer.from(frames_hex[2] ?? '', 'hex'), { useBigInt64: true });
    for (const event of (batch as [number, EventMap[], number])[1])
      captured.set(event['type'], event);
  }
  const constant = ['lora_id', 'medium', 'lora_name', 'group_idx', 'kv_cache_spec_kind'];
  for (const event of events) {
    const model = captured.get(event['type']) ?? {};
    expect(Object.keys(event)).toEqual(Object.keys(model));
    for (const field of constant.filter((name) => name in model)) {
      expect([field, event[field]]).toEqual([field, model[field]]);
    }
    const hashes = event['block_hashes'] as Uint8Array[];
    expect(hashes.every((hash) => hash.length === 16)).toBe(true);
    if (event['type'] === 'BlockRemoved') expect(hashes).toHaveLength(1);
  }
  expect(new Set(events.map((event) => event['type']))).toEqual(
    new Set(['BlockStored', 'BlockRemoved']),
  );

  // Following the events gives keys that anybody computes from tokens and parents.
  const root = (salt?: string) => rootKey({ tokenization, salt });
  const known = new Set<string>();
  for (const event of events) {
    const hashes = (event['block_hashes'] as Uint8Array[]).map(keyHex);
    if (event['type'] === 'BlockRemoved') {
      expect(known.delete(hashes[0] ?? '')).toBe(true);
      continue;
    }
    const parent = event['parent_block_hash'] as Uint8Array | null;
    const [salt] = (event['extra_keys'] as (string[] | null)[])[0] ?? [];
    if (parent !== null) expect(known.has(keyHex(parent))).toBe(true);
    const tokens = event['token_ids'] as number[];
    expect(tokens).toHaveLength(hashes.length * SEGMENT_TOKENS);
    expect(event['block_size']).toBe(SEGMENT_TOKENS);
    expect(event['extra_keys']).toHaveLength(hashes.length);
    const keys = segmentKeys(parent ?? root(salt), tokens, SEGMENT_TOKENS);
    expect(hashes).toEqual(hashes.map((_, i) => keyHex(keyAt(keys, i))));
    for (const hash of hashes) known.add(hash);
  }
  const metrics = await (await fetch(`${engine.url}/metrics`)).text();
  const blocks = Number(/num_gpu_blocks="(\d+)"/.exec(metrics)?.[1]);
  expect(known.size).toBeGreaterThan(0);
  expect(known.size).toBeLessThanOrEqual(blocks);
  const salted = segmentKeys(root('tenant-a'), promptOf(130, 3), SEGMENT_TOKENS);
  const stored = events.flatMap((event) =>
    event['type'] === 'BlockStored' ? (event['block_hashes'] as Uint8Array[]).map(keyHex) : [],
  );
  expect(stored).toContain(keyHex(keyAt(salted, 1)));
});

test('a subscriber sees what a replay tells', async () => {
  await run(promptOf(150, 9));
  const last = (await replayed()).at(-1);
  for (;;) {
    const [topic, seq, payload] = await subscriber.receive();
    expect(topic).toHaveLength(0);
    if (seq?.readBigUInt64BE() !== last?.seq) continue;
    expect(decode(new Uint8Array(payload ?? Buffer.of()))).toEqual(last?.batch);
    break;
  }
});
