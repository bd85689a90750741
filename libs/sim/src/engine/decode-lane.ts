import { Fifo } from '@baton/kv';
import type { HeldBlocks, KvCache, KvHold } from '../kv/kv-cache.ts';
import { gapMeans } from '../report/token-gaps.ts';
import type { DecodeLeg, RequestRun } from './request-run.ts';
import { StepLog } from './step-log.ts';

export interface DecodeLaneOptions {
  cache: KvCache;
  blockTokens: number;
  maxSequences: number;
  onFirstToken: (run: RequestRun, nowMs: number) => void;
  onFinished: (leg: DecodeLeg, nowMs: number) => void;
}

/** Somebody who waits for room: told once what is held, with the hold that keeps it. */
interface Claim {
  run: RequestRun;
  onRoom: (hold: KvHold, held: HeldBlocks, nowMs: number) => void;
}

/**
 * Continuous batching: one token for each running sequence in a step. A sequence has room for all its KV before it
 * begins, prompt and answer; who does not fit waits, and nobody behind passes.
 */
export class DecodeLane {
  readonly #options: DecodeLaneOptions;
  readonly #claims = new Fifo<Claim>();
  readonly #arrived = new Fifo<DecodeLeg>();
  readonly #running = new Set<DecodeLeg>();
  /** Sequences that aggregated legs have taken and whose prompt is still being computed. */
  #taken = 0;
  /** Tokens whose KV the next step reads. */
  #kvTokens = 0;
  readonly #log = new StepLog();
  readonly #ending = new Map<number, DecodeLeg[]>();
  #fresh: DecodeLeg[] = [];

  constructor(options: DecodeLaneOptions) {
    this.#options = options;
  }

  get runningSequences(): number {
    return this.#running.size;
  }

  get waiting(): number {
    return this.#claims.length + this.#arrived.length;
  }

  get kvTokens(): number {
    return this.#kvTokens;
  }

  get hasFreeSequence(): boolean {
    return this.#running.size + this.#taken < this.#options.maxSequences;
  }

  takeSequence(): void {
    this.#taken += 1;
  }

  /** Waits for room for a request whose prompt another worker computes. */
  claim(run: RequestRun, onRoom: Claim['onRoom'], nowMs: number): void {
    this.#claims.push({ run, onRoom });
    this.admit(nowMs);
  }

  /** Gives room to those who wait, as far as there is any. */
  admit(nowMs: number): void {
    const { cache, blockTokens } = this.#options;
    for (;;) {
      const claim = this.#claims.first;
      if (claim === undefined) return;
      const { run } = claim;
      if (!run.isSettled) {
        const held = cache.lookup(run.blocks, run.blocks.length);
        const total = Math.ceil((run.promptTokens + run.outputTokens) / blockTokens);
        const hold = cache.acquire(run.blocks, held.hbm, total);
        if (hold === undefined) return;
        this.#claims.shift();
        claim.onRoom(hold, held, nowMs);
      } else this.#claims.shift();
    }
  }

  /** The KV of its prompt is there: it joins with the next step, when there is a sequence for it. */
  arrived(leg: DecodeLeg): void {
    this.#arrived.push(leg);
  }

  /** An aggregated leg whose prompt has been computed goes on in the sequence that it took. */
  continueHere(leg: DecodeLeg): void {
    this.#taken -= 1;
    this.#start(leg);
  }

  /** Gives back the sequence of an aggregated leg that needs no decode step. */
  giveBackSequence(): void {
    this.#taken -= 1;
  }

  /** A step is about to begin. */
  join(): void {
    while (this.hasFreeSequence) {
      const leg = this.#arrived.shift();
      if (leg === undefined) return;
      this.#start(leg);
    }
  }

  endStep(nowMs: number): void {
    if (this.#running.size === 0) return;
    this.#log.add(nowMs, () => this.#oldestNeededStep());
    this.#kvTokens += this.#running.size;
    const step = this.#log.steps;
    const fresh = this.#fresh;
    this.#fresh = [];
    for (const { run } of fresh) {
      if (run.firstTokenAtMs === undefined) this.#options.onFirstToken(run, nowMs);
    }
    const ending = this.#ending.get(step);
    if (ending === undefined) return;
    this.#ending.delete(step);
    for (const leg of ending) this.#finish(leg, nowMs);
  }

  /** Blocks of HBM that running sequences fill and that have no name. */
  unnamedBlocks(): number {
    const { blockTokens } = this.#options;
    let blocks = 0;
    for (const { run, firstStep } of this.#running) {
      const tokens = run.promptTokens + this.#log.steps - firstStep;
      blocks += Math.ceil(tokens / blockTokens) - run.blocks.length;
    }
    return blocks;
  }

  #start(leg: DecodeLeg): void {
    leg.firstStep = this.#log.steps;
    leg.lastStep = leg.firstStep + leg.tokens;
    const before = leg.run.outputTokens - leg.tokens;
    leg.run.generatedTokens = () => before + Math.min(leg.tokens, this.#log.steps - leg.firstStep);
    this.#running.add(leg);
    this.#kvTokens += leg.run.promptTokens;
    this.#fresh.push(leg);
    const ending = this.#ending.get(leg.lastStep);
    if (ending === undefined) this.#ending.set(leg.lastStep, [leg]);
    else ending.push(leg);
  }

  #finish(leg: DecodeLeg, nowMs: number): void {
    this.#running.delete(leg);
    this.#kvTokens -= leg.run.promptTokens + leg.tokens;
    leg.run.generatedTokens = () => leg.run.outputTokens;
    const { meanTbtMs, tailTbtMs } = gapMeans(this.#gapsMs(leg));
    leg.run.record.meanTbtMs = meanTbtMs;
    leg.run.record.tailTbtMs = tailTbtMs;
    this.#options.onFinished(leg, nowMs);
  }

  /** Between the tokens that its client saw, the first one included. */
  #gapsMs(leg: DecodeLeg): Float64Array {
    const gaps = new Float64Array(leg.run.outputTokens - 1);
    let beforeMs = leg.run.firstTokenAtMs ?? NaN;
    const first = leg.firstStep + 1 + (leg.tokens - gaps.length);
    for (let step = first; step <= leg.lastStep; step += 1) {
      const endMs = this.#log.endMs(step);
      gaps[step - first] = endMs - beforeMs;
      beforeMs = endMs;
    }
    return gaps;
  }

  #oldestNeededStep(): number {
    let oldest = this.#log.steps;
    for (const { firstStep } of this.#running) oldest = Math.min(oldest, firstStep);
    return oldest;
  }
}
