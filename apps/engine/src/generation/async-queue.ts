/**
 * Values from a producer that never waits to one consumer that takes whatever has come. What it can hold is bounded by
 * the producer: a request has at most as many output tokens as the model's window.
 */
export class AsyncQueue<T> {
  #items: T[] = [];
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** Everything that has come, at least one item. One caller at a time. */
  async take(): Promise<T[]> {
    if (this.#items.length === 0) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    const items = this.#items;
    this.#items = [];
    return items;
  }
}
