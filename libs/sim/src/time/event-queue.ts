interface Entry {
  atMs: number;
  /** Of insertion: equal times keep their order. */
  number: number;
  run: (nowMs: number) => void;
}

/**
 * What will happen in virtual time: earliest first, and of equal times what was put in first. A binary heap of its own:
 * that of the request queue calls a function for each comparison, with which an event takes twice as long.
 */
export class EventQueue {
  readonly #heap: Entry[] = [];
  #count = 0;

  get length(): number {
    return this.#heap.length;
  }

  /** Of the next entry; Infinity when there is none. */
  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Infinity;
  }

  /** @throws RangeError when the time is no number. */
  push(atMs: number, run: (nowMs: number) => void): void {
    if (Number.isNaN(atMs)) throw new RangeError('an event needs a time');
    this.#count += 1;
    const entry = { atMs, number: this.#count, run };
    let at = this.#heap.length;
    this.#heap.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#heap[above];
      if (parent === undefined || isBefore(parent, entry)) break;
      this.#heap[at] = parent;
      at = above;
    }
    this.#heap[at] = entry;
  }

  /** Takes the next entry out and runs it; nothing when there is none. */
  runNext(): void {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return;
    if (this.#heap.length > 0) this.#sinkFromTop(last);
    first.run(first.atMs);
  }

  #sinkFromTop(entry: Entry): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const one = heap[left];
      if (one === undefined) break;
      const other = heap[left + 1];
      const isLeft = other === undefined || isBefore(one, other);
      const child = isLeft ? one : other;
      if (isBefore(entry, child)) break;
      heap[at] = child;
      at = isLeft ? left : left + 1;
    }
    heap[at] = entry;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.number < b.number);
}
