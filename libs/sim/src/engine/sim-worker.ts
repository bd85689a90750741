import type { WorkerFacts } from '@baton/cluster';
import type { EngineCost } from '../cost/engine-cost.ts';
import { KvCache, type HeldBlocks, type OnKvChange, type TierBlocks } from '../kv/kv-cache.ts';
import type { EventQueue } from '../time/event-queue.ts';
import { DecodeLane } from './decode-lane.ts';
import { PrefillLane } from './prefill-lane.ts';
import type { DecodeLeg, PrefillLeg, RequestRun } from './request-run.ts';
import { TierLoader, type TierRates } from './tier-loader.ts';

export interface SimWorkerOptions extends TierBlocks, TierRates {
  cost: EngineCost;
  blockTokens: number;
  chunkTokens: number;
  maxSequences: number;
}

/** Who hears of what a worker's engine has done. */
export interface WorkerListener {
  /** A prompt's turn has come: its KV is there as far as it was held. */
  onAdmitted: (worker: SimWorker, leg: PrefillLeg, nowMs: number) => void;
  /** More of its prompt is computed. */
  onProgress: (worker: SimWorker, leg: PrefillLeg, nowMs: number) => void;
  /** Its prompt is computed and the worker's own sequence does not go on with it. */
  onPrefilled: (worker: SimWorker, leg: PrefillLeg, nowMs: number) => void;
  onFirstToken: (run: RequestRun, nowMs: number) => void;
  onFinished: (worker: SimWorker, run: RequestRun, nowMs: number) => void;
}

/** What a worker has done in all. */
export interface WorkerTotals {
  busyMs: number;
  steps: number;
  computedTokens: number;
  generatedTokens: number;
  prefillLegs: number;
  decodeLegs: number;
}

/** Prompt of the trial by which a worker measures itself when it starts. */
const TRIAL_TOKENS = 2_000;
/** Share of a new step in a measured rate. */
const WEIGHT = 0.1;

/** One simulated engine with its cache: it computes prompts and decodes in steps, as long as there is anything to do. */
export class SimWorker {
  readonly facts: WorkerFacts;
  readonly cache: KvCache;
  readonly prefill: PrefillLane;
  readonly decode: DecodeLane;
  readonly totals: WorkerTotals = {
    busyMs: 0,
    steps: 0,
    computedTokens: 0,
    generatedTokens: 0,
    prefillLegs: 0,
    decodeLegs: 0,
  };
  prefillTokensPerSec: number;
  decodeTokensPerSec = 0;
  readonly #options: SimWorkerOptions;
  readonly #queue: EventQueue;
  readonly #listener: WorkerListener;
  readonly #loader: TierLoader;
  readonly #kvCapacityTokens: number;
  readonly #onStepEnd = (nowMs: number): void => this.#endStep(nowMs);
  #isBusy = false;
  #prefillMs = 0;
  #decodeMs = 0;

  constructor(
    facts: WorkerFacts,
    options: SimWorkerOptions,
    queue: EventQueue,
    listener: WorkerListener,
    onKvChange: OnKvChange,
  ) {
    this.facts = facts;
    this.#options = options;
    this.#queue = queue;
    this.#listener = listener;
    this.#loader = new TierLoader(options, facts.layout.segmentBytes);
    this.#kvCapacityTokens = options.hbmBlocks * options.blockTokens;
    this.cache = new KvCache(options, onKvChange);
    const { cache } = this;
    const { blockTokens, chunkTokens, maxSequences, cost } = options;
    this.decode = new DecodeLane({
      ...{ cache, blockTokens, maxSequences },
      onFirstToken: listener.onFirstToken,
      onFinished: (leg, nowMs) => this.#finished(leg, nowMs),
    });
    this.prefill = new PrefillLane({
      ...{ cache, blockTokens, chunkTokens, strictOrder: options.cost.strictOrder === true },
      sequences: {
        isFree: () => this.decode.hasFreeSequence,
        take: () => this.decode.takeSequence(),
      },
      load: (held, nowMs, loaded) => this.load(held, nowMs, loaded),
      onAdmitted: (leg, nowMs) => listener.onAdmitted(this, leg, nowMs),
    });
    this.prefillTokensPerSec = (TRIAL_TOKENS / cost.prefillMs(TRIAL_TOKENS, 0)) * 1_000;
  }

  get workerId(): string {
    return this.facts.workerId;
  }

  /** What loading from lower tiers was seen to bring. */
  get loadRates(): Readonly<TierRates> {
    return this.#loader.measured;
  }

  /** Something has changed: whoever waited may go on. */
  kick(nowMs: number): void {
    this.decode.admit(nowMs);
    if (!this.#isBusy) this.#startStep(nowMs);
  }

  /** Brings blocks of lower tiers into HBM. */
  load(held: HeldBlocks, nowMs: number, loaded: (nowMs: number) => void): void {
    this.#queue.push(this.#loader.loadedAtMs(held, nowMs), (atMs) => {
      loaded(atMs);
      this.kick(atMs);
    });
  }

  #startStep(nowMs: number): void {
    const { cost } = this.#options;
    this.decode.join();
    const pieces = this.prefill.takeStep(nowMs);
    const sequences = this.decode.runningSequences;
    if (pieces.length + sequences === 0) return;
    const batch = {
      sequences,
      kvTokens: this.decode.kvTokens,
      kvCapacityTokens: this.#kvCapacityTokens,
    };
    this.#prefillMs = pieces.length === 0 ? 0 : cost.prefillStepMs(pieces);
    this.#decodeMs = sequences === 0 ? 0 : cost.decodeStepMs(batch);
    this.#isBusy = true;
    this.#queue.push(nowMs + this.#prefillMs + this.#decodeMs, this.#onStepEnd);
  }

  #endStep(nowMs: number): void {
    const { totals } = this;
    totals.busyMs += this.#prefillMs + this.#decodeMs;
    totals.steps += 1;
    const sequences = this.decode.runningSequences;
    if (sequences > 0) {
      totals.generatedTokens += sequences;
      this.decodeTokensPerSec = averaged(this.decodeTokensPerSec, sequences, this.#decodeMs);
    }
    this.decode.endStep(nowMs);
    if (this.#prefillMs > 0) this.#endPrefill(nowMs);
    this.#isBusy = false;
    this.kick(nowMs);
  }

  #endPrefill(nowMs: number): void {
    const { computedTokens, progressed, complete } = this.prefill.endStep();
    this.totals.computedTokens += computedTokens;
    this.prefillTokensPerSec = averaged(this.prefillTokensPerSec, computedTokens, this.#prefillMs);
    for (const leg of progressed) this.#listener.onProgress(this, leg, nowMs);
    for (const leg of complete) {
      this.totals.prefillLegs += 1;
      if (leg.hold !== undefined) this.cache.publish(leg.hold, leg.run.blocks.length);
      if (leg.outputTokens > 0) this.#decodeHere(leg, nowMs);
      else this.#listener.onPrefilled(this, leg, nowMs);
    }
  }

  /** The worker that has the prompt's KV itself samples the first token with the prompt's last step. */
  #decodeHere({ run, hold, outputTokens }: PrefillLeg, nowMs: number): void {
    if (hold === undefined) return;
    this.#listener.onFirstToken(run, nowMs);
    const tokens = outputTokens - 1;
    const leg = { run, tokens, hold, firstStep: 0, lastStep: 0 };
    if (tokens > 0) this.decode.continueHere(leg);
    else {
      this.decode.giveBackSequence();
      this.#finished(leg, nowMs);
    }
  }

  #finished({ run, hold }: DecodeLeg, nowMs: number): void {
    this.totals.decodeLegs += 1;
    this.cache.release(hold);
    this.#listener.onFinished(this, run, nowMs);
  }
}

function averaged(rate: number, tokens: number, durationMs: number): number {
  const measured = (tokens / durationMs) * 1_000;
  return rate === 0 ? measured : rate + WEIGHT * (measured - rate);
}
