import type { Cluster, Pool } from '@baton/cluster';
import type { Match, SegmentIndex } from '@baton/index';
import { errorRegistry, KEY_BYTES, type ErrorCode } from '@baton/kv';
import {
  CostBook,
  explainNobody,
  LinkRates,
  PrefillWork,
  pulledSegments,
  rankName,
  type Choice,
  type ComingPrefix,
  type Explanation,
  type FleetView,
  type PlanQuery,
  type Policy,
} from '@baton/scheduling';
import { TransferLedger } from '@baton/transfers';
import { AdapterOutlook } from './adapter-outlook.ts';
import { ApproximateHoldings } from './approximate-holdings.ts';
import type { Effect, PlanAnswer, PlannedLeg, PlanRefusal } from './effects.ts';
import { DecodeOutlook } from './decode-outlook.ts';
import { FleetViews, kindOf, soonestRoomMs } from './fleet-views.ts';
import type { PlanRequest } from './inputs.ts';
import { ModelTreatments } from './model-settings.ts';
import { ordersOf } from './orders-of-plan.ts';
import type { CoreOptions } from './options.ts';
import type { PlanBook, PlanRecord } from './plan-book.ts';
import { keptTurn } from './kept-turn.ts';
import { plannedLeg } from './planned-leg.ts';
import { requestProblem, type RequestProblem } from './request-problem.ts';
import type { OpenRequest } from './waiting-requests.ts';

/** A request as a decision sees it now. */
export interface Assessment {
  pool: Pool;
  fleet: FleetView;
  policy: Policy;
  query: PlanQuery;
  /** All that is being computed of the prompt; in the query is what a plan of now may build on. */
  coming: readonly ComingPrefix[];
  /** The match is of now, and not of a moment ago. */
  isFresh: boolean;
}

/** What the fleet held of a prompt. */
interface RecentMatch {
  match: Match;
  atMs: number;
}

/** What came of planning a request. */
export type PlanOutcome =
  | { kind: 'planned'; effects: Effect[] }
  /** No room suits it now, or none with which it would be in time. */
  | { kind: 'blocked' }
  | { kind: 'refused'; code: ErrorCode; explanation: Explanation };

/** A wait that spares a worker the same work may be longer than that work by this share. */
const WAIT_TOLERANCE = 0.05;
/** Prefills of a rank that may be under way, as engines take them in order. */
const COMPUTED_AT_A_TIME = 4;
/** Matches that are remembered for those who are next. */
const RECENT_MATCHES = 64;

/** Turns a request into a booked plan, its answer and its transfer orders. */
export class Planner {
  readonly links: LinkRates;
  readonly ledger = new TransferLedger();
  /** Prefills that ranks have been given. */
  readonly work = new PrefillWork();
  readonly costs: CostBook;
  /** Of LoRA adapters. */
  readonly adapters: AdapterOutlook;
  transfersPossible = true;
  readonly #options: CoreOptions;
  readonly #cluster: Cluster;
  readonly #index: SegmentIndex;
  readonly #book: PlanBook;
  readonly decodes: DecodeOutlook;
  /** How each model's requests are treated. */
  readonly treatments: ModelTreatments;
  readonly #views: FleetViews;
  readonly #approximate: ApproximateHoldings;
  /** The oldest first. */
  readonly #recent = new Map<OpenRequest, RecentMatch>();

  constructor(options: CoreOptions, cluster: Cluster, index: SegmentIndex, book: PlanBook) {
    this.#options = options;
    this.#cluster = cluster;
    this.#index = index;
    this.#book = book;
    const { policy, prefillPolicy, decodePolicy, policyParameters, queue, slo } = options;
    const defaults = { policy, prefillPolicy, decodePolicy, policyParameters, queue, slo };
    this.treatments = new ModelTreatments(defaults, options.models, options.seed);
    this.links = new LinkRates({
      defaultBytesPerSec: options.linkBytesPerSec,
      maxLinks: options.maxLinks,
    });
    this.costs = new CostBook(options);
    this.adapters = new AdapterOutlook(cluster, options.adapterLoadMs);
    this.decodes = new DecodeOutlook(options);
    this.#approximate = new ApproximateHoldings(index, cluster);
    this.#views = new FleetViews(options, book, this.work, this.costs, this.links);
  }

  /** What is wrong with a request for good; undefined when it can be planned. */
  problem(request: PlanRequest): RequestProblem | undefined {
    return requestProblem(request, this.#cluster.pool(request.model));
  }

  /** The fleet that serves a model, as it is now. */
  fleet(model: string, nowMs: number): { pool: Pool; fleet: FleetView } | undefined {
    const pool = this.#cluster.pool(model);
    if (pool === undefined) return undefined;
    const isLate = this.treatments.of(model).settings.queue !== 'immediate';
    return { pool, fleet: this.#views.of(pool, isLate, this.transfersPossible, nowMs) };
  }

  /** @param maxAgeMs how old a match may be that is used again */
  assess(open: OpenRequest, nowMs: number, maxAgeMs = 0): Assessment | undefined {
    const { request } = open;
    const found = this.fleet(request.model, nowMs);
    if (found === undefined) return undefined;
    const { segmentKeys, promptTokens, maxOutputTokens, sessionId = '', adapter } = request;
    const coming = this.work.coming(segmentKeys, nowMs);
    const { policy, settings } = this.treatments.of(request.model);
    // What waits in an engine finds what was given to that engine before.
    const soonMs = settings.queue === 'immediate' ? Infinity : this.#options.dispatchAheadMs;
    const { match, isFresh } = this.#matchOf(open, nowMs, maxAgeMs);
    const query: PlanQuery = {
      promptTokens,
      maxOutputTokens,
      segmentTokens: found.pool.segmentTokens,
      segmentKeys,
      match,
      keptTurn: keptTurn(request, this.#cluster),
      coming: coming.filter(({ readyInMs }) => readyInMs <= soonMs),
      excluded: new Set(request.excludeWorkers),
      sessionId,
      adapter: adapter && this.adapters.demand(adapter),
      tbt: this.decodes.objective(
        request,
        settings.slo.tbtMs,
        found.fleet,
        match,
        found.pool.segmentTokens,
        nowMs,
      ),
      nowMs,
    };
    return { ...found, policy, query, coming, isFresh };
  }

  /** @param isNow only ranks that have room count */
  estimateMs({ policy, query, fleet }: Assessment, isNow: boolean): number {
    return policy.estimateMs(query, fleet, isNow);
  }

  /**
   * How long the request had better wait for a prefix that is being computed: computing it once more,
   * somewhere, would take as long and keep a worker busy. Undefined when it had not.
   */
  worthWaiting({
    policy,
    query,
    fleet,
    coming,
  }: Assessment): { planId: string; ms: number } | undefined {
    const longest = coming.reduce<ComingPrefix | undefined>(
      (best, one) => (one.segments > (best?.segments ?? 0) ? one : best),
      undefined,
    );
    if (longest === undefined || longest.readyInMs <= this.#options.dispatchAheadMs)
      return undefined;
    const then = { ...query, coming: [{ ...longest, readyInMs: 0 }] };
    const ms = longest.readyInMs;
    const nowMs = policy.estimateMs(query, fleet, true);
    // Without room there is nothing to decide yet.
    if (nowMs === Infinity) return undefined;
    const toleranceMs = this.#options.dispatchAheadMs + WAIT_TOLERANCE * nowMs;
    const isWorth = ms + policy.estimateMs(then, fleet) <= nowMs + toleranceMs;
    return isWorth ? { planId: longest.planId, ms } : undefined;
  }

  /**
   * Decides and books. One that would be late is refused, or waits where it may be in time on a rank that has no room now.
   *
   * @param dueAtMs when its first token is to be there
   */
  plan(open: OpenRequest, assessment: Assessment, dueAtMs: number, nowMs: number): PlanOutcome {
    if (this.#book.isFull) return { kind: 'blocked' };
    const { policy, query, fleet, pool } = assessment;
    const decision = policy.decide(query, fleet);
    if (decision.kind === 'none') {
      if (decision.code === 'no_capacity') return { kind: 'blocked' };
      const { code, explanation } = decision;
      return { kind: 'refused', code, explanation };
    }
    const { choice, explanation } = decision;
    if (nowMs + choice.computedInMs > dueAtMs) {
      // One that is busy may hold so much of the prompt that it is quicker all the same.
      const waits = this.treatments.of(open.request.model).settings.queue !== 'immediate';
      const soonestMs = soonestRoomMs(fleet) + policy.estimateMs(query, fleet);
      if (waits && nowMs + soonestMs <= dueAtMs) return { kind: 'blocked' };
      return { kind: 'refused', code: 'slo_unreachable', explanation };
    }
    const { sessionId, request } = open;
    const plan = this.#book.open(sessionId, request, choice, explanation, open.arrivedAtMs, nowMs);
    policy.placed?.(query, choice);
    this.#give(plan, query, nowMs);
    if (request.adapter !== undefined) {
      this.adapters.used(choice.prefill.workerId, request.adapter.name);
      this.adapters.used(choice.decode.workerId, request.adapter.name);
    }
    const reply = this.#answer(plan.planId, request, choice, explanation, pool);
    // The gateway waits for the reply; the agents wait for what prefill has still to compute.
    const orders = ordersOf(plan, request, choice, this.#cluster, this.#options).map(
      (order): Effect => {
        plan.transfers.push(this.ledger.ordered(order, nowMs));
        return { type: 'transferOrder', order };
      },
    );
    return { kind: 'planned', effects: [{ type: 'planReply', sessionId, reply }, ...orders] };
  }

  /** Why nobody could take the request now. */
  explain({ policy, query, fleet }: Assessment): Explanation {
    return explainNobody(policy.name, query, fleet);
  }

  refuse(
    { sessionId, request, arrivedAtMs }: OpenRequest,
    code: ErrorCode,
    message: string,
    explanation: Explanation | undefined,
    retryAfterMs: number,
    nowMs: number,
  ): Effect[] {
    this.#book.refused(sessionId, request, code, explanation, arrivedAtMs, nowMs);
    const reply: PlanRefusal = {
      kind: 'refused',
      requestId: request.requestId,
      code,
      message: message || errorRegistry[code].message,
      retryAfterMs: errorRegistry[code].retryable ? Math.ceil(retryAfterMs) : 0,
    };
    return [{ type: 'planReply', sessionId, reply }];
  }

  /** The prompt of a plan is computed; what that took is learned. */
  prefillDone(planId: string, nowMs: number): void {
    this.#approximate.computed(planId);
    const choice = this.#book.find(planId)?.choice;
    const observation = this.work.done(planId, nowMs);
    if (choice === undefined || observation === undefined) return;
    const { workerId, rank, adapterMs, prefillMs } = choice.prefill;
    const worker = this.#cluster.get(workerId);
    const pool = worker === undefined ? undefined : this.#cluster.pool(worker.facts.model);
    if (worker === undefined || pool === undefined) return;
    if (adapterMs > 0) {
      this.adapters.observe(worker.facts, observation.ms - prefillMs);
      return;
    }
    const rate = this.#views.reportedRate(pool, worker, rank);
    this.costs.observe(kindOf(worker.facts), rankName({ workerId, rank }), rate, observation);
  }

  /** The first token of a plan is there. */
  started(planId: string, nowMs: number): void {
    this.prefillDone(planId, nowMs);
    this.#approximate.answering(planId);
    this.decodes.started(planId, nowMs);
  }

  /** A plan has ended; what an answer that came to its end took is learned. */
  ended(plan: PlanRecord, nowMs: number): void {
    this.#approximate.ended(plan.planId);
    this.work.dropped(plan.planId, nowMs);
    this.decodes.ended(plan, this.#cluster.get(plan.choice?.decode.workerId ?? ''), nowMs);
    this.ledger.planEnded(plan.transfers, nowMs);
  }

  /** What the worker's KV events show of prefills that it was given. */
  progress(workerId: string, nowMs: number): void {
    for (const given of this.work.givenToWorker(workerId, COMPUTED_AT_A_TIME)) {
      const from = this.work.progressOf(given.planId);
      const rest = given.keys.subarray(from * KEY_BYTES);
      if (rest.length === 0) continue;
      const { memorySegments } = this.#index.match(rest).rank(workerId, given.rank);
      if (memorySegments > 0) this.work.progress(given.planId, from + memorySegments, nowMs);
    }
  }

  forgetWorker(workerId: string, nowMs: number): void {
    this.adapters.forgetWorker(workerId);
    this.#approximate.forgetWorker(workerId);
    this.work.forgetWorker(workerId, nowMs);
    this.decodes.forgetWorker(workerId);
    this.costs.forgetWorker(workerId);
    this.treatments.forgetWorker(workerId);
    this.ledger.workerLost(workerId);
    this.links.forget(workerId);
  }

  #give({ planId, model, choice }: PlanRecord, query: PlanQuery, nowMs: number): void {
    if (choice === undefined) return;
    this.decodes.give(planId, model, query, choice);
    this.#approximate.given(planId, query.segmentKeys, choice);
    const { workerId, rank, heldSegments, prefillTokens, adapterMs, prefillMs } = choice.prefill;
    const turnSegments = choice.turnSegments ?? 0;
    const readySegments = heldSegments + pulledSegments(choice.pulls) + turnSegments;
    this.work.give(
      {
        planId,
        workerId,
        rank,
        keys: query.segmentKeys,
        readySegments,
        contextTokens: query.promptTokens - prefillTokens,
        newTokens: prefillTokens,
        ms: adapterMs + prefillMs,
        delayMs: this.#options.dispatchDelayMs,
        isFetching: choice.pulls.length > 0 || turnSegments > 0,
      },
      nowMs,
    );
  }

  #matchOf(open: OpenRequest, nowMs: number, maxAgeMs: number): { match: Match; isFresh: boolean } {
    const recent = this.#recent.get(open);
    if (recent !== undefined && maxAgeMs > 0 && nowMs - recent.atMs <= maxAgeMs) {
      return { match: recent.match, isFresh: false };
    }
    const match = this.#match(open.request.segmentKeys);
    this.#recent.delete(open);
    if (maxAgeMs > 0) this.#recent.set(open, { match, atMs: nowMs });
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= RECENT_MATCHES) break;
      this.#recent.delete(oldest);
    }
    return { match, isFresh: true };
  }

  #match(keys: Uint8Array): Match {
    const match = (): Match => this.#index.match(keys);
    return this.#options.aroundMatch?.(match) ?? match();
  }

  #answer(
    planId: string,
    request: PlanRequest,
    choice: Choice,
    explanation: Explanation,
    pool: Pool,
  ): PlanAnswer {
    const leg = (of: Choice['prefill']): PlannedLeg =>
      plannedLeg(of, pool.segmentTokens, this.#cluster.get(of.workerId));
    return {
      kind: 'planned',
      requestId: request.requestId,
      planId,
      mode: choice.mode,
      prefill: leg(choice.prefill),
      decode: leg(choice.decode),
      prefixTokens: pulledSegments(choice.pulls) * pool.segmentTokens,
      readsTurn: choice.turnSegments !== undefined,
      predictedTtftMs: choice.predictedTtftMs,
      leaseMs: this.#options.planLeaseMs,
      matchedTokens: explanation.matchedTokens,
      candidates: explanation.considered,
    };
  }
}
