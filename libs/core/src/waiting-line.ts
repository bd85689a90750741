import type { PlanRequest } from './inputs.ts';

export interface Waiting {
  sessionId: string;
  request: PlanRequest;
  arrivedAtMs: number;
  deadlineMs: number;
}

/** Requests that no worker has room for now, in order of arrival. */
export class WaitingLine {
  readonly #limit: number;
  #entries: Waiting[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#entries.length;
  }

  isWaiting(model: string): boolean {
    return this.#entries.some((entry) => entry.request.model === model);
  }

  /** False when the line is full. */
  join(entry: Waiting): boolean {
    if (this.#entries.length >= this.#limit) return false;
    this.#entries.push(entry);
    return true;
  }

  /**
   * Offers each entry a place, in order. `serve` says whether it was served (or refused for good);
   * after the first of a model that was not, later ones of that model keep waiting, so that nobody
   * is overtaken.
   */
  advance(serve: (entry: Waiting) => boolean): void {
    const blocked = new Set<string>();
    this.#entries = this.#entries.filter((entry) => {
      const { model } = entry.request;
      if (blocked.has(model)) return true;
      if (serve(entry)) return false;
      blocked.add(model);
      return true;
    });
  }

  /** Takes out those whose time is over. */
  expire(nowMs: number): Waiting[] {
    const late = this.#entries.filter((entry) => entry.deadlineMs <= nowMs);
    if (late.length > 0) this.#entries = this.#entries.filter((e) => e.deadlineMs > nowMs);
    return late;
  }

  dropSession(sessionId: string): void {
    this.#entries = this.#entries.filter((entry) => entry.sessionId !== sessionId);
  }
}
