import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { keyAt, keyHex, rootKey, segmentKeys, Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { batchOf, storedMap } from '../testing/engine-messages.ts';
import { arr, int, str } from '../testing/msgpack-bytes.ts';
import { eventsOf } from '../testing/events-of.ts';
import { keyOfBlock } from '../testing/key-of-block.ts';
import { RecordedSets } from '../testing/recorded-sets.ts';
import { EngineCache } from './engine-cache.ts';
import { EventDecoder } from './event-decoder.ts';
import { SegmentSlots } from './segment-slots.ts';

const fixtures = new URL('../../../../test/fixtures/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, fixtures), 'utf8');
const vectors = JSON.parse(read('block-hashes/sha256-cbor.json')) as {
  seed: string;
  none: string;
  blocks: {
    parent: number | null;
    tokens: number[];
    extra: unknown[] | null;
    digest?: string;
    int64?: string;
  }[];
};

/** CBOR as vLLM hashes it: the shortest heads, definite lengths. */
function cbor(value: unknown): number[] {
  const head = (major: number, count: number): number[] => {
    const type = major << 5;
    if (count < 24) return [type | count];
    if (count <= 0xff) return [type | 24, count];
    if (count <= 0xffff) return [type | 25, count >> 8, count & 0xff];
    return [type | 26, count >>> 24, (count >> 16) & 0xff, (count >> 8) & 0xff, count & 0xff];
  };
  if (value === null) return [0xf6];
  if (typeof value === 'number') return head(0, value);
  if (typeof value === 'string')
    return [...head(3, Buffer.byteLength(value)), ...Buffer.from(value)];
  if (value instanceof Uint8Array) return [...head(2, value.length), ...value];
  const items = value as unknown[];
  return [...head(4, items.length), ...items.flatMap(cbor)];
}

const sha256Cbor = (value: unknown): Buffer =>
  hash('sha256', Uint8Array.from(cbor(value)), 'buffer') as unknown as Buffer;
const none = sha256Cbor(vectors.seed);
const blockDigest = (parent: Buffer, tokens: readonly number[], extra: unknown): Buffer =>
  sha256Cbor([new Uint8Array(parent), tokens, extra]);
const low64 = (digest: Buffer): bigint => digest.readBigUInt64BE(24);

test('the formula of sha256_cbor gives the values that vLLM and Mooncake publish', () => {
  expect(none.toString('hex')).toBe(vectors.none);
  const digests: Buffer[] = [];
  for (const { parent, tokens, extra, digest, int64 } of vectors.blocks) {
    const before = parent === null ? none : (digests[parent] ?? none);
    const computed = blockDigest(before, tokens, extra);
    if (digest !== undefined) expect(computed.toString('hex')).toBe(digest);
    if (int64 !== undefined) expect(String(low64(computed))).toBe(int64);
    digests.push(computed);
  }
});

test.each([
  ['unsigned integers', (digest: Buffer) => low64(digest)],
  ['signed integers', (digest: Buffer) => BigInt.asIntN(64, low64(digest))],
  ['bytes', (digest: Buffer) => new Uint8Array(digest)],
])('the vectors as %s are the segments that their tokens make', (_, nameOf) => {
  const sink = new RecordedSets();
  const segments = new SegmentSlots();
  const cache = new EngineCache({ tokenization: 'tok', segmentTokens: 32, sink, segments });
  const [first, second, salted] = vectors.blocks;
  if (!first || !second || !salted) throw new Error('vectors are missing');
  const one = blockDigest(none, first.tokens, null);
  const two = blockDigest(one, second.tokens, null);
  const other = blockDigest(none, salted.tokens, salted.extra);
  const tokens = [...first.tokens, ...second.tokens];
  const batch = new EventDecoder().decode(
    batchOf([
      storedMap({ hashes: [nameOf(one), nameOf(two)], tokens, blockTokens: 16, medium: 'GPU' }),
      storedMap({
        hashes: [nameOf(other)],
        tokens: salted.tokens,
        blockTokens: 16,
        adapter: 'lora-a',
        extraKeys: [[str('lora-a'), arr(str('mmhash'), int(3)), str('salt')]],
      }),
    ]),
  );
  if (batch) cache.apply(batch);
  const key = keyAt(segmentKeys(rootKey({ tokenization: 'tok' }), tokens, 32), 0);
  expect(keyOfBlock(cache, segments, nameOf(two))).toEqual(key);
  expect(keyOfBlock(cache, segments, nameOf(one))).toBeUndefined();
  expect(sink.held(Tier.HBM)).toEqual([keyHex(key)]);
  expect(cache.counters.unresolvedBlocks).toBe(0);
  expect(cache.blocks).toBe(3);
});

test.each(['kv-events.jsonl', 'kv-events-decode.jsonl'])(
  'in %s each hash follows from tokens, parent and salt, as our keys do',
  (file) => {
    const digestOf = new Map<string, Buffer>();
    const promptOf = new Map<string, { salt: string | undefined; tokens: number[] }>();
    const sink = new RecordedSets();
    const segments = new SegmentSlots();
    const cache = new EngineCache({ tokenization: 'tok', segmentTokens: 64, sink, segments });
    const decoder = new EventDecoder();
    let compared = 0;
    for (const line of read(`vllm-0.32.0/${file}`).trim().split('\n')) {
      const { frames_hex } = JSON.parse(line) as { frames_hex: string[] };
      const batch = decoder.decode(Buffer.from(frames_hex[2] ?? '', 'hex'));
      expect(batch).toMatchObject({ rank: 0, skipped: 0 });
      if (!batch) continue;
      for (const event of eventsOf(batch).filter(({ type }) => type === 'stored')) {
        let parent = event.parent;
        // A chain that began before the capture, or whose beginning is not in the fixture.
        if (parent !== undefined && !digestOf.has(parent)) continue;
        for (const [i, name] of event.hashes.entries()) {
          const tokens = event.tokens.slice(i * 32, i * 32 + 32);
          const salt = parent === undefined ? event.extraKeys?.salt : undefined;
          const before = parent === undefined ? none : (digestOf.get(parent) ?? none);
          // Seen in these bytes: what is hashed of a salt is a pair, though the event tells the salt alone.
          const extra = salt === undefined ? null : [['cache_salt', salt]];
          const digest = blockDigest(before, tokens, extra);
          expect(name).toBe(`i${low64(digest)}`);
          const prompt = parent === undefined ? { salt, tokens: [] } : promptOf.get(parent);
          promptOf.set(name, {
            salt: prompt?.salt,
            tokens: [...(prompt?.tokens ?? []), ...tokens],
          });
          digestOf.set(name, digest);
          parent = name;
        }
      }
      cache.apply(batch);
      for (const [name, { salt, tokens }] of promptOf) {
        const key = keyOfBlock(cache, segments, BigInt(name.slice(1)));
        if (key === undefined) continue;
        const keys = segmentKeys(rootKey({ tokenization: 'tok', salt }), tokens, 64);
        expect(key).toEqual(keys.subarray(-16));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(0);
    expect(sink.problems).toEqual([]);
    expect(cache.counters).toMatchObject({ mismatched: 0, malformed: 0, ignored: 0 });
  },
);
