import { keyAt, keyHex, rootKey, segmentKeys, unpackKeys } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EngineCache } from './engine-cache.ts';
import { decodeEventBatch } from './vllm-events-decode.ts';
import type { StoredBlocks } from './vllm-events-decode.ts';
import { encodeEventBatch } from './vllm-events-encode.ts';

const SEGMENT = 4;
const tokenization = 'tok';
const newCache = () => new EngineCache({ tokenization, segmentTokens: SEGMENT });
const tokensOf = (segments: number, seed = 0) =>
  Array.from({ length: segments * SEGMENT }, (_, i) => seed * 1000 + i);
const hexes = (keys: Uint8Array) => unpackKeys(keys).map(keyHex);

function chain(segments: number, seed = 0, salt?: string) {
  const tokens = tokensOf(segments, seed);
  const keys = segmentKeys(rootKey({ tokenization, salt }), tokens, SEGMENT);
  return { tokens, keys, hex: hexes(keys) };
}

function stored(
  { tokens, hex }: { tokens: number[]; hex: string[] },
  changes: Partial<StoredBlocks> = {},
): StoredBlocks {
  return {
    type: 'stored',
    hashes: hex.map((key) => `b${key}`),
    parent: undefined,
    tokens,
    blockSize: SEGMENT,
    medium: 'GPU',
    adapter: undefined,
    extraKeys: [],
    group: 0,
    specKind: 'full_attention',
    ...changes,
  };
}

test('what our engine encodes is understood, with a salt and without', () => {
  for (const salt of [undefined, 'tenant-a']) {
    const cache = newCache();
    const { tokens, keys, hex } = chain(3, 1, salt);
    const blockHashes = [0, 1, 2].map((i) => keyAt(keys, i));
    const payload = encodeEventBatch(
      1,
      [
        {
          type: 'BlockStored',
          blockHashes: blockHashes.slice(0, 2),
          parentBlockHash: null,
          tokenIds: tokens.slice(0, 8),
          blockSize: SEGMENT,
          extraKeys: [salt === undefined ? null : [salt], null],
        },
        {
          type: 'BlockStored',
          blockHashes: blockHashes.slice(2),
          parentBlockHash: keyAt(keys, 1),
          tokenIds: tokens.slice(8),
          blockSize: SEGMENT,
          extraKeys: [null],
        },
        { type: 'BlockRemoved', blockHash: keyAt(keys, 2) },
      ],
      0,
    );
    const changes = decodeEventBatch(payload)?.events.map((event) => cache.apply(event));
    expect(changes).toEqual([
      { stored: hex.slice(0, 2), removed: [] },
      { stored: hex.slice(2), removed: [] },
      { stored: [], removed: hex.slice(2) },
    ]);
    expect(cache.counters).toEqual({ mismatched: 0, unresolved: 0, ignored: 0 });
  }
});

test('a hash that does not follow from its tokens is counted, and so is what hangs on it', () => {
  const cache = newCache();
  const one = chain(3);
  const tokens = [...one.tokens];
  tokens[5] = 77;
  expect(cache.apply(stored({ tokens, hex: one.hex })).stored).toEqual(one.hex.slice(0, 1));
  expect(cache.counters.mismatched).toBe(2);
  const salted = chain(1, 0, 'tenant-a');
  cache.apply(stored(salted, { extraKeys: [['tenant-b']] }));
  expect(cache.counters.mismatched).toBe(3);
});

test('a chain whose beginning was missed is understood from its parent', () => {
  const cache = newCache();
  const { tokens, hex } = chain(3);
  const rest = { tokens: tokens.slice(4), hex: hex.slice(1) };
  expect(cache.apply(stored(rest, { parent: `b${hex[0]}` })).stored).toEqual(hex.slice(1));
});

test.each<[string, Partial<StoredBlocks>, 'unresolved' | 'ignored' | 'mismatched']>([
  ['another block size', { blockSize: 2 }, 'unresolved'],
  ['a placeholder', { blockSize: 0, tokens: [] }, 'unresolved'],
  ['fewer tokens than blocks', { tokens: [1, 2, 3, 4] }, 'unresolved'],
  ['an integer parent', { parent: 'i5' }, 'unresolved'],
  ['a short parent', { parent: 'b00' }, 'unresolved'],
  ['media', { extraKeys: [['image', 'salt']] }, 'unresolved'],
  ['keys that are no text', { extraKeys: [[['image', 3]]] }, 'unresolved'],
  ['another tier', { medium: 'CPU' }, 'ignored'],
  ['another group', { group: 1 }, 'ignored'],
  ['a state-space model', { specKind: 'mamba' }, 'ignored'],
  ['integer hashes', { hashes: ['i1', 'i2'] }, 'mismatched'],
])('%s is not announced', (_, changes, counter) => {
  const cache = newCache();
  expect(cache.apply(stored(chain(2), changes))).toEqual({ stored: [], removed: [] });
  expect(cache.counters[counter]).toBe(2);
  expect(cache.size).toBe(0);
});

test('copies are counted, other tiers are another matter, and everything can go at once', () => {
  const cache = newCache();
  const { hex, tokens } = chain(2);
  cache.apply(stored({ hex, tokens }));
  expect(cache.apply(stored({ hex, tokens })).stored).toEqual([]);
  const removal = { type: 'removed' as const, hashes: [`b${hex[0]}`], medium: 'GPU', group: 0 };
  expect(cache.apply(removal).removed).toEqual([]);
  expect(cache.apply({ ...removal, medium: 'CPU' }).removed).toEqual([]);
  expect(cache.apply(removal).removed).toEqual([hex[0]]);
  expect(cache.apply(removal).removed).toEqual([]);
  expect(cache.apply({ type: 'cleared' }).removed).toEqual([hex[1]]);
  expect(cache.size).toBe(0);
});

function eventOf({ hex, tokens }: ReturnType<typeof chain>, at: number, kind: number) {
  if (kind === 0) return { type: 'cleared' as const };
  if (kind < 6) {
    return stored({ hex: hex.slice(0, at + 1), tokens: tokens.slice(0, (at + 1) * SEGMENT) });
  }
  return { type: 'removed' as const, hashes: [`b${hex[at]}`], medium: undefined, group: 0 };
}

test('what was announced and not taken back is what it holds', () => {
  const chains = [0, 1, 2].map((seed) => chain(3, seed));
  const step = fc.record({ chain: fc.nat(2), at: fc.nat(2), kind: fc.nat(9) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = newCache();
      const announced = new Set<string>();
      for (const { chain: which, at, kind } of steps) {
        const event = eventOf(chains[which]!, at, kind);
        const change = cache.apply(event);
        for (const key of change.stored) expect(announced.has(key)).toBe(false);
        for (const key of change.stored) announced.add(key);
        for (const key of change.removed) expect(announced.delete(key)).toBe(true);
      }
      expect(cache.size).toBe(announced.size);
      for (const key of announced) expect(cache.has(key)).toBe(true);
    }),
  );
});
