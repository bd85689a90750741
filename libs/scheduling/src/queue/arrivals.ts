/** What {@link Arrivals} needs to know of one who waits. */
export interface Arrived {
  /** Least time that serving it takes, ms. */
  readonly estimateMs: number;
  /** It is to be begun by then. */
  readonly beginByMs: number;
}

const FIRST_CAPACITY = 64;

/**
 * Those who wait in the order of their arrival, with a tree over them that says in O(log n) whether
 * serving them in this order from now on would still begin each in time: the work of all who came
 * before, shared by the ranks, comes first.
 */
export class Arrivals<T extends Arrived> {
  readonly #slots = new Map<T, number>();
  #capacity = FIRST_CAPACITY;
  #end = 0;
  /** Work in a subtree, and the least slack in it: ranks × begin-by − work that comes before in it. */
  #work = new Float64Array(2 * FIRST_CAPACITY);
  #slack = new Float64Array(2 * FIRST_CAPACITY).fill(Infinity);
  #ranks = 1;

  get size(): number {
    return this.#slots.size;
  }

  /** Sum of all estimates. */
  get workMs(): number {
    return this.#work[1] as number;
  }

  has(item: T): boolean {
    return this.#slots.has(item);
  }

  /** Of two that are there. */
  cameBefore(a: T, b: T): boolean {
    return (this.#slots.get(a) ?? 0) < (this.#slots.get(b) ?? 0);
  }

  /** In order of arrival. */
  items(): IterableIterator<T> {
    return this.#slots.keys();
  }

  get oldest(): T | undefined {
    const [first] = this.#slots.keys();
    return first;
  }

  add(item: T): void {
    if (this.#end === this.#capacity) this.#rebuild();
    this.#slots.set(item, this.#end);
    this.#end += 1;
    this.#set(this.#end - 1, item);
  }

  remove(item: T): void {
    const slot = this.#slots.get(item);
    if (slot === undefined) return;
    this.#slots.delete(item);
    this.#set(slot, undefined);
  }

  /** Its estimate has changed. */
  changed(item: T): void {
    const slot = this.#slots.get(item);
    if (slot !== undefined) this.#set(slot, item);
  }

  /**
   * Least over all who came before the item: begin-by times the number of ranks, less the work of
   * those who came before them. Infinity when nobody did. In rank-milliseconds.
   */
  leastSlackBefore(item: T, ranks: number): number {
    if (ranks !== this.#ranks) {
      this.#ranks = ranks;
      this.#rebuild();
    }
    let at = (this.#slots.get(item) ?? 0) + this.#capacity;
    let slack = Infinity;
    // Each left sibling on the way up comes before all that was taken so far.
    for (; at > 1; at >>= 1) {
      if ((at & 1) === 0) continue;
      const left = at - 1;
      slack = Math.min(this.#slack[left] as number, slack - (this.#work[left] as number));
    }
    return slack;
  }

  #set(slot: number, item: T | undefined): void {
    let at = slot + this.#capacity;
    this.#work[at] = item?.estimateMs ?? 0;
    this.#slack[at] = item === undefined ? Infinity : item.beginByMs * this.#ranks;
    for (at >>= 1; at >= 1; at >>= 1) this.#join(at);
  }

  #join(at: number): void {
    const [left, right] = [2 * at, 2 * at + 1];
    const leftWork = this.#work[left] as number;
    this.#work[at] = leftWork + (this.#work[right] as number);
    this.#slack[at] = Math.min(
      this.#slack[left] as number,
      (this.#slack[right] as number) - leftWork,
    );
  }

  /** Closes the gaps that others left, with room for as many again. */
  #rebuild(): void {
    const items = [...this.#slots.keys()];
    this.#capacity = FIRST_CAPACITY;
    while (this.#capacity < 2 * items.length) this.#capacity *= 2;
    this.#end = items.length;
    this.#work = new Float64Array(2 * this.#capacity);
    this.#slack = new Float64Array(2 * this.#capacity).fill(Infinity);
    items.forEach((item, slot) => {
      this.#slots.set(item, slot);
      this.#work[slot + this.#capacity] = item.estimateMs;
      this.#slack[slot + this.#capacity] = item.beginByMs * this.#ranks;
    });
    for (let at = this.#capacity - 1; at >= 1; at -= 1) this.#join(at);
  }
}
