import {
  createCore,
  defaultCoreOptions,
  type Core,
  type CoreInput,
  type Effect,
} from '@baton/core';
import { BatonError, SeededRandom } from '@baton/kv';
import type { PrefillLeg, RequestRun } from '../engine/request-run.ts';
import type { SimWorker, WorkerListener } from '../engine/sim-worker.ts';
import type { SimulationResult } from '../report/simulation-result.ts';
import { EventQueue } from '../time/event-queue.ts';
import type { TraceRequest } from '../trace/trace-line.ts';
import { LinkNetwork } from '../transfers/link-network.ts';
import { SimTransfers } from '../transfers/sim-transfers.ts';
import { completeOptions, type CompleteOptions, type SimulationOptions } from './options.ts';
import { requestRun } from './request-runs.ts';
import { SimFleet } from './sim-fleet.ts';
import { SimGateway } from './sim-gateway.ts';
import { simulationResult } from './simulation-outcome.ts';
import { Stillness } from './stillness.ts';

const BEAT_MS = 1_000;
/** A gateway reports so often within a plan's usual lease, at most twice a second. */
const REPORTS_PER_LEASE = 3;
const LEAST_PROGRESS_MS = 500;
const TICK_MS = 250;
const LEAST_TICK_MS = 1;
/** What is under way when the last request is settled has this long to end. */
const AFTER_MS = 2_000;
/**
 * A fleet that needs longer after the last arrival, and this many times as long as requests arrived, is too slow for them,
 * whatever keeps it busy.
 */
const LEAST_BACKLOG_MS = 86_400_000;
const BACKLOG_TIMES = 10;

/** A fleet, its gateway and the production core in virtual time, from the first arrival to the last answer. */
export class Simulation {
  readonly #options: CompleteOptions;
  readonly #runs: readonly RequestRun[];
  readonly #onProgress: SimulationOptions['onProgress'];
  readonly #queue = new EventQueue();
  readonly #random: SeededRandom;
  readonly #core: Core;
  readonly #network: LinkNetwork;
  readonly #fleet: SimFleet;
  readonly #transfers: SimTransfers;
  readonly #gateway: SimGateway;
  readonly #stillness: Stillness;
  readonly #progressMs: number;
  #nowMs = 0;
  #regularTickMs = TICK_MS;
  /** Undefined when the core has heard something since it was asked. */
  #wakeAtMs: number | undefined;
  #settled = 0;
  #resyncs = 0;

  constructor(options: SimulationOptions, requests: readonly TraceRequest[]) {
    const complete = completeOptions(options);
    this.#options = complete;
    this.#onProgress = options.onProgress;
    this.#runs = requests.map((request, index) => requestRun(request, index, complete));
    this.#random = new SeededRandom(complete.seed);
    this.#core = createCore({ instanceId: 'sim', ...complete.core });
    this.#network = new LinkNetwork(this.#queue, complete.linkRate);
    this.#fleet = new SimFleet(complete, this.#queue, this.#listener());
    const { workers } = this.#fleet;
    const tell = (input: CoreInput, nowMs: number): void => this.#tell(input, nowMs);
    this.#transfers = new SimTransfers({
      ...{ workers, network: this.#network, queue: this.#queue },
      onResult: (result, nowMs) => this.#tell({ type: 'transferred', result }, nowMs),
    });
    const usualLeaseMs = defaultCoreOptions.planLeaseMs;
    const { planLeaseMs = usualLeaseMs } = complete.core;
    const intervalMs = Math.min(planLeaseMs, usualLeaseMs) / REPORTS_PER_LEASE;
    this.#progressMs = Math.max(LEAST_PROGRESS_MS, intervalMs);
    this.#gateway = new SimGateway({
      ...{ options: complete, workers, transfers: this.#transfers, tell },
      renewAfterMs: planLeaseMs - 2 * this.#progressMs,
      onSettled: () => {
        this.#settled += 1;
        this.#onProgress?.(this.#settled, this.#runs.length);
      },
    });
    this.#stillness = new Stillness(complete.core.maxWaitMs);
  }

  /** @throws BatonError internal_error that names the requests with which nothing happens any more. */
  run(): SimulationResult {
    const workers = [...this.#fleet.workers.values()];
    workers.forEach((worker, i) => this.#join(worker, (BEAT_MS * (i + 1)) / workers.length));
    this.#every(this.#progressMs, this.#progressMs, (nowMs) => this.#progress(nowMs));
    for (const run of this.#runs) {
      this.#queue.push(run.record.arrivalMs, (nowMs) => this.#gateway.arrive(run, nowMs));
    }
    while (this.#settled < this.#runs.length) this.#next();
    const durationMs = this.#nowMs;
    while (this.#nowMs < durationMs + AFTER_MS || this.#network.flows > 0) this.#next();
    return simulationResult({
      ...{ runs: this.#runs, workers, core: this.#core, nowMs: this.#nowMs, durationMs },
      ...{ resyncs: this.#resyncs, transfers: this.#transfers.active },
    });
  }

  /** The worker has been there for long: what it said before the beginning arrives as late as everything else. */
  #join(worker: SimWorker, firstBeatMs: number): void {
    const beat = this.#fleet.beat(worker);
    this.#tell({ type: 'beat', beat }, 0);
    const { eventDelayMs } = this.#options;
    for (let atMs = firstBeatMs + eventDelayMs - BEAT_MS; atMs > 0; atMs -= BEAT_MS) {
      this.#queue.push(atMs, (nowMs) => this.#tell({ type: 'beat', beat }, nowMs));
    }
    this.#every(BEAT_MS, firstBeatMs, () => this.#beat(worker));
  }

  #next(): void {
    const tickMs = this.#nextCoreTickMs();
    if (tickMs < this.#queue.nextMs) {
      if (tickMs === this.#regularTickMs) this.#regularTickMs += TICK_MS;
      this.#tell({ type: 'tick' }, tickMs);
    } else {
      this.#nowMs = this.#queue.nextMs;
      this.#queue.runNext();
    }
    this.#sendDeltas();
  }

  #nextCoreTickMs(): number {
    if (this.#wakeAtMs === undefined) {
      // Time goes on between two ticks, whatever the core wants.
      const wakeAtMs = this.#core.wakeAtMs(this.#nowMs) ?? Infinity;
      this.#wakeAtMs = Math.max(this.#nowMs + LEAST_TICK_MS, wakeAtMs);
    }
    return Math.min(this.#regularTickMs, this.#wakeAtMs);
  }

  #every(intervalMs: number, firstMs: number, act: (nowMs: number) => void): void {
    this.#queue.push(firstMs, (nowMs) => {
      act(nowMs);
      this.#every(intervalMs, nowMs + intervalMs, act);
    });
  }

  #beat(worker: SimWorker): void {
    this.#sendDeltas();
    this.#deliver({ type: 'beat', beat: this.#fleet.beat(worker) });
  }

  #progress(nowMs: number): void {
    this.#gateway.reportProgress(nowMs);
    const steps = [...this.#fleet.workers.values()].reduce((sum, w) => sum + w.totals.steps, 0);
    const isMoving = this.#network.flows > 0 || this.#transfers.active > 0;
    const open = this.#gateway.open();
    const isStill = this.#stillness.isReached(
      steps + this.#settled,
      isMoving || open.length === 0,
      nowMs,
    );
    const lastArrivalMs = this.#runs.at(-1)?.record.arrivalMs ?? 0;
    if (
      !isStill &&
      nowMs - lastArrivalMs < Math.max(LEAST_BACKLOG_MS, BACKLOG_TIMES * lastArrivalMs)
    )
      return;
    const names = open.slice(0, 10).map(({ requestId }) => requestId);
    const more = open.length > names.length ? ` and ${open.length - names.length} more` : '';
    const which = `${names.join(', ')}${more} are not settled`;
    if (isStill) {
      const message = `nothing happens any more at ${nowMs} ms of virtual time, but ${which}`;
      throw new BatonError('internal_error', message);
    }
    throw new BatonError(
      'config_invalid',
      `${Math.round(nowMs / 3_600_000)} hours of virtual time have passed, but ${which}: engines, links or the fleet are too slow for these requests`,
    );
  }

  /** Changes are sent when what caused them is over; some are lost. */
  #sendDeltas(): void {
    for (const delta of this.#fleet.takeDeltas()) {
      if (this.#random.share() < this.#options.lostEvents) continue;
      this.#deliver({ type: 'delta', delta });
    }
  }

  /** From an agent to the conductor; what is sent later arrives later. */
  #deliver(input: CoreInput): void {
    this.#queue.push(this.#nowMs + this.#options.eventDelayMs, (nowMs) => this.#tell(input, nowMs));
  }

  #tell(input: CoreInput, nowMs: number): void {
    this.#nowMs = nowMs;
    this.#carryOut(this.#core.step(input, nowMs), nowMs);
    while (this.#core.hasWork) this.#carryOut(this.#core.step({ type: 'work' }, nowMs), nowMs);
    this.#wakeAtMs = undefined;
  }

  #carryOut(effects: readonly Effect[], nowMs: number): void {
    // Orders are on their way before the legs that wait for them.
    for (const effect of effects) {
      if (effect.type === 'transferOrder') this.#order(effect.order, nowMs);
    }
    for (const effect of effects) this.#follow(effect, nowMs);
  }

  #order(order: Extract<Effect, { type: 'transferOrder' }>['order'], nowMs: number): void {
    this.#queue.push(nowMs + this.#options.dispatchMs, (atMs) => {
      this.#transfers.ordered(order, this.#gateway.ofPlan(order.planId), atMs);
    });
  }

  #follow(effect: Effect, nowMs: number): void {
    const soonMs = nowMs + this.#options.dispatchMs;
    if (effect.type === 'planReply') {
      const { reply } = effect;
      const run = this.#gateway.answered(reply, nowMs);
      if (run === undefined || reply.kind !== 'planned') return;
      this.#queue.push(soonMs, (atMs) => this.#gateway.start(run, reply, atMs));
    } else if (effect.type === 'cancelPlan') {
      this.#queue.push(soonMs, (atMs) => {
        this.#gateway.planCancelled(effect.planId, atMs);
        this.#transfers.cancel(effect.planId, atMs);
      });
    } else if (effect.type === 'requestSnapshot') {
      this.#resyncs += 1;
      this.#queue.push(soonMs, () => this.#snapshot(effect.workerId, effect.snapshotId));
    }
  }

  #snapshot(workerId: string, snapshotId: number): void {
    const worker = this.#fleet.workers.get(workerId);
    if (worker === undefined) return;
    this.#sendDeltas();
    const chunk = this.#fleet.agent(worker).snapshot(worker, snapshotId);
    this.#deliver({ type: 'snapshotChunk', chunk });
  }

  #listener(): WorkerListener {
    return {
      onAdmitted: (_worker, leg, nowMs) => this.#transfers.progress(leg, nowMs),
      onProgress: (_worker, leg, nowMs) => this.#transfers.progress(leg, nowMs),
      onPrefilled: (worker, leg, nowMs) => this.#prefilled(worker, leg, nowMs),
      onFirstToken: (run, nowMs) => this.#gateway.firstToken(run, nowMs),
      onFinished: (_worker, run, nowMs) => this.#gateway.finished(run, nowMs),
    };
  }

  #prefilled(worker: SimWorker, leg: PrefillLeg, nowMs: number): void {
    const { run, hold } = leg;
    if (this.#options.cost.firstToken === 'prefill') {
      this.#gateway.firstToken(run, nowMs);
      if (run.outputTokens === 1) this.#gateway.finished(run, nowMs);
    }
    if (run.isSettled) this.#transfers.cancel(run.planId, nowMs);
    if (!this.#transfers.prefilled(leg, nowMs) && hold !== undefined) worker.cache.release(hold);
  }
}
