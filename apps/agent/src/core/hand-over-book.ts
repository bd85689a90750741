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
export interface HandOver {
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
 * Hand-overs at their source. A record appears with the engine's announcement or with a puller that is earlier, and goes
 * when the tail has been taken, when the plan is cancelled, or when nobody comes.
 */
export class HandOverBook {
  readonly #pages: PageStore;
  readonly #onChange: () => void;
  readonly #byPlan = new Map<string, HandOver>();
  readonly #over = new RecentIds(MAX_REMEMBERED);
  /** Of those, the ones that were called off. */
  readonly #cancelled = new RecentIds(MAX_REMEMBERED);

  constructor(pages: PageStore, onChange: () => void) {
    this.#pages = pages;
    this.#onChange = onChange;
  }

  get(planId: string): HandOver | undefined {
    return this.#byPlan.get(planId);
  }

  isCancelled(planId: string): boolean {
    return this.#cancelled.has(planId);
  }

  /** The engine is about to deliver these; undefined when the plan is over, or there are too many. */
  announce(planId: string, expected: readonly string[], nowMs: number): HandOver | undefined {
    const handOver = this.#open(planId, nowMs);
    if (!handOver) return undefined;
    handOver.isAnnounced = true;
    for (const key of expected) handOver.expected.add(key);
    handOver.expiresAtMs = nowMs + HANDOVER_TTL_MS;
    this.#onChange();
    return handOver;
  }

  /** A puller is here, perhaps before the engine. */
  join(planId: string, nowMs: number): HandOver | undefined {
    const handOver = this.#open(planId, nowMs);
    if (handOver) handOver.streams += 1;
    return handOver;
  }

  /** One of its connections is gone; `tookTail` when the hand-over is complete. */
  leave(handOver: HandOver, tookTail: boolean, nowMs: number): void {
    handOver.streams -= 1;
    if (tookTail) this.#over.add(handOver.planId);
    if (handOver.streams > 0 || this.#byPlan.get(handOver.planId) !== handOver) return;
    if (this.#over.has(handOver.planId)) this.#remove(handOver);
    else if (!handOver.isAnnounced && !handOver.failure) this.#byPlan.delete(handOver.planId);
    else if (handOver.tail || handOver.failure) {
      handOver.expiresAtMs = nowMs + BROKEN_HANDOVER_MS;
    }
  }

  committed(planId: string, key: string): void {
    this.#byPlan.get(planId)?.expected.delete(key);
    this.#onChange();
  }

  /** The prefill is complete. False when nobody wants the tail any more. */
  ready(planId: string, tail: HeldTail, nowMs: number): boolean {
    const handOver = this.#byPlan.get(planId);
    if (!handOver || handOver.failure) return false;
    handOver.tail = tail;
    handOver.expected.clear();
    handOver.expiresAtMs = Math.min(handOver.expiresAtMs, nowMs + HANDOVER_TTL_MS);
    this.#onChange();
    return true;
  }

  /** The prefill will not bring what was expected of it: those who wait hear it at once. */
  fail(planId: string, failure: SourceRefusal, nowMs: number): void {
    const handOver = this.#open(planId, nowMs);
    if (!handOver) return;
    handOver.failure ??= failure;
    handOver.expected.clear();
    handOver.expiresAtMs = nowMs + BROKEN_HANDOVER_MS;
    this.#onChange();
  }

  /** The engine is done with the prefill leg. */
  prefillEnded(planId: string, outcome: string, nowMs: number): void {
    const handOver = this.#byPlan.get(planId);
    if (handOver?.tail) {
      handOver.expiresAtMs = nowMs + UNCLAIMED_HANDOVER_MS;
      return;
    }
    const message = `the prefill ${outcome} without a hand-over`;
    this.fail(planId, { code: 'engine_failed', message }, nowMs);
  }

  /** The plan is called off: everything held for it is given back. */
  cancel(planId: string): void {
    this.#over.add(planId);
    this.#cancelled.add(planId);
    const handOver = this.#byPlan.get(planId);
    if (!handOver) return;
    handOver.failure = { code: 'transfer_cancelled', message: 'the plan was cancelled' };
    this.#remove(handOver);
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
    for (const handOver of [...this.#byPlan.values()]) {
      const isWanted = handOver.streams > 0 && !handOver.failure;
      if (handOver.expiresAtMs <= nowMs && !isWanted) this.#remove(handOver);
    }
  }

  #open(planId: string, nowMs: number): HandOver | undefined {
    const known = this.#byPlan.get(planId);
    if (known) return known;
    if (planId === '' || this.#over.has(planId) || this.#byPlan.size >= MAX_HANDOVERS) {
      return undefined;
    }
    const handOver: HandOver = {
      planId,
      owner: `handover/${planId}`,
      expected: new Set(),
      isAnnounced: false,
      tail: undefined,
      failure: undefined,
      streams: 0,
      expiresAtMs: nowMs + HANDOVER_TTL_MS,
    };
    this.#byPlan.set(planId, handOver);
    return handOver;
  }

  #remove(handOver: HandOver): void {
    this.#byPlan.delete(handOver.planId);
    this.#over.add(handOver.planId);
    this.#pages.releaseAll(handOver.owner);
  }
}
