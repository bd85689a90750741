/** Adds up the time during which bytes come in, whatever the number of streams. */
export class MovingTime {
  readonly #maxGapMs: number;
  #lastMs: number | undefined;
  totalMs = 0;

  /** A pause counts as this much at most: what is longer is waiting for somebody, not moving. */
  constructor(maxGapMs: number) {
    this.#maxGapMs = maxGapMs;
  }

  /** Bytes came in. */
  note(nowMs: number): void {
    if (this.#lastMs !== undefined) this.totalMs += Math.min(nowMs - this.#lastMs, this.#maxGapMs);
    this.#lastMs = nowMs;
  }
}
