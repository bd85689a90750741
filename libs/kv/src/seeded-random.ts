/** Random numbers that follow from a seed (mulberry32): of the simulator's workloads, of tests and of benchmarks. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 to just below 1. */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `limit` - 1; `limit` is 2³² at most. */
  below(limit: number): number {
    return Math.floor(this.share() * limit);
  }

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    for (let i = 0; i < count; i += 1) bytes[i] = this.below(256);
    return bytes;
  }

  /** @throws RangeError when there is nothing to choose from. */
  oneOf<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to choose from');
    return items[this.below(items.length)] as T;
  }

  /** Exponentially distributed: the time between two events of a Poisson process. */
  exponential(mean: number): number {
    return -Math.log(1 - this.share()) * mean;
  }
}
