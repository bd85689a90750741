import { KEY_BYTES, SeededRandom } from '@baton/kv';
import { expect, test } from 'vitest';
import { ChainHasher } from './chain-hasher.ts';

const BLOCK = 16;
const LOADED = 128_000;

function keysOf(
  tokens: Uint32Array,
  block = BLOCK,
  parent: Uint8Array = new Uint8Array(KEY_BYTES),
): DataView {
  const chain = new ChainHasher();
  const blocks = Math.floor(tokens.length / block);
  const out = new DataView(new ArrayBuffer(blocks * KEY_BYTES));
  chain.setParent(new DataView(parent.buffer, parent.byteOffset), 0);
  for (let i = 0; i < blocks; i += 1) chain.next(tokens, i * block, block, out, i * KEY_BYTES);
  return out;
}

/** Equal neighbours among the sorted values of one word of the keys, or of one half. */
function collisions(keys: DataView, bytes: 4 | 8, offset: number): number {
  const count = keys.byteLength / KEY_BYTES;
  const values = bytes === 8 ? new BigUint64Array(count) : new Uint32Array(count);
  const width = KEY_BYTES / bytes;
  const all = bytes === 8 ? new BigUint64Array(keys.buffer) : new Uint32Array(keys.buffer);
  for (let i = 0; i < count; i += 1) values[i] = all[i * width + offset / bytes] as never;
  values.sort();
  let equal = 0;
  for (let i = 1; i < count; i += 1) if (values[i] === values[i - 1]) equal += 1;
  return equal;
}

/** Blocks with few differences, as caches have them, each after the same parent. */
const structured: ((block: number, at: number) => number)[] = [
  // One token counts up, at the front or at the end.
  (block, at) => (at === 3 ? block + 1 : 7),
  (block, at) => (at === BLOCK - 1 ? block + 1 : 0),
  // Two count up and one down.
  (block, at) => (at === 9 ? 1_000_000 - block : at === 0 || at === 15 ? block : 1),
  // Two bits of the number in each token.
  (block, at) => 11 + ((block >>> at) & 0x10001),
  // The number in tokens of a thousand, as tokenizers write them.
  (block, at) => (at === 4 ? block % 1000 : at === 5 ? Math.floor(block / 1000) : 220),
];

/** Every word and half of a million keys: none equal in 64 bits, in 32 bits as many as chance would have. */
function expectSpread(keys: DataView): void {
  const count = keys.byteLength / KEY_BYTES;
  const expected = (count * count) / 2 ** 33;
  for (const offset of [0, 8]) expect(collisions(keys, 8, offset)).toBe(0);
  for (const offset of [0, 4, 8, 12]) {
    expect(collisions(keys, 4, offset)).toBeLessThan(expected + 6 * Math.sqrt(expected));
  }
}

test('a million blocks of random chains have a million keys', () => {
  const random = new SeededRandom(1);
  const tokens = Uint32Array.from({ length: 1_000_000 * 4 }, () => random.below(LOADED));
  expectSpread(keysOf(tokens, 4));
});

test('a chain of a million equal blocks has a million keys', () => {
  expectSpread(keysOf(new Uint32Array(4_000_000), 4));
});

test('a million blocks that differ in little have a million keys', () => {
  const each = 200_000;
  const tokens = new Uint32Array(BLOCK);
  const keys = new DataView(new ArrayBuffer(each * structured.length * KEY_BYTES));
  const parent = new DataView(new ArrayBuffer(KEY_BYTES));
  const chain = new ChainHasher();
  structured.forEach((token, kind) => {
    for (let block = 0; block < each; block += 1) {
      for (let at = 0; at < BLOCK; at += 1) tokens[at] = token(block, at);
      chain.setParent(parent, 0);
      chain.next(tokens, 0, BLOCK, keys, (kind * each + block) * KEY_BYTES);
    }
  });
  expectSpread(keys);
});

/** How often each bit of a key changes when one bit of the input does: the shares farthest from a half. */
function flips(change: (tokens: Uint32Array, parent: Uint8Array) => void): [number, number] {
  const random = new SeededRandom(2);
  const samples = 2_000;
  const changed = new Uint32Array(KEY_BYTES * 8);
  for (let sample = 0; sample < samples; sample += 1) {
    const tokens = Uint32Array.from({ length: BLOCK }, () => random.below(LOADED));
    const parent = Uint8Array.from({ length: KEY_BYTES }, () => random.below(256));
    const before = keysOf(tokens, BLOCK, parent);
    change(tokens, parent);
    const after = keysOf(tokens, BLOCK, parent);
    for (let bit = 0; bit < changed.length; bit += 1) {
      const at = bit >>> 3;
      const difference = before.getUint8(at) ^ after.getUint8(at);
      if ((difference >>> (bit & 7)) & 1) changed[bit] = (changed[bit] as number) + 1;
    }
  }
  const shares = [...changed].map((count) => count / samples);
  return [Math.min(...shares), Math.max(...shares)];
}

const changes: [string, (tokens: Uint32Array, parent: Uint8Array) => void][] = [0, 1, 14, 15]
  .flatMap((at) => [0, 16, 31].map((bit) => ({ at, bit })))
  .map(({ at, bit }) => [
    `bit ${bit} of token ${at}`,
    (tokens) => void (tokens[at] = ((tokens[at] as number) ^ (1 << bit)) >>> 0),
  ]);
for (const at of [0, 5, 15]) {
  changes.push([
    `a bit of byte ${at} of the parent`,
    (_tokens, parent) => void (parent[at] = (parent[at] as number) ^ 4),
  ]);
}

test.each(changes)('%s changes every bit of the key in half of the cases', (_name, change) => {
  const [least, most] = flips(change);
  // Five standard deviations of 2,000 throws.
  expect(least).toBeGreaterThan(0.44);
  expect(most).toBeLessThan(0.56);
});

test('blocks of any length have keys of their own, and the chain goes on with the key', () => {
  const seen = new Set<string>();
  for (let length = 1; length <= 9; length += 1) {
    seen.add(Buffer.from(keysOf(new Uint32Array(length), length).buffer).toString('hex'));
  }
  expect(seen.size).toBe(9);
  const tokens = Uint32Array.from({ length: 12 }, (_, i) => i);
  const whole = keysOf(tokens, 4);
  const second = keysOf(tokens.subarray(4), 4, new Uint8Array(whole.buffer, 0, KEY_BYTES));
  expect(second.getBigUint64(0)).toBe(whole.getBigUint64(KEY_BYTES));
});
