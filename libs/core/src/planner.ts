import type { Cluster, Pool, WorkerRecord } from '@baton/cluster';
import type { Match, SegmentIndex } from '@baton/index';
import { errorRegistry, KEY_BYTES, type ErrorCode } from '@baton/kv';
import {
  createPolicy,
  LinkRates,
  type Choice,
  type Explanation,
  type FleetView,
  type Policy,
  type RankView,
} from '@baton/scheduling';
import { TransferLedger, transferOrders, type TransferPlan } from '@baton/transfers';
import type { Effect, PlanAnswer, PlannedLeg, PlanRefusal } from './effects.ts';
import type { PlanRequest } from './inputs.ts';
import type { CoreOptions } from './options.ts';
import type { PlanBook, PlanRecord } from './plan-book.ts';
import type { Waiting } from './waiting-line.ts';

/**
 * What became of one attempt to plan: effects that settle the request, or undefined while it has to
 * wait.
 */
export type Attempt = Effect[] | undefined;

/** Longest prompt that is planned. */
const MAX_PROMPT_SEGMENTS = 16_384;
/** Of a link over which nothing has gone yet. */
const UNKNOWN_LINK_BYTES_PER_SEC = 500e6;

/** Turns a request into a booked plan, its answer and its transfer orders. */
export class Planner {
  readonly links: LinkRates;
  readonly ledger = new TransferLedger();
  transfersPossible = true;
  readonly #options: CoreOptions;
  readonly #cluster: Cluster;
  readonly #index: SegmentIndex;
  readonly #book: PlanBook;
  readonly #policy: Policy;

  constructor(options: CoreOptions, cluster: Cluster, index: SegmentIndex, book: PlanBook) {
    this.#options = options;
    this.#cluster = cluster;
    this.#index = index;
    this.#book = book;
    this.#policy = createPolicy(options.policy, options.policyParameters);
    this.links = new LinkRates({
      defaultBytesPerSec: UNKNOWN_LINK_BYTES_PER_SEC,
      maxLinks: options.maxLinks,
    });
  }

  get policyName(): string {
    return this.#policy.name;
  }

  /** `mayWait` false settles a request that finds no room by refusing it. */
  attempt(entry: Waiting, mayWait: boolean, nowMs: number): Attempt {
    const { request, sessionId } = entry;
    const pool = this.#cluster.pool(request.model);
    if (pool === undefined) {
      const message = `no worker serves the model "${request.model}"`;
      return this.refuse(entry, 'model_not_found', message, undefined, nowMs);
    }
    const problem = this.#problem(request, pool);
    if (problem !== undefined) {
      return this.refuse(entry, problem.code, problem.message, undefined, nowMs);
    }
    if (this.#book.isFull) {
      return mayWait ? undefined : this.refuse(entry, 'no_capacity', '', undefined, nowMs);
    }
    const query = {
      promptTokens: request.promptTokens,
      maxOutputTokens: request.maxOutputTokens,
      segmentTokens: pool.segmentTokens,
      match: this.#match(request.segmentKeys),
      excluded: new Set(request.excludeWorkers),
    };
    const decision = this.#policy.decide(query, this.#fleet(pool));
    if (decision.kind === 'none') {
      if (decision.code === 'no_capacity' && mayWait) return undefined;
      return this.refuse(entry, decision.code, '', decision.explanation, nowMs);
    }
    const { choice, explanation } = decision;
    const plan = this.#book.open(sessionId, request, choice, explanation, entry.arrivedAtMs, nowMs);
    const reply = this.#answer(plan.planId, request, choice, explanation, pool);
    // The gateway waits for the reply; the agents wait for what prefill has still to compute.
    const orders = this.#order(plan, request, choice, nowMs);
    return [{ type: 'planReply', sessionId, reply }, ...orders];
  }

  refuse(
    entry: Waiting,
    code: ErrorCode,
    message: string,
    explanation: Explanation | undefined,
    nowMs: number,
  ): Effect[] {
    const { sessionId, request } = entry;
    this.#book.refused(sessionId, request, code, explanation, entry.arrivedAtMs, nowMs);
    const reply: PlanRefusal = {
      kind: 'refused',
      requestId: request.requestId,
      code,
      message: message || errorRegistry[code].message,
      retryAfterMs: errorRegistry[code].retryable ? this.#options.retryAfterMs : 0,
    };
    return [{ type: 'planReply', sessionId, reply }];
  }

  #problem(request: PlanRequest, pool: Pool): { code: ErrorCode; message: string } | undefined {
    const { promptTokens, maxOutputTokens, segmentKeys } = request;
    const invalid = (message: string) => ({ code: 'invalid_request' as const, message });
    if (!Number.isSafeInteger(promptTokens) || promptTokens < 1) {
      return invalid('prompt_tokens must be at least 1');
    }
    if (!Number.isSafeInteger(maxOutputTokens) || maxOutputTokens < 0) {
      return invalid('max_output_tokens must not be negative');
    }
    const segments = Math.floor(promptTokens / pool.segmentTokens);
    if (segmentKeys.length !== segments * KEY_BYTES) {
      const expected = `${segments} keys of ${KEY_BYTES} bytes`;
      return invalid(`segment_keys must be ${expected}, not ${segmentKeys.length} bytes`);
    }
    const wanted = promptTokens + Math.max(1, maxOutputTokens);
    if (wanted > pool.maxModelTokens || segments > MAX_PROMPT_SEGMENTS) {
      const message =
        `${promptTokens} prompt tokens and ${Math.max(1, maxOutputTokens)} output tokens exceed ` +
        `the context of ${pool.maxModelTokens} tokens`;
      return { code: 'context_length_exceeded', message };
    }
    return undefined;
  }

  #fleet(pool: Pool): FleetView {
    return {
      ranks: pool.workers.flatMap((worker) => this.#ranks(worker)),
      links: this.links,
      transfersPossible: this.transfersPossible,
    };
  }

  /** Ranks that the worker has reported; rank 0 before its first report. */
  #ranks(worker: WorkerRecord): RankView[] {
    const { facts, state } = worker;
    const ranks = worker.loads.length === 0 ? [0] : worker.loads.map((load) => load.rank);
    return ranks.map((rank) => ({
      facts,
      rank,
      state,
      load: this.#book.bookings.load(facts.workerId, rank),
      reported: worker.loads.find((load) => load.rank === rank),
    }));
  }

  #order(plan: PlanRecord, request: PlanRequest, choice: Choice, nowMs: number): Effect[] {
    if (choice.mode === 'aggregated') return [];
    const { prefill, decode, pull } = choice;
    const { pullTimeoutMs, handoverTimeoutMs } = this.#options;
    const transfers: TransferPlan = {
      planId: plan.planId,
      keys: request.segmentKeys,
      traceparent: request.traceparent,
      handover: {
        sourceWorker: prefill.workerId,
        sourceAddress: this.#address(prefill.workerId),
        destinationWorker: decode.workerId,
        heldSegments: decode.heldSegments,
        timeoutMs: handoverTimeoutMs,
      },
    };
    if (pull !== undefined) {
      transfers.pull = {
        sourceWorker: pull.sourceWorker,
        sourceAddress: this.#address(pull.sourceWorker),
        destinationWorker: prefill.workerId,
        firstSegment: pull.firstSegment,
        segments: pull.segments,
        timeoutMs: pullTimeoutMs,
      };
    }
    return transferOrders(transfers).map((order) => {
      plan.transfers.push(this.ledger.ordered(order, nowMs));
      return { type: 'transferOrder', order };
    });
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
    const leg = (of: Choice['prefill']): PlannedLeg => ({
      workerId: of.workerId,
      engineUrl: this.#cluster.get(of.workerId)?.facts.engineUrl ?? '',
      heldTokens: of.heldSegments * pool.segmentTokens,
    });
    return {
      kind: 'planned',
      requestId: request.requestId,
      planId,
      mode: choice.mode,
      prefill: leg(choice.prefill),
      decode: leg(choice.decode),
      prefixTokens: (choice.pull?.segments ?? 0) * pool.segmentTokens,
      predictedTtftMs: choice.predictedTtftMs,
      leaseMs: this.#options.planLeaseMs,
      matchedTokens: explanation.matchedTokens,
      candidates: explanation.considered,
    };
  }

  #address(workerId: string): string {
    return this.#cluster.get(workerId)?.facts.transferAddress ?? '';
  }
}
