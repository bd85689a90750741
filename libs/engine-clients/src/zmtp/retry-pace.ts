const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 2_000;
/** A connection that has lasted so long was a good one. */
const SETTLED_MS = 5_000;

/**
 * When a peer is to be tried again: later each time, until a connection has lasted. One that ends as soon as it is made
 * is no better than none.
 */
export class RetryPace {
  readonly #nowMs: () => number;
  #waitMs = FIRST_RETRY_MS;
  #nextAtMs = -Infinity;
  /** Infinity while there is no connection. */
  #upAtMs = Infinity;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Time until the next try, ms; 0 when one may be made now. */
  get dueInMs(): number {
    return Math.max(this.#nextAtMs - this.#nowMs(), 0);
  }

  /** There is a connection. */
  up(): void {
    this.#upAtMs = this.#nowMs();
  }

  /** The peer could not be reached, or has gone. */
  failed(): void {
    this.ended();
    this.#nextAtMs = this.#nowMs() + this.#waitMs;
    this.#waitMs = Math.min(this.#waitMs * 2, MAX_RETRY_MS);
  }

  /** We have ended the connection. */
  ended(): void {
    if (this.#nowMs() - this.#upAtMs >= SETTLED_MS) this.#waitMs = FIRST_RETRY_MS;
    this.#upAtMs = Infinity;
  }
}
