/** Half of vLLM's `kv_lease_duration`: what a prefill keeps is used for so long. */
const MAX_STANDSTILL_MS = 15_000;
const TICK_MS = 1_000;

/**
 * Whether this process was stopped for so long that what waits in its sockets may be worth nothing any more. Nothing else
 * tells: an answer that came long ago looks like one that has just come.
 */
export class Standstills {
  readonly #nowMs: () => number;
  readonly #timer: NodeJS.Timeout;
  #tickedAtMs: number;
  #endedAtMs = -Infinity;

  /** @param nowMs time of day: other clocks stand still with a machine that is suspended. One that is set costs a prefill. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#tickedAtMs = nowMs();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** @returns whether there has been one since now, whenever it is asked */
  from(): () => boolean {
    this.#tick();
    const fromMs = this.#tickedAtMs;
    return () => {
      // What waited in a socket may have its turn before the timer.
      this.#tick();
      return this.#endedAtMs > fromMs;
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#tickedAtMs > MAX_STANDSTILL_MS) this.#endedAtMs = nowMs;
    this.#tickedAtMs = nowMs;
  }
}
