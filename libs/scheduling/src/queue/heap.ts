/** A binary heap: the least item is first, by `isBefore`. Items may change when `moved` is said. */
export class Heap<T extends object> {
  readonly #items: T[] = [];
  readonly #positions = new Map<T, number>();
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** The least ones in their order, at most so many. */
  least(count: number): T[] {
    const found: T[] = [];
    // Positions whose parents were taken: one of them is next.
    const edge = this.#items.length > 0 ? [0] : [];
    while (found.length < count && edge.length > 0) {
      let least = 0;
      for (let i = 1; i < edge.length; i += 1) {
        if (this.#isBefore(this.#at(edge[i] as number), this.#at(edge[least] as number))) least = i;
      }
      const [at = 0] = edge.splice(least, 1);
      found.push(this.#at(at));
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.#items.length) edge.push(child);
      }
    }
    return found;
  }

  add(item: T): void {
    this.#items.push(item);
    this.#positions.set(item, this.#items.length - 1);
    this.#rise(this.#items.length - 1);
  }

  remove(item: T): void {
    const at = this.#positions.get(item);
    if (at === undefined) return;
    const last = this.#items.pop() as T;
    this.#positions.delete(item);
    if (last === item) return;
    this.#put(last, at);
    this.#settle(at);
  }

  /** What decides its order has changed. */
  moved(item: T): void {
    const at = this.#positions.get(item);
    if (at !== undefined) this.#settle(at);
  }

  #settle(at: number): void {
    if (!this.#rise(at)) this.#sink(at);
  }

  #rise(from: number): boolean {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(this.#at(at), this.#at(parent))) break;
      this.#swap(at, parent);
      at = parent;
    }
    return at !== from;
  }

  #sink(from: number): void {
    for (let at = from; ;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < this.#items.length && this.#isBefore(this.#at(left), this.#at(least)))
        least = left;
      if (right < this.#items.length && this.#isBefore(this.#at(right), this.#at(least))) {
        least = right;
      }
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#at(a), this.#at(b)];
    this.#put(second, a);
    this.#put(first, b);
  }

  #put(item: T, at: number): void {
    this.#items[at] = item;
    this.#positions.set(item, at);
  }

  #at(at: number): T {
    return this.#items[at] as T;
  }
}
