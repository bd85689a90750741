const LARGE = 255;

/** Counts of one byte each; the few that need more are kept aside. */
export class SmallCounts {
  #small: Uint8Array;
  readonly #large = new Map<number, number>();

  constructor(length: number) {
    this.#small = new Uint8Array(length);
  }

  get(index: number): number {
    const count = this.#small[index] ?? 0;
    return count < LARGE ? count : (this.#large.get(index) ?? LARGE);
  }

  /** Adds one and returns the sum. */
  add(index: number): number {
    const count = this.get(index) + 1;
    if (count >= LARGE) this.#large.set(index, count);
    this.#small[index] = Math.min(count, LARGE);
    return count;
  }

  /** Takes one of at least one away and returns what is left. */
  take(index: number): number {
    const count = this.get(index) - 1;
    if (count >= LARGE) this.#large.set(index, count);
    else this.#large.delete(index);
    this.#small[index] = Math.min(count, LARGE);
    return count;
  }

  clear(index: number): void {
    if (this.#small[index] === LARGE) this.#large.delete(index);
    this.#small[index] = 0;
  }

  grow(length: number): void {
    const small = new Uint8Array(length);
    small.set(this.#small);
    this.#small = small;
  }
}
