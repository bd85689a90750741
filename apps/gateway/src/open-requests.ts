import type { BatonError } from '@baton/kv';

/** Requests that are being served, so that stopping can wait for them and then end them. */
export class OpenRequests {
  readonly #open = new Set<AbortController>();
  #onIdle: (() => void) | undefined;

  get size(): number {
    return this.#open.size;
  }

  begin(): AbortController {
    const controller = new AbortController();
    this.#open.add(controller);
    return controller;
  }

  end(controller: AbortController): void {
    this.#open.delete(controller);
    if (this.#open.size === 0) this.#onIdle?.();
  }

  abortAll(reason: BatonError): void {
    for (const controller of this.#open) controller.abort(reason);
  }

  /** True once no request is open, false when the time is over first. */
  async idle(limitMs: number): Promise<boolean> {
    if (this.#open.size === 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), limitMs);
    this.#onIdle = () => resolve(true);
    const idle = await promise;
    clearTimeout(timer);
    return idle;
  }
}
