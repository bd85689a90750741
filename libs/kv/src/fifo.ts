/** Fewer places of taken entries are not worth cutting off. */
const MIN_CUT = 1_024;

/**
 * A queue from whose head entries are taken in constant time. What is taken is let go of at once; its places in the
 * array are cut off together when they are more than those in use, so that a queue that never empties does not grow.
 * Whoever fills it bounds it.
 */
export class Fifo<T> {
  #entries: (T | undefined)[] = [];
  #taken = 0;

  get length(): number {
    return this.#entries.length - this.#taken;
  }

  /** Places of the array, those of taken entries too. */
  get places(): number {
    return this.#entries.length;
  }

  /** The entry that is next; undefined when there is none. */
  get first(): T | undefined {
    return this.#entries[this.#taken];
  }

  push(entry: T): void {
    this.#entries.push(entry);
  }

  /** Another entry takes the place of the first; there must be one. */
  replaceFirst(entry: T): void {
    this.#entries[this.#taken] = entry;
  }

  /** Takes the first entry; undefined when there is none. */
  shift(): T | undefined {
    const entry = this.#entries[this.#taken];
    if (this.length === 0) return undefined;
    this.#entries[this.#taken] = undefined;
    this.#taken += 1;
    if (this.length === 0) this.clear();
    else if (this.#taken >= MIN_CUT && this.#taken > this.length) {
      this.#entries = this.#entries.slice(this.#taken);
      this.#taken = 0;
    }
    return entry;
  }

  clear(): void {
    this.#entries = [];
    this.#taken = 0;
  }
}
