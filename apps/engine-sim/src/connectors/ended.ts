/** Those that are remembered. */
const MAX_ENDED = 4_096;

/** What has ended, by its id, so that a second use can be told from a wrong one; the oldest are forgotten. */
export class Ended<T> {
  readonly #byId = new Map<string, T>();

  get(id: string): T | undefined {
    return this.#byId.get(id);
  }

  add(id: string, what: T): void {
    this.#byId.set(id, what);
    const oldest = this.#byId.keys().next();
    if (this.#byId.size > MAX_ENDED && !oldest.done) this.#byId.delete(oldest.value);
  }
}
