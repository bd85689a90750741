import type { KeyHasher } from './key-source.ts';

const FIRST_CAPACITY = 16;
const GROWTH = 1.5;

/**
 * Token ids of the blocks that need them: those that do not end a segment, and those whose parent is not known yet. All
 * slots have the size of the first block; the few blocks that are longer are kept aside.
 */
export class TokenSlots {
  #slotTokens = 0;
  #capacity = 0;
  #tokens = new Uint32Array(0);
  #used = 0;
  readonly #free: number[] = [];
  readonly #long = new Map<number, Uint32Array>();

  /** Blocks whose tokens are kept. */
  get size(): number {
    return this.#used - this.#free.length;
  }

  put(tokens: Uint32Array, from: number, count: number): number {
    if (this.#slotTokens === 0) this.#slotTokens = count;
    const slot = this.#free.pop() ?? this.#nextSlot();
    if (count > this.#slotTokens) {
      this.#long.set(slot, tokens.slice(from, from + count));
      return slot;
    }
    const start = slot * this.#slotTokens;
    for (let i = 0; i < count; i += 1) this.#tokens[start + i] = tokens[from + i] as number;
    return slot;
  }

  /** The tokens of a slot become those of a segment from `at` on. */
  copyTo(hasher: KeyHasher, at: number, slot: number, count: number): void {
    const long = this.#longAt(slot);
    if (long) hasher.setTokens(at, long, 0, count);
    else hasher.setTokens(at, this.#tokens, slot * this.#slotTokens, count);
  }

  token(slot: number, index: number): number {
    const long = this.#longAt(slot);
    return (long ? long[index] : this.#tokens[slot * this.#slotTokens + index]) ?? 0;
  }

  release(slot: number): void {
    if (this.#long.size > 0) this.#long.delete(slot);
    this.#free.push(slot);
  }

  /** Hardly ever is there any, and then a map that is asked for each block costs. */
  #longAt(slot: number): Uint32Array | undefined {
    return this.#long.size > 0 ? this.#long.get(slot) : undefined;
  }

  #nextSlot(): number {
    if (this.#used === this.#capacity) {
      this.#capacity = Math.max(FIRST_CAPACITY, Math.ceil(this.#capacity * GROWTH));
      const tokens = new Uint32Array(this.#capacity * this.#slotTokens);
      tokens.set(this.#tokens);
      this.#tokens = tokens;
    }
    this.#used += 1;
    return this.#used - 1;
  }
}
