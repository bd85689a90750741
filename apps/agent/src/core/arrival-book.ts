import type { PageStore } from '@baton/tier-store';
import { ARRIVAL_TTL_MS, MAX_ARRIVALS } from './agent-limits.ts';
import type { HeldTail } from './held-tail.ts';

/** What transfers bring to this worker for one plan. */
export interface Arrival {
  readonly planId: string;
  /** Holds what has arrived until the engine is done with it. */
  readonly owner: string;
  /** Segments that a running transfer is to bring. */
  readonly expected: Set<string>;
  /** Segments that a transfer of this plan has brought. */
  readonly transferred: Set<string>;
  /** Transfers that run, each with the way to end it. */
  readonly running: Map<string, (reason: string) => void>;
  hasHandover: boolean;
  tail: HeldTail | undefined;
  /** Why the last transfer that did not bring everything did not. */
  failure: string | undefined;
  expiresAtMs: number;
}

/** Arrivals by plan. One is there from its first order until its leg has ended, or nobody has asked for too long. */
export class ArrivalBook {
  readonly #pages: PageStore;
  readonly #byPlan = new Map<string, Arrival>();

  constructor(pages: PageStore) {
    this.#pages = pages;
  }

  get(planId: string): Arrival | undefined {
    return this.#byPlan.get(planId);
  }

  /** The plan's record, new if need be; undefined when there are too many. */
  open(planId: string, nowMs: number): Arrival | undefined {
    const known = this.#byPlan.get(planId);
    if (known) return known;
    if (this.#byPlan.size >= MAX_ARRIVALS) return undefined;
    const arrival: Arrival = {
      planId,
      owner: `arrival/${planId}`,
      expected: new Set(),
      transferred: new Set(),
      running: new Map(),
      hasHandover: false,
      tail: undefined,
      failure: undefined,
      expiresAtMs: nowMs + ARRIVAL_TTL_MS,
    };
    this.#byPlan.set(planId, arrival);
    return arrival;
  }

  /** The leases go; what the plan's transfers brought is remembered for the leg that may follow a failed one. */
  release(planId: string): void {
    const arrival = this.#byPlan.get(planId);
    if (!arrival) return;
    arrival.tail = undefined;
    this.#pages.releaseAll(arrival.owner);
  }

  /** Ends what still runs for the plan, and forgets it. Pages follow when each transfer has come to its end. */
  remove(planId: string, reason: string): void {
    const arrival = this.#byPlan.get(planId);
    if (!arrival) return;
    this.stopTransfers(planId, reason);
    this.release(planId);
    this.#byPlan.delete(planId);
  }

  /** The engine is gone, and with it everybody who could use what arrives for a plan. */
  removeAll(reason: string): void {
    for (const planId of [...this.#byPlan.keys()]) this.remove(planId, reason);
  }

  stopTransfers(planId: string, reason: string): void {
    const arrival = this.#byPlan.get(planId);
    for (const cancel of [...(arrival?.running.values() ?? [])]) cancel(reason);
  }

  /** Also keeps those that are in use from running out. */
  expire(nowMs: number, isInUse: (planId: string) => boolean): void {
    for (const { planId, running, expiresAtMs } of [...this.#byPlan.values()]) {
      if (running.size === 0 && expiresAtMs <= nowMs && !isInUse(planId)) {
        this.remove(planId, 'nobody asked for it');
      }
    }
  }
}
