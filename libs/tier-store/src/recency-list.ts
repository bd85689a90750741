const NONE = -1;

/** Order of last use over the numbers 0..size−1, each at most once in it; all operations O(1), no objects. */
export class RecencyList {
  readonly #previous: Int32Array;
  readonly #next: Int32Array;
  readonly #isIn: Uint8Array;
  #oldest = NONE;
  #newest = NONE;
  #count = 0;

  constructor(size: number) {
    this.#previous = new Int32Array(size).fill(NONE);
    this.#next = new Int32Array(size).fill(NONE);
    this.#isIn = new Uint8Array(size);
  }

  get count(): number {
    return this.#count;
  }

  /** The one not used for longest. */
  get oldest(): number | undefined {
    return this.#oldest === NONE ? undefined : this.#oldest;
  }

  /** Puts a number at the new end, wherever it was. */
  use(item: number): void {
    this.remove(item);
    this.#isIn[item] = 1;
    this.#previous[item] = this.#newest;
    this.#next[item] = NONE;
    if (this.#newest === NONE) this.#oldest = item;
    else this.#next[this.#newest] = item;
    this.#newest = item;
    this.#count += 1;
  }

  /** Nothing happens when it is not in the list. */
  remove(item: number): void {
    if (this.#isIn[item] !== 1) return;
    this.#isIn[item] = 0;
    const previous = this.#previous[item] ?? NONE;
    const next = this.#next[item] ?? NONE;
    if (previous === NONE) this.#oldest = next;
    else this.#next[previous] = next;
    if (next === NONE) this.#newest = previous;
    else this.#previous[next] = previous;
    this.#count -= 1;
  }
}
