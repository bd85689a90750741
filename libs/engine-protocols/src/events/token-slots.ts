import type { KeyHasher } from './key-source.ts';
import type { MsgpackWriter } from './msgpack-writer.ts';

/** Slots of one page; pages are never moved, so growing costs no copy. */
const PAGE_BITS = 8;
const PAGE_SLOTS = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_SLOTS - 1;

/**
 * Token ids of the blocks that need them: those that do not end a segment, and those whose parent is not known yet. All
 * slots have the size of the first block; the few blocks that are longer are kept aside.
 */
export class TokenSlots {
  #slotTokens = 0;
  readonly #pages: Uint32Array[] = [];
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
    const page = this.#pageOf(slot);
    const start = (slot & PAGE_MASK) * this.#slotTokens;
    for (let i = 0; i < count; i += 1) page[start + i] = tokens[from + i] as number;
    return slot;
  }

  /** The tokens of a slot become those of a segment from `at` on. */
  copyTo(hasher: KeyHasher, at: number, slot: number, count: number): void {
    const long = this.#longAt(slot);
    if (long) hasher.setTokens(at, long, 0, count);
    else hasher.setTokens(at, this.#pageOf(slot), (slot & PAGE_MASK) * this.#slotTokens, count);
  }

  writeTo(writer: MsgpackWriter, slot: number, count: number): void {
    const long = this.#longAt(slot);
    if (long) writer.uints(long, 0, count);
    else writer.uints(this.#pageOf(slot), (slot & PAGE_MASK) * this.#slotTokens, count);
  }

  release(slot: number): void {
    if (this.#long.size > 0) this.#long.delete(slot);
    this.#free.push(slot);
  }

  /** Hardly ever is there any, and then a map that is asked for each block costs. */
  #longAt(slot: number): Uint32Array | undefined {
    return this.#long.size > 0 ? this.#long.get(slot) : undefined;
  }

  #pageOf(slot: number): Uint32Array {
    return this.#pages[slot >>> PAGE_BITS] as Uint32Array;
  }

  #nextSlot(): number {
    if (this.#used >>> PAGE_BITS === this.#pages.length) {
      this.#pages.push(new Uint32Array(PAGE_SLOTS * this.#slotTokens));
    }
    this.#used += 1;
    return this.#used - 1;
  }
}
