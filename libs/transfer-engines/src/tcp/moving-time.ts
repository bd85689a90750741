/** A pause longer than this is waiting, not moving. */
const MAX_GAP_MS = 2;

/** Adds up the time during which payload comes in, whatever the number of streams. */
export class MovingTime {
  #lastMs: number | undefined;
  totalMs = 0;

  note(nowMs: number, isPayload: boolean): void {
    if (this.#lastMs !== undefined && isPayload) {
      this.totalMs += Math.min(nowMs - this.#lastMs, MAX_GAP_MS);
    }
    this.#lastMs = nowMs;
  }
}
