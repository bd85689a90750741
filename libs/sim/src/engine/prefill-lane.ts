import type { PromptPiece } from '../cost/engine-cost.ts';
import type { HeldBlocks, KvCache } from '../kv/kv-cache.ts';
import type { PrefillLeg, RequestRun } from './request-run.ts';

export interface PrefillLaneOptions {
  cache: KvCache;
  blockTokens: number;
  /** New tokens of one step. */
  chunkTokens: number;
  /** A prompt whose KV is being pulled holds up those behind it. */
  strictOrder: boolean;
  /** Sequences of the worker, of which an aggregated leg takes one before it computes. */
  sequences: { isFree: () => boolean; take: () => void };
  /** Loads what lower tiers hold and calls back when it is in HBM. */
  load: (held: HeldBlocks, nowMs: number, loaded: (nowMs: number) => void) => void;
  /** The prompt's turn has come. */
  onAdmitted: (leg: PrefillLeg, nowMs: number) => void;
}

/**
 * Prompts of one engine, first come, first served, in steps of at most `chunkTokens`; several prompts may share a step.
 * A prompt whose KV is still being loaded does not hold up those behind it, nor, unless the order is strict, one whose
 * KV is being pulled.
 */
export class PrefillLane {
  readonly #options: PrefillLaneOptions;
  /** By their number. */
  readonly #queued: PrefillLeg[] = [];
  readonly #pulling = new Map<RequestRun, PrefillLeg>();
  #loading = 0;
  readonly #computing: PrefillLeg[] = [];
  #pieces: (PromptPiece & { leg: PrefillLeg })[] = [];
  #submitted = 0;
  #pendingTokens = 0;

  constructor(options: PrefillLaneOptions) {
    this.#options = options;
  }

  /** Prompt tokens that were accepted and are not computed yet, as far as one can tell. */
  get pendingTokens(): number {
    return this.#pendingTokens;
  }

  /** Requests whose prompt is not being computed yet. */
  get waiting(): number {
    return this.#queued.length + this.#pulling.size + this.#loading;
  }

  /** Blocks of HBM that prompts fill which are being computed, and that have no name yet. */
  unnamedBlocks(): number {
    return this.#computing.reduce((sum, { doneTokens, hold }) => {
      return sum + Math.ceil(doneTokens / this.#options.blockTokens) - (hold?.named ?? 0);
    }, 0);
  }

  /** @param pulledBlocks blocks for whose pull it waits until {@link PrefillLane.pullEnded}; 0 when there is none */
  submit(run: RequestRun, outputTokens: number, pulledBlocks: number): void {
    this.#submitted += 1;
    const reusable = this.#reusable(run);
    const { hbm, dram, ssd } = this.#options.cache.lookup(run.blocks, reusable, run.ownBlocks);
    const known = Math.min(reusable, hbm + dram + ssd + pulledBlocks) * this.#options.blockTokens;
    const leg: PrefillLeg = {
      run,
      number: this.#submitted,
      outputTokens,
      expectedTokens: run.promptTokens - known,
      hold: undefined,
      doneTokens: 0,
    };
    this.#pendingTokens += leg.expectedTokens;
    if (pulledBlocks > 0) this.#pulling.set(run, leg);
    else this.#queued.push(leg);
  }

  pullEnded(run: RequestRun): void {
    const leg = this.#pulling.get(run);
    if (leg === undefined) return;
    this.#pulling.delete(run);
    const behind = this.#queued.findIndex(({ number }) => number > leg.number);
    this.#queued.splice(behind < 0 ? this.#queued.length : behind, 0, leg);
  }

  /** The pieces of the next step; none when nothing can be computed now. */
  takeStep(nowMs: number): readonly PromptPiece[] {
    this.#pieces = [];
    let room = this.#options.chunkTokens;
    for (const leg of this.#computing) room -= this.#take(leg, room);
    let known = this.#computing.length;
    while (room > 0 && this.#admitNext(nowMs)) {
      // A leg that is loading is not among them yet.
      for (const leg of this.#computing.slice(known)) room -= this.#take(leg, room);
      known = this.#computing.length;
    }
    return this.#pieces;
  }

  /** The step is over: its tokens count, and the prompts that are complete now come back. */
  endStep(): { computedTokens: number; progressed: PrefillLeg[]; complete: PrefillLeg[] } {
    let computedTokens = 0;
    const progressed: PrefillLeg[] = [];
    const complete: PrefillLeg[] = [];
    for (const { leg, newTokens } of this.#pieces) {
      computedTokens += newTokens;
      leg.doneTokens += newTokens;
      this.#pendingTokens -= newTokens;
      const isComplete = leg.doneTokens === leg.run.promptTokens;
      (isComplete ? complete : progressed).push(leg);
      if (isComplete) this.#computing.splice(this.#computing.indexOf(leg), 1);
    }
    this.#pieces = [];
    return { computedTokens, progressed, complete };
  }

  #take(leg: PrefillLeg, room: number): number {
    const newTokens = Math.min(room, leg.run.promptTokens - leg.doneTokens);
    const contextTokens = leg.doneTokens;
    const isFirst = contextTokens === leg.run.promptTokens - leg.run.record.computedTokens;
    if (newTokens > 0) this.#pieces.push({ leg, newTokens, contextTokens, isFirst });
    return newTokens;
  }

  /** True when the first one in the queue has left it. */
  #admitNext(nowMs: number): boolean {
    const leg = this.#queued[0];
    if (leg === undefined || this.#isHeldUp(leg)) return false;
    const { run } = leg;
    if (run.isSettled) {
      this.#queued.shift();
      this.#pendingTokens -= leg.expectedTokens;
      this.#dropPulled(run);
      return true;
    }
    const { cache, blockTokens, sequences, onAdmitted } = this.#options;
    const isAggregated = leg.outputTokens > 0;
    if (isAggregated && !sequences.isFree()) return false;
    const held = cache.lookup(run.blocks, this.#reusable(run), run.ownBlocks);
    const total = Math.ceil((run.promptTokens + leg.outputTokens) / blockTokens);
    const hold = cache.acquire(run.blocks, held.hbm, total);
    if (hold === undefined) return false;
    if (isAggregated) sequences.take();
    this.#queued.shift();
    this.#dropPulled(run);
    leg.hold = hold;
    const reused = held.hbm + held.dram + held.ssd;
    leg.doneTokens = reused * blockTokens;
    this.#pendingTokens += run.promptTokens - leg.doneTokens - leg.expectedTokens;
    run.record.reusedBlocks = reused;
    run.record.computedTokens = run.promptTokens - leg.doneTokens;
    this.#compute(leg, held, nowMs);
    onAdmitted(leg, nowMs);
    return true;
  }

  #isHeldUp({ number }: PrefillLeg): boolean {
    if (!this.#options.strictOrder) return false;
    for (const pulling of this.#pulling.values()) if (pulling.number < number) return true;
    return false;
  }

  #compute(leg: PrefillLeg, held: HeldBlocks, nowMs: number): void {
    if (held.dram + held.ssd === 0) {
      this.#computing.push(leg);
      return;
    }
    this.#loading += 1;
    this.#options.load(held, nowMs, () => {
      this.#loading -= 1;
      if (leg.hold !== undefined)
        this.#options.cache.publish(leg.hold, leg.run.record.reusedBlocks);
      this.#computing.push(leg);
    });
  }

  /** What a pull brought is in the cache now like everything else. */
  #dropPulled(run: RequestRun): void {
    for (const hold of run.pulled.splice(0)) this.#options.cache.release(hold);
  }

  /** The last token of a prompt is always computed. */
  #reusable(run: RequestRun): number {
    return Math.floor((run.promptTokens - 1) / this.#options.blockTokens);
  }
}
