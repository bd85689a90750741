/** Wakes everybody who waits for anything to change; they look for themselves whether it concerns them. */
export class ChangeSignal {
  #waiting = Promise.withResolvers<void>();

  /** Resolves at the next {@link notify}. */
  next(): Promise<void> {
    return this.#waiting.promise;
  }

  notify(): void {
    const { resolve } = this.#waiting;
    this.#waiting = Promise.withResolvers<void>();
    resolve();
  }
}
