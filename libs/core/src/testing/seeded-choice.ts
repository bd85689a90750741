/** Choices that follow from a seed (mulberry32), for simulations. */
export class SeededChoice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** @throws RangeError when there is nothing to choose from. */
  of<T>(items: readonly T[]): T {
    const chosen = items[this.below(items.length)];
    if (chosen === undefined) throw new RangeError('nothing to choose from');
    return chosen;
  }
}
