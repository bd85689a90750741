/** Longest wait in the conductor that is counted. */
const MAX_COUNTED_WAIT_MS = 3_600_000;
const DEFAULT_WAIT_MS = 60_000;
/** Beyond the longest wait: leases and deadlines of the core have passed by then. */
const GRACE_MS = 60_000;

/** Notices that nothing happens any more, so that a simulation ends in an error and not never. */
export class Stillness {
  readonly #limitMs: number;
  #seen = -1;
  #sinceMs = 0;

  /** @param maxWaitMs how long the core lets a request wait while nothing happens */
  constructor(maxWaitMs = DEFAULT_WAIT_MS) {
    this.#limitMs = Math.min(maxWaitMs, MAX_COUNTED_WAIT_MS) + GRACE_MS;
  }

  /** @param progress a number that changes whenever something happens */
  isReached(progress: number, isFine: boolean, nowMs: number): boolean {
    if (progress !== this.#seen || isFine) {
      this.#seen = progress;
      this.#sinceMs = nowMs;
    }
    return nowMs - this.#sinceMs > this.#limitMs;
  }
}
