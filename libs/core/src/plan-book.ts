import { Bookings, type Booking } from '@baton/cluster';
import { Heap, type Choice, type Explanation, type PlanMode } from '@baton/scheduling';
import type { TransferRecord } from '@baton/transfers';
import type { ErrorCode } from '@baton/kv';
import type { PlanReport, PlanRequest } from './inputs.ts';
import type { CoreOptions } from './options.ts';

export type PlanState = 'planned' | 'streaming' | 'finished' | 'aborted' | 'failed' | 'refused';

/** A plan with everything that explains it. Times are the core's clock. */
export interface PlanRecord {
  planId: string;
  sessionId: string;
  requestId: string;
  model: string;
  /** Name of its LoRA adapter; empty for the base model. */
  adapter: string;
  promptTokens: number;
  maxOutputTokens: number;
  state: PlanState;
  /** Why it ended, or was refused: a reason or an error code. */
  endReason: string;
  createdAtMs: number;
  waitedMs: number;
  leaseUntilMs: number;
  endedAtMs: number | undefined;
  mode: PlanMode | undefined;
  choice: Choice | undefined;
  explanation: Explanation | undefined;
  transfers: TransferRecord[];
  /** As reported. */
  ttftMs: number | undefined;
  outputTokens: number;
  computedTokens: number;
}

export interface PlanTotals {
  planned: number;
  aggregated: number;
  disaggregated: number;
  finished: number;
  aborted: number;
  failed: number;
  refused: number;
  /** Reports of plans that are not live or belong to another session. */
  unknownReports: number;
}

/** Live plans with their bookings and leases, and the last ones that ended. */
export class PlanBook {
  readonly bookings = new Bookings();
  readonly totals: PlanTotals = {
    planned: 0,
    aggregated: 0,
    disaggregated: 0,
    finished: 0,
    aborted: 0,
    failed: 0,
    refused: 0,
    unknownReports: 0,
  };
  readonly #options: CoreOptions;
  readonly #live = new Map<string, PlanRecord>();
  readonly #byLease = new Heap<PlanRecord>((a, b) => a.leaseUntilMs < b.leaseUntilMs);
  #ended: PlanRecord[] = [];
  #count = 0;

  constructor(options: CoreOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#live.size >= this.#options.maxLivePlans;
  }

  get liveCount(): number {
    return this.#live.size;
  }

  /** Books a choice: from here on it counts as load, until it is released. */
  open(
    sessionId: string,
    request: PlanRequest,
    choice: Choice,
    explanation: Explanation,
    arrivedAtMs: number,
    nowMs: number,
  ): PlanRecord {
    const record = this.#record(sessionId, request, explanation, arrivedAtMs, nowMs);
    record.choice = choice;
    record.mode = choice.mode;
    record.leaseUntilMs = nowMs + this.#options.planLeaseMs;
    this.bookings.book(record.planId, bookingsOf(choice));
    this.#live.set(record.planId, record);
    this.#byLease.add(record);
    this.totals.planned += 1;
    this.totals[choice.mode] += 1;
    return record;
  }

  /** Keeps a refusal for explanation. */
  refused(
    sessionId: string,
    request: PlanRequest,
    code: ErrorCode,
    explanation: Explanation | undefined,
    arrivedAtMs: number,
    nowMs: number,
  ): void {
    const record = this.#record(sessionId, request, explanation, arrivedAtMs, nowMs);
    this.#close(record, 'refused', code, nowMs);
  }

  /** The plan lives and belongs to the session. */
  isOf(sessionId: string, planId: string): boolean {
    return this.#live.get(planId)?.sessionId === sessionId;
  }

  /** Applies a report; returns the plan when it ended with it. */
  report(report: PlanReport, nowMs: number): PlanRecord | undefined {
    const plan = this.#live.get(report.planId);
    if (plan === undefined) return undefined;
    plan.leaseUntilMs = nowMs + this.#options.planLeaseMs;
    this.#byLease.moved(plan);
    plan.outputTokens = Math.max(plan.outputTokens, report.outputTokens);
    if (report.computedTokens > 0) plan.computedTokens = report.computedTokens;
    if (report.ttftMs > 0) plan.ttftMs = report.ttftMs;
    if (report.phase === 'progress') return undefined;
    if (report.phase === 'prefilled' || report.phase === 'first_token') {
      if (report.phase === 'first_token') plan.state = 'streaming';
      this.bookings.prefillDone(plan.planId);
      return undefined;
    }
    const reason = report.phase === 'failed' ? report.code || 'failed' : report.phase;
    this.end(plan, report.phase, reason, nowMs);
    return plan;
  }

  end(
    plan: PlanRecord,
    state: 'finished' | 'aborted' | 'failed',
    reason: string,
    nowMs: number,
  ): void {
    this.bookings.release(plan.planId);
    this.#live.delete(plan.planId);
    this.#byLease.remove(plan);
    this.#close(plan, state, reason, nowMs);
  }

  /** So much time does not count. */
  extendLeases(durationMs: number): void {
    for (const plan of this.#live.values()) plan.leaseUntilMs += durationMs;
  }

  /** Plans of which nobody has reported for the time of a lease. */
  overdue(nowMs: number): PlanRecord[] {
    const first = this.#byLease.first;
    if (first === undefined || first.leaseUntilMs > nowMs) return [];
    return [...this.#live.values()].filter((plan) => plan.leaseUntilMs <= nowMs);
  }

  /** Live plans that need a worker: for the answer, or for a prompt's KV until decode has given a token of its own. */
  using(workerId: string): number {
    let count = 0;
    for (const { choice, state } of this.#live.values()) {
      if (choice?.decode.workerId === workerId) count += 1;
      else if (choice?.prefill.workerId === workerId && state !== 'streaming') count += 1;
    }
    return count;
  }

  /** Live plans that need an adapter on a worker. */
  usingAdapter(workerId: string, name: string): number {
    let count = 0;
    for (const { adapter, choice } of this.#live.values()) {
      const isThere = choice?.decode.workerId === workerId || choice?.prefill.workerId === workerId;
      if (adapter === name && isThere) count += 1;
    }
    return count;
  }

  ofSession(sessionId: string): PlanRecord[] {
    return [...this.#live.values()].filter((plan) => plan.sessionId === sessionId);
  }

  /** Live ones and the last ones that ended, newest first. */
  all(): PlanRecord[] {
    return [...this.#ended, ...this.#live.values()].sort((a, b) => b.createdAtMs - a.createdAtMs);
  }

  find(planId: string): PlanRecord | undefined {
    return this.#live.get(planId) ?? this.#ended.find((plan) => plan.planId === planId);
  }

  #close(
    plan: PlanRecord,
    state: 'finished' | 'aborted' | 'failed' | 'refused',
    reason: string,
    nowMs: number,
  ): void {
    plan.state = state;
    plan.endReason = reason;
    plan.endedAtMs = nowMs;
    this.totals[state] += 1;
    this.#ended.push(plan);
    if (this.#ended.length > this.#options.keptPlans) this.#ended.shift();
  }

  #record(
    sessionId: string,
    request: PlanRequest,
    explanation: Explanation | undefined,
    arrivedAtMs: number,
    nowMs: number,
  ): PlanRecord {
    this.#count += 1;
    return {
      planId: `${this.#options.instanceId}-${this.#count}`,
      sessionId,
      requestId: request.requestId,
      model: request.model,
      adapter: request.adapter?.name ?? '',
      promptTokens: request.promptTokens,
      maxOutputTokens: request.maxOutputTokens,
      state: 'planned',
      endReason: '',
      createdAtMs: nowMs,
      waitedMs: nowMs - arrivedAtMs,
      leaseUntilMs: nowMs,
      endedAtMs: undefined,
      mode: undefined,
      choice: undefined,
      explanation,
      transfers: [],
      ttftMs: undefined,
      outputTokens: 0,
      computedTokens: 0,
    };
  }
}

function bookingsOf(choice: Choice): Booking[] {
  const { mode, prefill, decode } = choice;
  const claim = (leg: Booking['leg'], of: Choice['prefill']): Booking => ({
    workerId: of.workerId,
    rank: of.rank,
    leg,
    prefillTokens: of.prefillTokens,
    kvBlocks: of.kvBlocks,
    streams: 1,
  });
  const atDecode = claim('decode', decode);
  return mode === 'aggregated' ? [atDecode] : [claim('prefill', prefill), atDecode];
}
