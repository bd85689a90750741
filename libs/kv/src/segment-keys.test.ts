import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { adapterIdentity, type Adapter } from './adapter.ts';
import { KEY_BYTES } from './segment-hasher.ts';
import {
  keyAt,
  keyCount,
  keyFromHex,
  keyHex,
  rootKey,
  segmentKeys,
  unpackKeys,
  xorKeys,
} from './segment-keys.ts';

const root = rootKey({ tokenization: 'tok' });
const tokenIds = fc.array(fc.integer({ min: 0, max: 0xffffffff }), { maxLength: 300 });

interface Vector {
  tokenization: string;
  adapter?: string;
  adapterOf?: Adapter;
  salt?: string;
  segmentTokens: number;
  tokenIds: { count: number; step: number };
  media?: { offset: number; id: string }[];
  root: string;
  keys: string[];
}

test('the keys are those that the connector for vLLM makes', () => {
  const file = new URL('../../../test/fixtures/segment-keys.json', import.meta.url);
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vector[];
  expect(vectors.length).toBeGreaterThan(0);
  for (const { tokenIds: ids, segmentTokens, media, adapterOf, ...vector } of vectors) {
    if (adapterOf !== undefined) expect(adapterIdentity(adapterOf)).toBe(vector.adapter);
    const own = rootKey(vector);
    expect(keyHex(own)).toBe(vector.root);
    const tokens = Array.from({ length: ids.count }, (_, i) => i * ids.step);
    const packed = segmentKeys(own, tokens, segmentTokens, media);
    expect(unpackKeys(packed).map(keyHex)).toEqual(vector.keys);
  }
});

test('a key is half of SHA-256 over parent and token ids in little-endian', () => {
  const tokens = Array.from({ length: 130 }, (_, i) => i * 1000);
  const packed = segmentKeys(root, tokens, 64);
  expect(keyCount(packed)).toBe(2);
  let parent: Uint8Array = root;
  for (let segment = 0; segment < 2; segment += 1) {
    const sha = createHash('sha256').update(parent);
    for (const token of tokens.slice(segment * 64, segment * 64 + 64)) {
      const word = Buffer.alloc(4);
      word.writeUInt32LE(token);
      sha.update(word);
    }
    parent = new Uint8Array(sha.digest().subarray(0, KEY_BYTES));
    expect(keyHex(keyAt(packed, segment))).toBe(keyHex(parent));
  }
});

test('the root key is pinned, so that every process and version agrees', () => {
  const text = Buffer.concat([
    Buffer.from('baton-root-v1'),
    Buffer.from([3, 0, 0, 0]),
    Buffer.from('tok'),
    Buffer.from([255, 255, 255, 255]),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('s'),
  ]);
  const expected = createHash('sha256').update(text).digest('hex').slice(0, 32);
  expect(keyHex(rootKey({ tokenization: 'tok', salt: 's' }))).toBe(expected);
});

test('scopes that differ in any field share no key', () => {
  const scopes = [
    { tokenization: 'ab' },
    { tokenization: 'a' },
    { tokenization: 'a', adapter: 'b' },
    { tokenization: 'a', salt: 'b' },
    { tokenization: 'a', adapter: '' },
    { tokenization: 'a', adapter: '', salt: '' },
    { tokenization: '', adapter: 'a' },
  ];
  expect(new Set(scopes.map((scope) => keyHex(rootKey(scope)))).size).toBe(scopes.length);
});

test('a longer prompt keeps the keys of its prefix, and one changed token changes all later keys', () => {
  fc.assert(
    fc.property(tokenIds, tokenIds, fc.integer({ min: 1, max: 70 }), (prefix, rest, size) => {
      const short = segmentKeys(root, prefix, size);
      const long = segmentKeys(root, [...prefix, ...rest], size);
      expect(long.subarray(0, short.length)).toEqual(short);
      if (short.length === 0) return;
      const changed = [...prefix];
      changed[0] = ((changed[0] ?? 0) + 1) % 2 ** 32;
      const other = segmentKeys(root, changed, size);
      for (let i = 0; i < keyCount(short); i += 1) {
        expect(keyHex(keyAt(other, i))).not.toBe(keyHex(keyAt(short, i)));
      }
    }),
    { numRuns: 50 },
  );
});

test('media are in the key of the segment in which they begin, in whatever order they come', () => {
  const tokens = Array.from({ length: 8 }, (_, i) => i);
  const media = [
    { offset: 6, id: 'b' },
    { offset: 5, id: 'ä' },
    { offset: 6, id: 'a' },
  ];
  const packed = segmentKeys(root, tokens, 4, media);
  const plain = segmentKeys(root, tokens, 4);
  expect(keyHex(keyAt(packed, 0))).toBe(keyHex(keyAt(plain, 0)));
  const word = (value: number) => Buffer.from([value, 0, 0, 0]);
  const second = Buffer.concat([
    keyAt(plain, 0),
    ...[4, 5, 6, 7].map(word),
    ...[word(1), word(2), Buffer.from('ä')],
    ...[word(2), word(1), Buffer.from('a')],
    ...[word(2), word(1), Buffer.from('b')],
  ]);
  const expected = createHash('sha256').update(second).digest('hex').slice(0, 32);
  expect(keyHex(keyAt(packed, 1))).toBe(expected);
  expect(segmentKeys(root, tokens, 4, [...media].reverse())).toEqual(packed);
  expect(segmentKeys(root, tokens, 4, [])).toEqual(plain);
  for (const offset of [-1, 8, 0.5]) {
    expect(() => segmentKeys(root, tokens, 4, [{ offset, id: 'x' }])).toThrow(/outside/);
  }
});

test('typed arrays and plain arrays give the same keys', () => {
  const tokens = [5, 6, 7, 8];
  expect(segmentKeys(root, Int32Array.from(tokens), 2)).toEqual(segmentKeys(root, tokens, 2));
});

test.each([[-1], [1.5], [2 ** 32], [NaN]])('token id %s is refused', (bad) => {
  expect(() => segmentKeys(root, [bad], 1)).toThrow(/token 0 is not a token id/);
});

test('sizes that cannot be are refused', () => {
  expect(() => segmentKeys(root, [1], 0)).toThrow(/segmentTokens/);
  expect(() => segmentKeys(new Uint8Array(3), [1], 1)).toThrow(/root key/);
  expect(() => keyCount(new Uint8Array(17))).toThrow(/multiple of 16/);
  expect(() => keyAt(new Uint8Array(16), 1)).toThrow(/no key 1/);
  expect(() => keyFromHex('zz')).toThrow(/not a segment key/);
});

test('XOR does not depend on order and twice the same cancels out', () => {
  const packed = segmentKeys(
    root,
    Array.from({ length: 64 }, (_, i) => i),
    16,
  );
  const reversed = new Uint8Array(packed.length);
  for (let i = 0; i < 4; i += 1) reversed.set(keyAt(packed, 3 - i), i * KEY_BYTES);
  expect(xorKeys(packed)).toEqual(xorKeys(reversed));
  expect(xorKeys(packed, xorKeys(packed))).toEqual(new Uint8Array(KEY_BYTES));
});

test('hex goes there and back', () => {
  expect(keyFromHex(keyHex(root))).toEqual(root);
});

test('a packed list comes apart into its keys', () => {
  const keys = segmentKeys(rootKey({ tokenization: 'tok' }), new Uint32Array(3 * 64), 64);
  expect(unpackKeys(keys)).toEqual([keyAt(keys, 0), keyAt(keys, 1), keyAt(keys, 2)]);
  expect(unpackKeys(new Uint8Array())).toEqual([]);
  expect(() => unpackKeys(keys.subarray(1))).toThrow(RangeError);
});
