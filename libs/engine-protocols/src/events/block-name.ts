import type { MsgpackCursor } from './msgpack-cursor.ts';

/**
 * What an engine calls a block, as four words of 32 bits and a kind. Equal names, equal blocks: an integer is its
 * unsigned 64 bits in the first two words, whether it was written signed or not and in how many bytes; a byte string is
 * its first 16 bytes, with zeroes after a shorter one. The kind is {@link INTEGER} or the number of bytes, 16 for all
 * longer ones, so that names of different kinds are never the same.
 */
export const NAME_WORDS = 4;

/** Kind of a name that was an integer. */
export const INTEGER = 0;

/** Kind of a name of 16 bytes or more. */
export const LONG_BYTES = 16;

const LOW_BYTES = 8;
const UINT_64 = 0xcf;
const INT_64 = 0xd3;
const TWO_TO_32 = 2 ** 32;

/**
 * Takes a block name into `words` and `kinds` at `index`; false, and nothing taken, when there is none. With `isLow64` a
 * byte string of at least 8 bytes is the integer that its last 8 are, as engines shorten digests to integers.
 */
export function readBlockName(
  cursor: MsgpackCursor,
  words: Uint32Array,
  kinds: Uint8Array,
  index: number,
  isLow64 = false,
): boolean {
  const head = cursor.bytes[cursor.at];
  const at = index * NAME_WORDS;
  if (head === UINT_64 || head === INT_64) {
    if (cursor.at + 9 > cursor.end) return false;
    words[at] = cursor.view.getUint32(cursor.at + 1);
    words[at + 1] = cursor.view.getUint32(cursor.at + 5);
    cursor.at += 9;
  } else {
    const length = cursor.binarySpan();
    if (length > 0 && isLow64 && length >= LOW_BYTES) {
      words[at] = cursor.view.getUint32(cursor.at - 8);
      words[at + 1] = cursor.view.getUint32(cursor.at - 4);
      words[at + 2] = words[at + 3] = 0;
      kinds[index] = INTEGER;
      return true;
    }
    if (length > 0) return takeBytes(cursor, length, words, kinds, index);
    const value = length === 0 ? NaN : cursor.integer();
    if (Number.isNaN(value)) return false;
    words[at] = Math.floor(value / TWO_TO_32);
    words[at + 1] = value;
  }
  words[at + 2] = 0;
  words[at + 3] = 0;
  kinds[index] = INTEGER;
  return true;
}

function takeBytes(
  cursor: MsgpackCursor,
  length: number,
  words: Uint32Array,
  kinds: Uint8Array,
  index: number,
): true {
  const known = Math.min(length, LONG_BYTES);
  for (let word = 0; word < NAME_WORDS; word += 1) {
    let value = 0;
    for (let byte = word * 4; byte < word * 4 + 4; byte += 1) {
      value = (value << 8) | (byte < known ? (cursor.bytes[cursor.from + byte] ?? 0) : 0);
    }
    words[index * NAME_WORDS + word] = value;
  }
  kinds[index] = known;
  return true;
}
