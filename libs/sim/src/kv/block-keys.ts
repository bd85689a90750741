import { KEY_BYTES } from '@baton/kv';

/** Rounds of the mixing below; four of them make every bit depend on every other. */
const ROUNDS = 4;
const WORD = 2 ** 32;
const words = new Uint32Array(KEY_BYTES / 4);

/**
 * The four words of a block's key, in a shared array that the next call overwrites. The first two are the number, mixed
 * so that it can be found again, the others follow from them.
 */
export function blockKeyWords(block: number): Uint32Array {
  let low = block >>> 0;
  let high = Math.floor(block / WORD) >>> 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const mixed = (low ^ mix(high + round)) >>> 0;
    low = high;
    high = mixed;
  }
  words[0] = low;
  words[1] = high;
  words[2] = mix(low ^ 0x9e3779b9);
  words[3] = mix(high ^ words[2]);
  return words;
}

/**
 * Packed segment keys of blocks that are known by number, as a trace has them: 16 well-mixed bytes that follow from the
 * number alone. Numbers are safe integers from 0 on.
 */
export function packBlockKeys(blocks: readonly number[]): Uint8Array {
  const packed = new Uint8Array(blocks.length * KEY_BYTES);
  const view = new DataView(packed.buffer);
  blocks.forEach((block, i) => {
    const key = blockKeyWords(block);
    for (let word = 0; word < key.length; word += 1) {
      view.setUint32(i * KEY_BYTES + word * 4, key[word] ?? 0, true);
    }
  });
  return packed;
}

/** The numbers whose keys these are. */
export function blocksOfKeys(packed: Uint8Array): number[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  return Array.from({ length: packed.length / KEY_BYTES }, (_, i) => {
    let low = view.getUint32(i * KEY_BYTES, true);
    let high = view.getUint32(i * KEY_BYTES + 4, true);
    for (let round = ROUNDS; round >= 1; round -= 1) {
      const before = (high ^ mix(low + round)) >>> 0;
      high = low;
      low = before;
    }
    return high * WORD + low;
  });
}

/** Murmur3's finalizer: a bijection of 32 bits. */
function mix(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
