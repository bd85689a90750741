import { keyHex, unpackKeys, xorKeys } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blocksOfKeys, packBlockKeys } from './block-keys.ts';
import { HeldDigest } from './held-digest.ts';

const block = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

test('a key tells its block', () => {
  fc.assert(
    fc.property(fc.array(block), (blocks) => {
      expect(blocksOfKeys(packBlockKeys(blocks))).toEqual(blocks);
    }),
  );
  expect(blocksOfKeys(packBlockKeys([0, 2 ** 32, Number.MAX_SAFE_INTEGER]))).toEqual([
    0,
    2 ** 32,
    Number.MAX_SAFE_INTEGER,
  ]);
});

test('keys of neighbours differ in about half of their bits, in every word', () => {
  const flipped = [0, 0, 0, 0];
  for (let i = 0; i < 1_000; i += 1) {
    const [a, b] = unpackKeys(packBlockKeys([i, i + 1]));
    a?.forEach((byte, at) => {
      const bits = (byte ^ (b?.[at] ?? 0)).toString(2).replaceAll('0', '').length;
      flipped[at >> 2] = (flipped[at >> 2] ?? 0) + bits;
    });
  }
  for (const bits of flipped) expect(bits / 1_000 / 32).toBeCloseTo(0.5, 1);
  const names = unpackKeys(packBlockKeys(Array.from({ length: 10_000 }, (_, i) => i))).map(keyHex);
  expect(new Set(names).size).toBe(10_000);
});

test('the digest of a set is count and XOR of its keys', () => {
  fc.assert(
    fc.property(fc.uniqueArray(block), fc.uniqueArray(block), (kept, passing) => {
      const digest = new HeldDigest();
      for (const one of [...kept, ...passing]) digest.add(one);
      for (const one of passing) digest.remove(one);
      expect(digest.blocks).toBe(kept.length);
      expect(digest.xor()).toEqual(xorKeys(packBlockKeys(kept)));
    }),
  );
});
