import type { BatonError } from '@baton/kv';
import { baton } from '@baton/proto';
import type { PlanSession } from '../ports.ts';
import type { Plan } from './request-plan.ts';

/** Reports come this often within a lease, so that one that is lost does no harm. */
const REPORTS_PER_LEASE = 3;
const MIN_INTERVAL_MS = 500;

const { PlanPhase } = baton.v1;

export interface Progress {
  outputTokens: number;
  computedTokens: number;
}

/** Tells the conductor how a plan is doing: its lease is renewed while the plan runs, and its end is told once. */
export class PlanReporter {
  readonly #session: PlanSession;
  readonly #planId: string;
  readonly #progress: () => Progress;
  readonly #timer: NodeJS.Timeout | undefined;
  #ended = false;
  #firstToken = false;

  constructor(session: PlanSession, plan: Plan, progress: () => Progress) {
    this.#session = session;
    this.#planId = plan.planId;
    this.#progress = progress;
    if (plan.leaseMs > 0) {
      const intervalMs = Math.max(MIN_INTERVAL_MS, plan.leaseMs / REPORTS_PER_LEASE);
      this.#timer = setInterval(() => this.#send(PlanPhase.PLAN_PHASE_PROGRESS), intervalMs);
      this.#timer.unref();
    }
  }

  /** The prompt is computed, and nothing of the answer is there yet. */
  prefilled(): void {
    this.#send(PlanPhase.PLAN_PHASE_PREFILLED);
  }

  /** Only the first call counts. */
  firstToken(ttftMs: number): void {
    if (this.#firstToken) return;
    this.#firstToken = true;
    this.#send(PlanPhase.PLAN_PHASE_FIRST_TOKEN, { ttftMs });
  }

  finished(): void {
    this.#end(PlanPhase.PLAN_PHASE_FINISHED);
  }

  aborted(error: BatonError): void {
    this.#end(PlanPhase.PLAN_PHASE_ABORTED, { code: error.code });
  }

  failed(error: BatonError): void {
    this.#end(PlanPhase.PLAN_PHASE_FAILED, { code: error.code });
  }

  #end(phase: baton.v1.PlanPhase, more: Partial<baton.v1.IPlanReport> = {}): void {
    if (this.#ended) return;
    this.#send(phase, more);
    this.#ended = true;
    clearInterval(this.#timer);
  }

  #send(phase: baton.v1.PlanPhase, more: Partial<baton.v1.IPlanReport> = {}): void {
    if (this.#ended) return;
    this.#session.report({ planId: this.#planId, phase, ...this.#progress(), ...more });
  }
}
