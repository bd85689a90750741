import type { PromptPiece } from '@baton/sim';
import type { BlockPool } from '../cache/block-pool.ts';
import type { EngineRun } from './engine-run.ts';

export interface Piece {
  run: EngineRun;
  tokens: number;
}

export interface SchedulerLimits {
  maxSequences: number;
  /** Tokens of one step. */
  maxBatchTokens: number;
  /** Adapters of one batch. */
  maxAdapters: number;
}

export interface SchedulerEvents {
  /** A request is taken out of the line for the first time since it came or was preempted. */
  onAdmitted(run: EngineRun, cachedBlocks: number, nowMs: number): void;
  /** A request has room and waits for another engine's KV. */
  onLoading(run: EngineRun): void;
  onPreempted(run: EngineRun): void;
}

/**
 * Continuous batching as vLLM does it: what runs goes first, a token each or the next chunk of its prompt; then, in the
 * order of arrival, whoever fits. When a running sequence finds no block, the one that came last gives way and starts
 * over.
 */
export class Scheduler {
  readonly waiting: EngineRun[] = [];
  readonly running: EngineRun[] = [];
  readonly #pool: BlockPool;
  readonly #limits: SchedulerLimits;
  readonly #events: SchedulerEvents;

  constructor(pool: BlockPool, limits: SchedulerLimits, events: SchedulerEvents) {
    this.#pool = pool;
    this.#limits = limits;
    this.#events = events;
  }

  /** When a step can begin, from a time on: an engine without work waits for the first who comes. */
  earliestMs(fromMs: number): number {
    if (this.running.length > 0) return fromMs;
    return Math.max(fromMs, this.waiting[0]?.arrivedMs ?? 0);
  }

  /** What a step computes that begins now. */
  plan(nowMs: number): Piece[] {
    const pieces: Piece[] = [];
    let budget = this.#limits.maxBatchTokens;
    for (let i = 0; i < this.running.length && budget > 0; i += 1) {
      const run = this.running[i];
      if (run === undefined || !this.#makeRoom(run, budget)) break;
      const tokens = Math.min(run.tokens.length - run.computed, budget);
      pieces.push({ run, tokens });
      budget -= tokens;
    }
    while (budget > 0 && this.running.length < this.#limits.maxSequences) {
      const run = this.waiting.find((one) => this.#hasAdapterSlot(one));
      if (run === undefined || run.arrivedMs > nowMs || !this.#admit(run, budget, nowMs)) break;
      this.waiting.splice(this.waiting.indexOf(run), 1);
      if (run.state !== 'running') continue;
      this.running.push(run);
      const tokens = Math.min(run.tokens.length - run.computed, budget);
      pieces.push({ run, tokens });
      budget -= tokens;
    }
    return pieces;
  }

  remove(run: EngineRun): void {
    for (const line of [this.waiting, this.running]) {
      const at = line.indexOf(run);
      if (at >= 0) line.splice(at, 1);
    }
  }

  /** Those whose adapter would be one too many are passed over. */
  #hasAdapterSlot({ request: { chain } }: EngineRun): boolean {
    if (chain.adapter === undefined) return true;
    const ids = new Set(this.running.flatMap((run) => run.request.chain.adapter?.id ?? []));
    return ids.has(chain.adapter.id) || ids.size < this.#limits.maxAdapters;
  }

  #blocksFor(tokens: number): number {
    return Math.ceil(tokens / this.#pool.blockTokens);
  }

  /** False when the run itself had to give way. */
  #makeRoom(run: EngineRun, budget: number): boolean {
    const tokens = Math.min(run.tokens.length, run.computed + budget);
    const missing = this.#blocksFor(tokens) - run.blocks.length;
    for (;;) {
      const blocks = missing > 0 ? this.#pool.acquire([], missing) : [];
      if (blocks !== undefined) {
        run.blocks.push(...blocks);
        return true;
      }
      const last = this.running.pop();
      if (last === undefined) return false;
      this.#pool.release(last.blocks);
      last.startOver();
      this.waiting.unshift(last);
      this.#events.onPreempted(last);
      if (last === run) return false;
    }
  }

  /** False when there is no room; otherwise the run is in the batch or waits for KV. */
  #admit(run: EngineRun, budget: number, nowMs: number): boolean {
    const pool = this.#pool;
    // Its KV has come: those blocks are there.
    if (run.blocks.length > 0) {
      const until = Math.min(run.tokens.length, run.computed + budget);
      const more = pool.acquire([], Math.max(0, this.#blocksFor(until) - run.blocks.length));
      if (more === undefined) return false;
      run.blocks.push(...more);
      run.state = 'running';
      return true;
    }
    // The last token is always computed: the next one follows from it.
    const mostCached = Math.floor((run.tokens.length - 1) / pool.blockTokens);
    const cached = pool.lookup(run.names(mostCached, pool.blockTokens), mostCached);
    const cachedTokens = cached.length * pool.blockTokens;
    const { remote } = run.request;
    if (!run.isRemoteOver && run.remoteTokens - cachedTokens < (remote?.leastTokens ?? 1)) {
      run.isRemoteOver = true;
      remote?.notNeeded();
    }
    const untilToken = run.isRemoteOver
      ? Math.min(run.tokens.length, cachedTokens + budget)
      : run.remoteTokens;
    const blocks = pool.acquire(cached, this.#blocksFor(untilToken) - cached.length);
    if (blocks === undefined) return false;
    run.blocks = blocks;
    run.named = cached.length;
    run.goOnBehind(cachedTokens, pool);
    this.#events.onAdmitted(run, cached.length, nowMs);
    if (run.isRemoteOver) run.state = 'running';
    else {
      run.state = 'loading';
      this.#events.onLoading(run);
    }
    return true;
  }
}

/** Pieces of prompts, for a cost model, and who decodes: all but the last token are there, from here or elsewhere. */
export function splitPieces(pieces: readonly Piece[]): {
  prompts: PromptPiece[];
  decoding: EngineRun[];
} {
  const prompts: PromptPiece[] = [];
  const decoding: EngineRun[] = [];
  for (const { run, tokens } of pieces) {
    const hasOthers = run.outputTokens > 0 || run.externalTokens > 0;
    if (hasOthers && run.computed === run.tokens.length - 1) decoding.push(run);
    else {
      prompts.push({ newTokens: tokens, contextTokens: run.computed, isFirst: !run.isBegun });
    }
  }
  return { prompts, decoding };
}
