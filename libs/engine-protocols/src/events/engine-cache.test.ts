import { keyHex, Tier, unpackKeys } from '@baton/kv';
import { expect, test } from 'vitest';
import { clearedMap, removedMap, storedMap } from '../testing/engine-messages.ts';
import type { StoredMessage } from '../testing/engine-messages.ts';
import { FollowedEngine, hexKeys, tokensFrom } from '../testing/followed-engine.ts';
import { keyOfBlock } from '../testing/key-of-block.ts';
import { arr, bin, int, str } from '../testing/msgpack-bytes.ts';
import { segmentKeySource } from './key-source.ts';
import { SegmentSlots } from './segment-slots.ts';

const sorted = (keys: readonly string[]): string[] => [...keys].sort();
/** Blocks of 16 tokens with these names, after the block before them. */
const blocks = (
  first: number,
  count: number,
  tokens: readonly number[],
  changes: Partial<StoredMessage> = {},
) =>
  storedMap({
    hashes: Array.from({ length: count }, (_, i) => BigInt(first + i)),
    parent: first === 1 ? undefined : BigInt(first - 1),
    tokens: tokens.slice((first - 1) * 16, (first - 1 + count) * 16),
    blockTokens: 16,
    medium: 'GPU',
    ...changes,
  });
const removed = (...names: number[]) => removedMap({ hashes: names.map(BigInt), medium: 'GPU' });

test('a segment is held from its last block to the removal of any of its blocks', () => {
  const { sink, cache, say } = engine();
  const tokens = tokensFrom(1, 128);
  const [one, two] = hexKeys(tokens) as [string, string];
  say(blocks(1, 3, tokens));
  expect(sink.held(Tier.HBM)).toEqual([]);
  say(blocks(4, 1, tokens));
  expect(sink.held(Tier.HBM)).toEqual([one]);
  say(blocks(5, 4, tokens));
  expect(sink.held(Tier.HBM)).toEqual(sorted([one, two]));
  say(removed(2));
  expect(sink.held(Tier.HBM)).toEqual([two]);
  say(blocks(2, 1, tokens));
  expect(sink.held(Tier.HBM)).toEqual(sorted([one, two]));
  say(removed(1, 2, 3, 4, 5, 6, 7, 8));
  expect(sink.held(Tier.HBM)).toEqual([]);
  expect(cache.blocks).toBe(0);
});

test('chains that part inside of a segment share what comes before', () => {
  const { sink, say } = engine();
  const left = tokensFrom(1, 64);
  const right = [...left.slice(0, 32), ...tokensFrom(2, 32)];
  say(blocks(1, 4, left));
  say(storedMap({ hashes: [13n, 14n], parent: 2n, tokens: right.slice(32), blockTokens: 16 }));
  expect(sink.held(Tier.HBM)).toEqual(sorted([...hexKeys(left), ...hexKeys(right)]));
  say(removed(2));
  expect(sink.held(Tier.HBM)).toEqual([]);
  say(blocks(2, 1, left), removed(13));
  expect(sink.held(Tier.HBM)).toEqual(hexKeys(left));
});

test('each copy counts, in each tier by itself', () => {
  const { sink, cache, say } = engine();
  const tokens = tokensFrom(1, 64);
  say(blocks(1, 4, tokens), blocks(1, 4, tokens), blocks(1, 4, tokens, { medium: 'CPU' }));
  expect(cache.counters.duplicates).toBe(4);
  say(removed(1));
  expect(sink.held(Tier.HBM)).toEqual(hexKeys(tokens));
  say(removed(1));
  expect(sink.held(Tier.HBM)).toEqual([]);
  expect(sink.held(Tier.HOST)).toEqual(hexKeys(tokens));
  say(removed(1));
  expect(cache.counters.absent).toBe(1);
  expect(sink.calls).toEqual(['store 1 1', 'store 4 1', 'remove 1 1']);
});

test('a chain that goes on after what another tier holds is held from its next segment on', () => {
  const { sink, say } = engine();
  const tokens = tokensFrom(1, 192);
  const keys = hexKeys(tokens);
  say(blocks(1, 1, tokens, { medium: 'CPU' }), blocks(2, 11, tokens));
  expect(sink.held(Tier.HBM)).toEqual(sorted(keys.slice(1)));
  say(blocks(1, 1, tokens));
  expect(sink.held(Tier.HBM)).toEqual(sorted(keys));
  expect(sink.problems).toEqual([]);
});

test('a chain that goes on inside of a segment has the tokens from before, whoever spoke meanwhile', () => {
  const tokens = tokensFrom(1, 64);
  const other = tokensFrom(2, 64);
  const alone = engine();
  alone.say(blocks(1, 1, tokens), storedMap({ hashes: [91n], tokens: other, blockTokens: 64 }));
  alone.say(blocks(2, 3, tokens));
  expect(alone.sink.held(Tier.HBM)).toEqual(sorted([...hexKeys(tokens), ...hexKeys(other)]));
  const keys = segmentKeySource('tok', 64);
  const [one, two] = [engine({ keys }), engine({ keys })];
  one.say(blocks(1, 2, tokens));
  two.say(blocks(1, 2, other));
  one.say(blocks(3, 2, tokens));
  expect(one.sink.held(Tier.HBM)).toEqual(hexKeys(tokens));
});

test('copies are counted anew after a clear, and for blocks that came late', () => {
  const { sink, cache, say } = engine();
  const tokens = tokensFrom(1, 64);
  say(blocks(1, 4, tokens), blocks(1, 4, tokens), blocks(1, 4, tokens, { medium: 'CPU' }));
  say(clearedMap, blocks(1, 4, tokens), removed(1));
  expect(sink.held(Tier.HBM)).toEqual([]);
  for (let i = 2; i <= 200; i += 1) {
    say(storedMap({ hashes: [BigInt(i * 10)], tokens: tokensFrom(i, 64), blockTokens: 64 }));
  }
  say(storedMap({ hashes: [2000n] }), removedMap({ hashes: [2000n] }));
  expect(sink.held(Tier.HBM)).toContain(hexKeys(tokensFrom(200, 64))[0]);
  expect(cache.counters).toMatchObject({ absent: 0, duplicates: 5 });
});

test('a second group of full attention has to hold what it is said to, from then on', () => {
  const { sink, say } = engine();
  const tokens = tokensFrom(1, 64);
  const kind = 'full_attention';
  say(blocks(1, 4, tokens, { kind }), blocks(1, 4, tokens, { kind, group: 1 }));
  const more = storedMap({
    hashes: [9n],
    tokens: tokensFrom(2, 64),
    blockTokens: 64,
    kind,
    group: 1,
  });
  say(more);
  expect(sink.held(Tier.HBM)).toEqual(hexKeys(tokens));
  say(storedMap({ hashes: [9n], tokens: tokensFrom(2, 64), blockTokens: 64, kind }));
  expect(sink.held(Tier.HBM)).toHaveLength(2);
});

test('hundreds of copies are counted as well', () => {
  const { sink, say } = engine();
  const tokens = tokensFrom(1, 64);
  for (let copy = 0; copy < 300; copy += 1) say(blocks(1, 4, tokens));
  for (let copy = 0; copy < 299; copy += 1) say(removed(1, 2, 3, 4));
  expect(sink.held(Tier.HBM)).toEqual(hexKeys(tokens));
  say(removed(4));
  expect(sink.held(Tier.HBM)).toEqual([]);
});

test('a placeholder is understood through what the name was told to be', () => {
  const { sink, cache, say } = engine();
  const tokens = tokensFrom(1, 64);
  const names = [1n, 2n, 3n, 4n];
  say(storedMap({ hashes: names, medium: 'CPU' }));
  expect(cache.counters).toMatchObject({ unresolved: 4, unresolvedBlocks: 4 });
  say(blocks(1, 4, tokens));
  expect(cache.counters).toMatchObject({ unresolved: 4, unresolvedBlocks: 0 });
  expect(sink.held(Tier.HOST)).toEqual(hexKeys(tokens));
  say(storedMap({ hashes: names, medium: 'FS', blockTokens: 16 }), removed(1, 2, 3, 4));
  expect(sink.held(Tier.STORAGE)).toEqual(hexKeys(tokens));
  expect(sink.held(Tier.HBM)).toEqual([]);
});

test('what comes after an unknown block waits for it, and is forgotten when it goes', () => {
  const { sink, cache, say } = engine();
  const tokens = tokensFrom(1, 192);
  say(blocks(5, 4, tokens), blocks(9, 4, tokens));
  expect(cache.counters).toMatchObject({ unresolved: 8, unresolvedBlocks: 8 });
  say(removed(12));
  expect(cache.counters.unresolvedBlocks).toBe(7);
  say(blocks(1, 4, tokens));
  expect(cache.counters.unresolvedBlocks).toBe(0);
  expect(sink.held(Tier.HBM)).toEqual(sorted(hexKeys(tokens).slice(0, 2)));
  say(removed(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  expect(cache.blocks).toBe(0);
});

test('adapter, salt and media are in the key; a continued medium is not counted again', () => {
  const { sink, cache, say } = engine();
  const tokens = tokensFrom(1, 64);
  const extraKeys = [
    [str('sql'), arr(str('cat'), int(10)), str('tenant-a')],
    [str('sql'), arr(str('cat'), int(-6)), arr(str('dog'), int(2))],
    [str('sql')],
    undefined,
  ];
  say(blocks(1, 4, tokens, { adapter: 'sql', extraKeys }));
  const media = [
    { offset: 18, id: 'dog' },
    { offset: 10, id: 'cat' },
  ];
  const scope = { adapter: 'sql', salt: 'tenant-a' };
  expect(sink.held(Tier.HBM)).toEqual(hexKeys(tokens, 64, scope, media));
  expect(sink.held(Tier.HBM)).not.toEqual(hexKeys(tokens, 64, scope));
  expect(cache.counters.unresolvedBlocks).toBe(0);
});

test('media of blocks that wait are in the key when it is computed', () => {
  const { sink, say } = engine();
  const tokens = tokensFrom(1, 128);
  const extraKeys = [undefined, [arr(str('cat'), int(3))], undefined, undefined];
  say(blocks(5, 4, tokens, { extraKeys }));
  say(blocks(1, 4, tokens));
  const media = [{ offset: 64 + 16 + 3, id: 'cat' }];
  expect(sink.held(Tier.HBM)).toEqual(sorted(hexKeys(tokens, 64, {}, media)));
});

test.each([
  ['prompt embeddings', [bin(Uint8Array.of(1))]],
  ['a bare identifier', [str('cat')]],
  ['a medium that begins behind the block', [arr(str('cat'), int(16))]],
])('a block with %s is known by name only, and so is what comes after it', (_, keys) => {
  const { sink, cache, say } = engine();
  const tokens = tokensFrom(1, 128);
  say(
    blocks(1, 8, tokens, {
      extraKeys: tokens.slice(0, 8).map((_t, i) => (i === 5 ? keys : undefined)),
    }),
  );
  expect(sink.held(Tier.HBM)).toEqual(hexKeys(tokens).slice(0, 1));
  expect(cache.counters).toMatchObject({ unresolved: 3, unresolvedBlocks: 3, malformed: 0 });
  say(removed(1, 2, 3, 4, 5, 6, 7, 8));
  expect(cache.blocks).toBe(0);
});

test('engines that do not tell what made hashes differ: one segment, held while any name says so', () => {
  const { sink, say } = engine();
  const tokens = tokensFrom(1, 64);
  say(blocks(1, 4, tokens));
  say(storedMap({ hashes: [21n, 22n, 23n, 24n], tokens, blockTokens: 16 }));
  expect(sink.held(Tier.HBM)).toEqual(hexKeys(tokens));
  say(removed(4));
  expect(sink.held(Tier.HBM)).toEqual(hexKeys(tokens));
  say(removed(24));
  expect(sink.held(Tier.HBM)).toEqual([]);
  expect(sink.problems).toEqual([]);
});

test('names of different kinds are different blocks, signs and lengths are none', () => {
  const { cache, say } = engine();
  const long = Uint8Array.from({ length: 32 }, (_, i) => i);
  const asInteger = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1);
  const hashes = [
    1n,
    -1n,
    2n ** 64n - 1n,
    asInteger,
    long,
    long.subarray(0, 16),
    long.subarray(0, 15),
  ];
  say(storedMap({ hashes, medium: 'GPU' }));
  expect(cache.blocks).toBe(5);
  const padded = Uint8Array.from([...asInteger, 0, 0, 0, 0, 0, 0, 0, 0]);
  say(storedMap({ hashes: [padded], medium: 'GPU' }));
  expect(cache.blocks).toBe(6);
});

test.each<[string, Partial<StoredMessage>]>([
  ['no hashes', { hashes: [] }],
  ['block size zero', { blockTokens: 0 }],
  ['a negative block size', { blockTokens: -16 }],
  ['a block size of 2^63', { blockTokens: 2 ** 63 }],
  ['a block size that does not divide the segment', { blockTokens: 24, tokens: tokensFrom(1, 48) }],
  ['a block larger than a segment', { blockTokens: 128, tokens: tokensFrom(1, 256) }],
  ['fewer tokens than blocks', { tokens: tokensFrom(1, 16) }],
  ['more tokens than blocks', { tokens: tokensFrom(1, 33) }],
  ['extra keys for other blocks', { extraKeys: [undefined] }],
  ['a negative placeholder', { tokens: [], blockTokens: -1 }],
])('%s: counted, left out, never wrong', (_, changes) => {
  const { sink, cache, say } = engine();
  say(blocks(1, 2, tokensFrom(1, 32), changes));
  expect(cache.counters).toMatchObject({ malformed: 1, unresolved: 0 });
  expect(cache.blocks).toBe(0);
  expect(sink.calls).toEqual([]);
});

test('another block size than expected is understood, counted, and can be asked for', () => {
  const { sink, cache, say } = engine({ blockTokens: 16 });
  const tokens = tokensFrom(1, 64);
  expect(cache.blockTokens).toBeUndefined();
  say(storedMap({ hashes: [1n, 2n], tokens, blockTokens: 32 }));
  expect(sink.held(Tier.HBM)).toEqual(hexKeys(tokens));
  expect(cache.blockTokens).toBe(32);
  expect(cache.counters.otherBlockSizes).toBe(1);
  say(storedMap({ hashes: [3n], tokens: tokensFrom(2, 48), blockTokens: 48 }));
  expect(cache.blockTokens).toBe(48);
  expect(cache.counters).toMatchObject({ otherBlockSizes: 2, malformed: 1 });
});

test('blocks of several sizes, in one chain and side by side', () => {
  const { sink, say } = engine({ segmentTokens: 128 });
  const small = tokensFrom(1, 128);
  const large = tokensFrom(2, 128);
  say(
    storedMap({ hashes: [1n, 2n], tokens: small.slice(0, 32), blockTokens: 16 }),
    storedMap({ hashes: [11n, 12n], tokens: large, blockTokens: 64 }),
    storedMap({ hashes: [3n], parent: 2n, tokens: small.slice(32, 64), blockTokens: 32 }),
    storedMap({ hashes: [4n], parent: 3n, tokens: small.slice(64), blockTokens: 64 }),
    // Waits with more tokens than the first block had.
    storedMap({ hashes: [22n], parent: 21n, tokens: large.slice(64), blockTokens: 64 }),
    storedMap({ hashes: [21n], tokens: small.slice(0, 64), blockTokens: 64 }),
  );
  const mixed = [...small.slice(0, 64), ...large.slice(64)];
  expect(sink.held(Tier.HBM)).toEqual(
    sorted([small, large, mixed].flatMap((prompt) => hexKeys(prompt, 128))),
  );
});

test('a block that would reach over the end of a segment is none, and ends the chain', () => {
  const { sink, cache, say } = engine();
  const tokens = tokensFrom(1, 80);
  say(blocks(1, 1, tokens));
  say(
    storedMap({ hashes: [2n, 3n], parent: 1n, tokens: tokensFrom(2, 64), blockTokens: 32 }),
    storedMap({ hashes: [4n], parent: 3n, tokens: tokensFrom(3, 16), blockTokens: 16 }),
  );
  expect(cache.counters).toMatchObject({ mismatched: 1, unresolvedBlocks: 1 });
  expect(sink.held(Tier.HBM)).toEqual([]);
  say(removed(1, 2, 4));
  expect(cache.blocks).toBe(0);
});

test('one that waited and does not fit lets go of what it waited for', () => {
  const { cache, say } = engine();
  const tokens = tokensFrom(1, 64);
  say(
    storedMap({ hashes: [2n], parent: 1n, tokens: tokens.slice(0, 16), blockTokens: 16 }),
    storedMap({ hashes: [3n], parent: 2n, tokens, blockTokens: 64 }),
    removed(2),
  );
  expect(cache.blocks).toBe(3);
  say(storedMap({ hashes: [1n], tokens, blockTokens: 64 }));
  expect(cache.counters.unresolvedBlocks).toBe(1);
  expect(cache.blocks).toBe(2);
  say(removed(1, 3));
  expect(cache.blocks).toBe(0);
});

test('a name cannot be two things, and chains do not go round', () => {
  const { cache, say } = engine();
  const tokens = tokensFrom(1, 64);
  say(blocks(1, 4, tokens));
  say(storedMap({ hashes: [3n], parent: 1n, tokens: tokensFrom(2, 16), blockTokens: 16 }));
  expect(cache.counters.mismatched).toBe(1);
  say(storedMap({ hashes: [7n, 7n], parent: 6n, tokens: tokensFrom(2, 32), blockTokens: 16 }));
  say(storedMap({ hashes: [6n], parent: 7n, tokens: tokensFrom(3, 16), blockTokens: 16 }));
  say(storedMap({ hashes: [8n], parent: 8n, tokens: tokensFrom(3, 16), blockTokens: 16 }));
  expect(cache.counters.mismatched).toBe(4);
  say(removed(1, 2, 3, 4, 7));
  expect(cache.blocks).toBe(0);
});

test('a cleared cache is HBM alone; the rest stays, names included', () => {
  const { sink, cache, say } = engine();
  const tokens = tokensFrom(1, 64);
  say(blocks(1, 4, tokens), storedMap({ hashes: [1n, 2n, 3n, 4n], medium: 'CPU' }));
  say(blocks(5, 1, tokensFrom(1, 80)), clearedMap);
  expect(sink.held(Tier.HBM)).toEqual([]);
  expect(sink.held(Tier.HOST)).toEqual(hexKeys(tokens));
  expect(sink.calls.at(-1)).toBe('clear 1');
  expect(cache.blocks).toBe(4);
  say(storedMap({ hashes: [1n, 2n, 3n, 4n], medium: 'GPU' }));
  expect(sink.held(Tier.HBM)).toEqual(hexKeys(tokens));
  cache.reset();
  expect(sink.held(Tier.HBM)).toEqual([]);
  expect(sink.held(Tier.HOST)).toEqual([]);
  expect(cache.blocks).toBe(0);
  cache.reset();
  expect(sink.calls.filter((call) => call.startsWith('clear'))).toHaveLength(3);
});

test('what is held can be asked for, by tier and by name', () => {
  const segments = new SegmentSlots();
  const { sink, cache, say } = engine({ segments });
  const tokens = tokensFrom(1, 192);
  say(blocks(1, 12, tokens), removed(6));
  const [one, two, three] = hexKeys(tokens);
  expect(cache.segments(Tier.HBM)).toBe(2);
  expect(cache.segments(Tier.DRAM)).toBe(0);
  expect(sink.held(Tier.HBM)).toEqual([one, three].sort());
  expect(unpackKeys(cache.heldKeys(Tier.HBM)).map(keyHex).sort()).toEqual([one, three].sort());
  const named = [12n, 8n, 7n, 99n].map((name) => keyOfBlock(cache, segments, name));
  expect(named.map((key) => key && keyHex(key))).toEqual([three, two, undefined, undefined]);
  expect(cache.heldKeys(Tier.SSD)).toHaveLength(0);
});

test('a segment length that cannot be is refused', () => {
  for (const segmentTokens of [0, -1, 1.5, 65_536, NaN]) {
    expect(() => engine({ segmentTokens })).toThrow(/segmentTokens/);
  }
});

function engine(options: ConstructorParameters<typeof FollowedEngine>[0] = {}) {
  const followed = new FollowedEngine(options);
  return { sink: followed.sink, cache: followed.cache, say: followed.say.bind(followed) };
}
