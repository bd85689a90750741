/** npm passes on the SIGINT that the terminal sent to the whole group: two within this time are one Ctrl-C. */
const sameKeyPressMs = 250;

/** Why `up` was asked to stop. */
export type StopCause = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'parent gone';

/** Turns signals into a first request to stop and a second one to stop at once. */
export class StopRequest {
  readonly #first = new AbortController();
  readonly #second = new AbortController();
  #firstAtMs = 0;
  #cause: StopCause | undefined;

  /** Aborted by the first request. */
  get signal(): AbortSignal {
    return this.#first.signal;
  }

  /** Aborted by the second request. */
  get atOnce(): AbortSignal {
    return this.#second.signal;
  }

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  request(cause: StopCause, nowMs = performance.now()): void {
    if (this.#cause === undefined) {
      this.#cause = cause;
      this.#firstAtMs = nowMs;
      this.#first.abort();
    } else if (nowMs - this.#firstAtMs > sameKeyPressMs) {
      this.#second.abort();
    }
  }

  /** Requests come from this process's signals until the result is called. */
  listen(): () => void {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    const listeners = signals.map((signal) => [signal, () => this.request(signal)] as const);
    for (const [signal, listener] of listeners) process.on(signal, listener);
    return () => {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    };
  }
}

/** Settles when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
