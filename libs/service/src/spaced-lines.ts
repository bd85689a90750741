/** Lines about one kind of fault, at most one in `spacingMs`: whoever sends nonsense does not fill the log with it. */
export class SpacedLines {
  readonly #spacingMs: number;
  readonly #nowMs: () => number;
  #nextAtMs = -Infinity;
  #leftOut = 0;

  constructor(spacingMs: number, nowMs: () => number = () => performance.now()) {
    this.#spacingMs = spacingMs;
    this.#nowMs = nowMs;
  }

  /** Calls `say` with the number of lines left out since the last one, or leaves this one out, too. */
  line(say: (leftOut: number) => void): void {
    const nowMs = this.#nowMs();
    if (nowMs < this.#nextAtMs) {
      this.#leftOut += 1;
      return;
    }
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    this.#nextAtMs = nowMs + this.#spacingMs;
    say(leftOut);
  }
}
