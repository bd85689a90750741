import type { PageStore } from '@baton/tier-store';
import type { SourceRefusal } from '@baton/transfer-engines';
import {
  BROKEN_HANDOVER_MS,
  HANDOVER_TTL_MS,
  MAX_HANDOVERS,
  MAX_REMEMBERED,
  UNCLAIMED_HANDOVER_MS,
} from './agent-limits.ts';
import type { HeldTail } from './held-tail.ts';
import { RecentIds } from './recent-ids.ts';

/** One prefill whose KV another agent pulls, as this agent, its source, knows it. */
export interface Handover {
  readonly planId: string;
  /** Holds what the plan needs until it is taken. */
  readonly owner: string;
  /** Segments that the engine has announced and not yet delivered. */
  readonly expected: Set<string>;
  /** True once the engine has said which segments will come. */
  isAnnounced: boolean;
  tail: HeldTail | undefined;
  /** Nothing more will come, and this is why. */
  failure: SourceRefusal | undefined;
  /** Connections that pull at this moment. */
  streams: number;
  expiresAtMs: number;
}

/**
 * Handovers at their source. A record appears with the engine's announcement or with a puller that is earlier, and goes
 * when the tail has been taken, when the plan is cancelled, or when nobody comes.
 */
export class HandoverBook {
  readonly #pages: PageStore;
  readonly #onChange: () => void;
  readonly #byPlan = new Map<string, Handover>();
  readonly #over = new RecentIds(MAX_REMEMBERED);
  /** Of those, the ones that were called off. */
  readonly #cancelled = new RecentIds(MAX_REMEMBERED);

  constructor(pages: PageStore, onChange: () => void) {
    this.#pages = pages;
    this.#onChange = onChange;
  }

  get(planId: string): Handover | undefined {
    return this.#byPlan.get(planId);
  }

  isCancelled(planId: string): boolean {
    return this.#cancelled.has(planId);
  }

  /** The engine is about to deliver these; undefined when the plan is over, or there are too many. */
  announce(planId: string, expected: readonly string[], nowMs: number): Handover | undefined {
    const handover = this.#open(planId, nowMs);
    if (!handover) return undefined;
    handover.isAnnounced = true;
    for (const key of expected) handover.expected.add(key);
    handover.expiresAtMs = nowMs + HANDOVER_TTL_MS;
    this.#onChange();
    return handover;
  }

  /** A puller is here, perhaps before the engine. */
  join(planId: string, nowMs: number): Handover | undefined {
    const handover = this.#open(planId, nowMs);
    if (handover) handover.streams += 1;
    return handover;
  }

  /** One of its connections is gone; `tookTail` when the handover is complete. */
  leave(handover: Handover, tookTail: boolean, nowMs: number): void {
    handover.streams -= 1;
    if (tookTail) this.#over.add(handover.planId);
    if (handover.streams > 0 || this.#byPlan.get(handover.planId) !== handover) return;
    if (this.#over.has(handover.planId)) this.#remove(handover);
    else if (!handover.isAnnounced && !handover.failure) this.#byPlan.delete(handover.planId);
    else if (handover.tail || handover.failure) {
      handover.expiresAtMs = nowMs + BROKEN_HANDOVER_MS;
    }
  }

  committed(planId: string, key: string): void {
    this.#byPlan.get(planId)?.expected.delete(key);
    this.#onChange();
  }

  /** The prefill is complete. False when nobody wants the tail any more. */
  ready(planId: string, tail: HeldTail, nowMs: number): boolean {
    const handover = this.#byPlan.get(planId);
    if (!handover || handover.failure) return false;
    handover.tail = tail;
    handover.expected.clear();
    handover.expiresAtMs = Math.min(handover.expiresAtMs, nowMs + HANDOVER_TTL_MS);
    this.#onChange();
    return true;
  }

  /** The prefill will not bring what was expected of it: those who wait hear it at once. */
  fail(planId: string, failure: SourceRefusal, nowMs: number): void {
    const handover = this.#open(planId, nowMs);
    if (!handover) return;
    handover.failure ??= failure;
    handover.expected.clear();
    handover.expiresAtMs = nowMs + BROKEN_HANDOVER_MS;
    this.#onChange();
  }

  /** The engine is done with the prefill leg. */
  prefillEnded(planId: string, outcome: string, nowMs: number): void {
    const handover = this.#byPlan.get(planId);
    if (handover?.tail) {
      handover.expiresAtMs = nowMs + UNCLAIMED_HANDOVER_MS;
      return;
    }
    const message = `the prefill ${outcome} without a handover`;
    // A prefill that is aborted is one that nobody wants any more.
    const code = outcome === 'aborted' ? 'transfer_cancelled' : 'engine_failed';
    this.fail(planId, { code, message }, nowMs);
  }

  /** The plan is called off: everything held for it is given back. */
  cancel(planId: string): void {
    this.#over.add(planId);
    this.#cancelled.add(planId);
    const handover = this.#byPlan.get(planId);
    if (!handover) return;
    handover.failure = { code: 'transfer_cancelled', message: 'the plan was cancelled' };
    this.#remove(handover);
    this.#onChange();
  }

  /** The engine is gone: nothing that is not here yet will come. */
  engineLost(nowMs: number): void {
    for (const { planId, tail } of [...this.#byPlan.values()]) {
      if (tail) continue;
      this.fail(planId, { code: 'engine_unavailable', message: 'the engine is gone' }, nowMs);
    }
  }

  expire(nowMs: number): void {
    for (const handover of [...this.#byPlan.values()]) {
      const isWanted = handover.streams > 0 && !handover.failure;
      if (handover.expiresAtMs <= nowMs && !isWanted) this.#remove(handover);
    }
  }

  #open(planId: string, nowMs: number): Handover | undefined {
    const known = this.#byPlan.get(planId);
    if (known) return known;
    if (planId === '' || this.#over.has(planId) || this.#byPlan.size >= MAX_HANDOVERS) {
      return undefined;
    }
    const handover: Handover = {
      planId,
      owner: `handover/${planId}`,
      expected: new Set(),
      isAnnounced: false,
      tail: undefined,
      failure: undefined,
      streams: 0,
      expiresAtMs: nowMs + HANDOVER_TTL_MS,
    };
    this.#byPlan.set(planId, handover);
    return handover;
  }

  #remove(handover: Handover): void {
    this.#byPlan.delete(handover.planId);
    this.#over.add(handover.planId);
    this.#pages.releaseAll(handover.owner);
  }
}
