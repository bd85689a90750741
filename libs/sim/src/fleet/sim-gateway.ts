import type { CoreInput, PlanAnswer, PlanPhase, PlanRefusal } from '@baton/core';
import type { RequestRun } from '../engine/request-run.ts';
import type { SimWorker } from '../engine/sim-worker.ts';
import { packBlockKeys } from '../kv/block-keys.ts';
import type { SimTransfers } from '../transfers/sim-transfers.ts';
import type { CompleteOptions } from './options.ts';
import { SIM_MODEL } from './worker-facts.ts';

export interface GatewayOptions {
  options: CompleteOptions;
  workers: ReadonlyMap<string, SimWorker>;
  transfers: SimTransfers;
  tell: (input: CoreInput, nowMs: number) => void;
  onSettled: () => void;
  /** Age of a lease at which it is renewed, if nothing was reported meanwhile. */
  renewAfterMs: number;
}

const SESSION = 'gateway';

/** The gateway of a simulated fleet: it asks for plans, starts their legs and reports how they go. */
export class SimGateway {
  readonly #options: GatewayOptions;
  /** Requests without an answer. */
  readonly #waiting = new Map<string, RequestRun>();
  /** Requests with a plan that has not ended. */
  readonly #live = new Map<string, RequestRun>();

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Requests that have come and are not settled. */
  open(): RequestRun[] {
    return [...this.#waiting.values(), ...this.#live.values()];
  }

  ofPlan(planId: string): RequestRun | undefined {
    return this.#live.get(planId);
  }

  arrive(run: RequestRun, nowMs: number): void {
    this.#waiting.set(run.requestId, run);
    const request = {
      requestId: run.requestId,
      sessionId: run.sessionId,
      model: SIM_MODEL,
      segmentKeys: packBlockKeys(run.blocks),
      promptTokens: run.promptTokens,
      // Nobody knows how long an answer will be.
      maxOutputTokens: 0,
      excludeWorkers: [],
      traceparent: '',
    };
    this.#options.tell({ type: 'plan', sessionId: SESSION, request }, nowMs);
  }

  /** Returns the request that is to be started when its plan has come. */
  answered(reply: PlanAnswer | PlanRefusal, nowMs: number): RequestRun | undefined {
    const run = this.#waiting.get(reply.requestId);
    if (run === undefined) return undefined;
    this.#waiting.delete(reply.requestId);
    run.record.waitedMs = nowMs - run.record.arrivalMs;
    if (reply.kind === 'refused') {
      this.#settle(run, nowMs, reply.code);
      return undefined;
    }
    run.planId = reply.planId;
    run.renewedAtMs = nowMs;
    run.isAggregated = reply.mode === 'aggregated';
    run.record.prefillWorker = reply.prefill.workerId;
    run.record.decodeWorker = reply.decode.workerId;
    this.#live.set(run.planId, run);
    const { transfers, options } = this.#options;
    run.ownBlocks = reply.prefill.heldTokens / options.blockTokens;
    const source = this.#worker(reply.prefill.workerId);
    if (!run.isAggregated) {
      const fromPrefill = options.cost.firstToken === 'prefill' ? 1 : 0;
      const destination = this.#worker(reply.decode.workerId);
      transfers.planned(run, source, destination, run.outputTokens - fromPrefill);
    }
    return run;
  }

  /** The plan's legs begin; its orders have reached the agents. */
  start(run: RequestRun, { prefill, prefixTokens }: PlanAnswer, nowMs: number): void {
    if (run.isSettled) return;
    const worker = this.#worker(prefill.workerId);
    const { transfers, options } = this.#options;
    const pulledBlocks = transfers.isPulling(run) ? prefixTokens / options.blockTokens : 0;
    worker.prefill.submit(run, run.isAggregated ? run.outputTokens : 0, pulledBlocks);
    worker.kick(nowMs);
  }

  firstToken(run: RequestRun, nowMs: number): void {
    run.firstTokenAtMs = nowMs;
    if (run.isSettled) return;
    run.record.ttftMs = nowMs - run.record.arrivalMs;
    this.#report(run, 'first_token', nowMs);
  }

  finished(run: RequestRun, nowMs: number): void {
    if (run.isSettled) return;
    run.record.outputTokens = run.outputTokens;
    this.#settle(run, nowMs, undefined);
    this.#report(run, 'finished', nowMs);
  }

  /** The conductor has given a plan up. */
  planCancelled(planId: string, nowMs: number): void {
    const run = this.#live.get(planId);
    if (run !== undefined) this.#settle(run, nowMs, 'request_aborted');
  }

  /**
   * Tells of answers that grow. Of a plan whose first token is still to come there is nothing to tell: its lease is
   * renewed before it ends, and no sooner, since tens of thousands may wait in engines.
   */
  reportProgress(nowMs: number): void {
    const { renewAfterMs } = this.#options;
    for (const run of [...this.#live.values()]) {
      if (run.firstTokenAtMs === undefined && nowMs - run.renewedAtMs < renewAfterMs) continue;
      this.#report(run, 'progress', nowMs);
    }
  }

  #settle(run: RequestRun, nowMs: number, refused: string | undefined): void {
    run.isSettled = true;
    run.record.refused = refused;
    run.record.finishedAtMs = nowMs;
    this.#live.delete(run.planId);
    this.#options.onSettled();
  }

  #report(run: RequestRun, phase: PlanPhase, nowMs: number): void {
    const report = {
      planId: run.planId,
      phase,
      outputTokens: run.generatedTokens(),
      computedTokens: run.firstTokenAtMs === undefined ? 0 : run.record.computedTokens,
      ttftMs: phase === 'first_token' ? (run.record.ttftMs ?? 0) : 0,
      code: '',
    };
    run.renewedAtMs = nowMs;
    this.#options.tell({ type: 'report', sessionId: SESSION, report }, nowMs);
  }

  #worker(workerId: string): SimWorker {
    const worker = this.#options.workers.get(workerId);
    if (worker === undefined) throw new RangeError(`a plan names ${workerId}, which nobody is`);
    return worker;
  }
}
