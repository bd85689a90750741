const LANES = 4;

/**
 * Keys of blocks that never leave the process: a chain of 128-bit hashes, each of the key before it and of the block's
 * token ids, 32 bits each. An eighth of the price of SHA-256, since nobody else has to come to the same keys.
 *
 * Four lanes of 32 bits take one token each, multiplied, rotated and multiplied again in the manner of the 128-bit
 * MurmurHash3, and are mixed into each other with every token; at the end each lane goes through a full avalanche and
 * all are summed into all. For given tokens a key is a bijection of the key before it, and for a given key before it
 * blocks that differ in one group of four tokens never collide. What is not promised is resistance against somebody who
 * computes collisions on purpose: keys are hints for routing, and an engine computes what it turns out to lack.
 */
export class ChainHasher {
  #h0 = 0;
  #h1 = 0;
  #h2 = 0;
  #h3 = 0;

  /** The next block follows the one whose key is at `offset`. */
  setParent(keys: DataView, offset: number): void {
    this.#h0 = keys.getInt32(offset, true);
    this.#h1 = keys.getInt32(offset + 4, true);
    this.#h2 = keys.getInt32(offset + 8, true);
    this.#h3 = keys.getInt32(offset + 12, true);
  }

  /** Writes the key of the block of these tokens to `offset` of `out`; the next block follows it. */
  next(tokens: Uint32Array, from: number, count: number, out: DataView, offset: number): void {
    let h0 = this.#h0;
    let h1 = this.#h1;
    let h2 = this.#h2;
    let h3 = this.#h3;
    const end = from + count;
    const whole = end - (count % LANES);
    for (let at = from; at < whole; at += LANES) {
      h0 = mixed(h0 ^ scrambled(tokens[at] as number, 0x239b961b, 0xab0e9789), 19, h1, 0x561ccd1b);
      h1 = mixed(
        h1 ^ scrambled(tokens[at + 1] as number, 0xab0e9789, 0x38b34ae5),
        17,
        h2,
        0x0bcaa747,
      );
      h2 = mixed(
        h2 ^ scrambled(tokens[at + 2] as number, 0x38b34ae5, 0xa1e38b93),
        15,
        h3,
        0x96cd1c35,
      );
      h3 = mixed(
        h3 ^ scrambled(tokens[at + 3] as number, 0xa1e38b93, 0x239b961b),
        13,
        h0,
        0x32ac3b17,
      );
    }
    if (whole < end) h0 ^= scrambled(tokens[whole] as number, 0x239b961b, 0xab0e9789);
    if (whole + 1 < end) h1 ^= scrambled(tokens[whole + 1] as number, 0xab0e9789, 0x38b34ae5);
    if (whole + 2 < end) h2 ^= scrambled(tokens[whole + 2] as number, 0x38b34ae5, 0xa1e38b93);
    h1 ^= count;
    h0 = (h0 + h1 + h2 + h3) | 0;
    h1 = avalanche((h1 + h0) | 0);
    h2 = avalanche((h2 + h0) | 0);
    h3 = avalanche((h3 + h0) | 0);
    h0 = avalanche(h0);
    h0 = (h0 + h1 + h2 + h3) | 0;
    h1 = (h1 + h0) | 0;
    h2 = (h2 + h0) | 0;
    h3 = (h3 + h0) | 0;
    out.setInt32(offset, (this.#h0 = h0), true);
    out.setInt32(offset + 4, (this.#h1 = h1), true);
    out.setInt32(offset + 8, (this.#h2 = h2), true);
    out.setInt32(offset + 12, (this.#h3 = h3), true);
  }
}

/** A token spread over 32 bits. */
function scrambled(token: number, first: number, second: number): number {
  const product = Math.imul(token, first);
  return Math.imul((product << 15) | (product >>> 17), second);
}

/** A lane after a token, with its neighbour in it. */
function mixed(lane: number, turn: number, neighbour: number, constant: number): number {
  const turned = (lane << turn) | (lane >>> (32 - turn));
  return (Math.imul((turned + neighbour) | 0, 5) + constant) | 0;
}

/** Each bit of the result changes in half of the cases when a bit of `h` does. */
function avalanche(h: number): number {
  let hash = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
