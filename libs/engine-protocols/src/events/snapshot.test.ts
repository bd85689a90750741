import { decode } from '@msgpack/msgpack';
import { keyFromHex, Tier } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockWorld, choices } from '../testing/block-world.ts';
import { batchOf, removedMap, storedMap } from '../testing/engine-messages.ts';
import { FollowedEngine, hexKeys, tokensFrom } from '../testing/followed-engine.ts';
import { hybridEvent, hybridSteps } from '../testing/hybrid-steps.ts';
import { arr, bin, int, ints, map, nil, str, u64 } from '../testing/msgpack-bytes.ts';
import { NaiveCache } from '../testing/naive-cache.ts';
import type { EngineCacheOptions } from './engine-cache.ts';
import { engineTiers } from './engine-tiers.ts';
import { EventDecoder } from './event-decoder.ts';

/** Another engine that knows what one wrote of itself. */
function copyOf(
  original: FollowedEngine,
  options: Partial<EngineCacheOptions> = {},
  maxBytes?: number,
): FollowedEngine {
  const copy = new FollowedEngine(options);
  const decoder = new EventDecoder('snapshot');
  for (const payload of original.cache.snapshot(maxBytes)) {
    const batch = decoder.decode(payload);
    expect(batch).toMatchObject({ skipped: 0 });
    copy.cache.apply(batch!);
  }
  expect(copy.cache.counters).toMatchObject({
    malformed: 0,
    mismatched: 0,
    refused: 0,
    ignored: 0,
  });
  return copy;
}

function expectSame(copy: FollowedEngine, original: FollowedEngine): void {
  for (const tier of engineTiers) {
    expect(copy.sink.held(tier)).toEqual(original.sink.held(tier));
    expect(copy.sink.held(tier, true)).toEqual(original.sink.held(tier, true));
  }
  expect(copy.cache.blocks).toBe(original.cache.blocks);
  expect(copy.cache.counters.unresolvedBlocks).toBe(original.cache.counters.unresolvedBlocks);
  expect(copy.sink.problems).toEqual([]);
}

test('an empty cache writes nothing', () => {
  expect([...new FollowedEngine().cache.snapshot()]).toEqual([]);
});

test.each([16, 64])('a copy goes on as the original does, blocks of %d', (block) => {
  fc.assert(
    fc.property(
      choices,
      hybridSteps,
      hybridSteps,
      fc.boolean(),
      (chosen, before, after, asBytes) => {
        const world = blockWorld(chosen, block, asBytes);
        const naive = new NaiveCache(64);
        const options = { hybrid: true };
        const original = new FollowedEngine(options);
        for (const step of before) original.say(hybridEvent(step, world, naive));
        const copy = copyOf(original, options, 300);
        expectSame(copy, original);
        for (const step of after) {
          const event = hybridEvent(step, world, naive);
          original.say(event);
          copy.say(event);
          expectSame(copy, original);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('copies, names, roots, media and sizes of all kinds come through', () => {
  const original = new FollowedEngine();
  const tokens = tokensFrom(1, 128);
  const odd = 'ä 🦜\0"';
  const extraKeys = [[str(odd), arr(str('cat'), int(3)), str(odd)], ...Array<undefined>(5)];
  original.say(
    // Ends in the middle of a segment: the medium is still needed for a key to come.
    storedMap({
      hashes: [1n, 2n],
      tokens: tokens.slice(0, 32),
      blockTokens: 16,
      adapter: odd,
      extraKeys: extraKeys.slice(0, 2),
    }),
    storedMap({ hashes: [3n], parent: 2n, tokens: tokens.slice(32, 40), blockTokens: 8 }),
    storedMap({ hashes: [1n, 2n], tokens: [], medium: 'CPU' }),
    storedMap({ hashes: [1n], tokens: [] }),
    storedMap({
      hashes: [Uint8Array.of(1), new Uint8Array(15).fill(7), new Uint8Array(32).fill(9)],
    }),
    // Hangs on what is not known.
    storedMap({ hashes: [21n], parent: 20n, tokens: tokens.slice(0, 64), blockTokens: 64 }),
  );
  const copy = copyOf(original);
  expectSame(copy, original);
  for (const engine of [original, copy]) {
    engine.say(
      removedMap({ hashes: [1n] }),
      storedMap({ hashes: [4n, 5n, 6n], parent: 3n, tokens: tokens.slice(40, 64), blockTokens: 8 }),
    );
    const key = hexKeys(tokens.slice(0, 64), 64, { adapter: odd, salt: odd }, [
      { offset: 3, id: 'cat' },
    ]);
    expect(engine.sink.held(Tier.HBM)).toEqual(key);
    engine.say(removedMap({ hashes: [1n] }));
    expect(engine.sink.held(Tier.HBM)).toEqual([]);
    expect(engine.cache.counters.absent).toBe(0);
  }
});

test('what a former life is needed for is kept without a copy of its own', () => {
  const original = new FollowedEngine();
  const tokens = tokensFrom(1, 128);
  original.say(
    storedMap({ hashes: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n], tokens, blockTokens: 16 }),
    removedMap({ hashes: [2n, 5n, 6n] }),
  );
  const copy = copyOf(original);
  expectSame(copy, original);
  for (const engine of [original, copy]) {
    engine.say(storedMap({ hashes: [2n, 5n, 6n], tokens: [] }));
    expect(engine.sink.held(Tier.HBM)).toEqual(hexKeys(tokens).sort());
    engine.say(removedMap({ hashes: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n] }));
    expect(engine.cache.blocks).toBe(0);
  }
});

test('a block that only a window group holds goes with its last copy there', () => {
  const original = new FollowedEngine({ hybrid: true });
  const tokens = tokensFrom(1, 16);
  const block = { hashes: [1n], tokens, blockTokens: 16 };
  const window = { group: 1, kind: 'sliding_window', window: 32 };
  original.say(storedMap(block), storedMap({ ...block, ...window }), removedMap({ hashes: [1n] }));
  const copy = copyOf(original, { hybrid: true });
  copy.say(removedMap({ hashes: [1n], group: 1 }));
  expect(copy.cache.blocks).toBe(0);
});

test('a snapshot is plain event batches to everybody else, none much larger than was asked', () => {
  const original = new FollowedEngine();
  for (let i = 1; i <= 200; i += 1) {
    const hashes = [0, 1, 2, 3].map((block) => BigInt(i * 10 + block));
    original.say(storedMap({ hashes, tokens: tokensFrom(i, 64), blockTokens: 16 }));
  }
  const chunks = [...original.cache.snapshot(4_000)];
  expect(chunks.length).toBeGreaterThan(10);
  const hashes = new Set<bigint>();
  for (const chunk of chunks) {
    expect(chunk.length).toBeLessThan(6_000);
    const [, events] = decode(chunk, { useBigInt64: true }) as [
      number,
      { type: string; block_hashes: bigint[] }[],
    ];
    for (const event of events) {
      expect(event.type).toBe('BlockStored');
      for (const hash of event.block_hashes) hashes.add(hash);
    }
  }
  expect(hashes.size).toBe(800);
});

test('only a snapshot may bring keys: an engine that sends some is not believed', () => {
  const writer = new FollowedEngine();
  const tokens = tokensFrom(1, 64);
  writer.say(storedMap({ hashes: [1n], tokens, blockTokens: 64 }));
  const [payload] = writer.cache.snapshot();
  const engine = new FollowedEngine();
  engine.cache.apply(engine.decoder.decode(payload!)!);
  expect(engine.sink.held(Tier.HBM)).toEqual([]);
});

const key = new Uint8Array(16).fill(1);
test.each<[string, Uint8Array, Uint8Array, number[], bigint | undefined]>([
  ['keys without tiers', key, Uint8Array.of(), [], undefined],
  ['tiers for other blocks', key, Uint8Array.of(1), tokensFrom(1, 48), undefined],
  ['half a key', key.subarray(8), Uint8Array.of(1, 1, 1, 1), tokensFrom(1, 48), undefined],
  [
    'fewer tokens than the keys leave',
    key,
    Uint8Array.of(1, 1, 1, 1),
    tokensFrom(1, 32),
    undefined,
  ],
  ['keys where the parent is unknown', key, Uint8Array.of(1, 1, 1, 1), tokensFrom(1, 48), 9n],
])('a snapshot that lies is not believed: %s', (_, keys, tiersOf, tokens, parent) => {
  const event = map(
    ['type', str('BlockStored')],
    ['block_hashes', ints([1, 2, 3, 4])],
    ['parent_block_hash', parent === undefined ? nil : u64(parent)],
    ['token_ids', ints(tokens)],
    ['block_size', int(16)],
    ['segment_keys', bin(keys)],
    ['tiers', bin(tiersOf)],
  );
  const honest = storedMap({ hashes: [11n], tokens: tokensFrom(2, 64), blockTokens: 64 });
  const engine = new FollowedEngine();
  const batch = new EventDecoder('snapshot').decode(batchOf([event, honest]));
  expect(batch?.skipped).toBe(0);
  engine.cache.apply(batch!);
  expect(engine.cache.counters.malformed).toBe(1);
  expect(engine.sink.held(Tier.HBM)).toEqual(hexKeys(tokensFrom(2, 64)));
});

test('our own engine writes and reads itself as well', () => {
  const options = { hashesAreKeys: true };
  const original = new FollowedEngine(options);
  const tokens = tokensFrom(1, 192);
  const hashes = hexKeys(tokens).map(keyFromHex);
  original.say(
    storedMap({
      hashes: hashes.slice(1),
      parent: hashes[0],
      tokens: tokens.slice(64),
      blockTokens: 64,
    }),
  );
  const copy = copyOf(original, options);
  expectSame(copy, original);
  const batch = copy.decoder.decode(
    batchOf([
      storedMap({ hashes: hashes.slice(0, 1), tokens: tokens.slice(0, 64), blockTokens: 64 }),
    ]),
  );
  copy.cache.apply(batch!);
  expect(copy.sink.held(Tier.HBM)).toEqual(hexKeys(tokens).sort());
});
