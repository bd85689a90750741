/** Remembers the ids seen last, a bounded number of them. */
export class RecentIds {
  readonly #limit: number;
  readonly #ids = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** False when the id was there already. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    const oldest = this.#ids.values().next();
    if (this.#ids.size > this.#limit && !oldest.done) this.#ids.delete(oldest.value);
    return true;
  }
}
