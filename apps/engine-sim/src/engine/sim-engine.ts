import type { EngineCost } from '@baton/sim';
import type { Adapter, BlockName, BlockNaming, Chain } from '../cache/block-names.ts';
import { BlockPool } from '../cache/block-pool.ts';
import { nextToken, readNothing } from '../model/kv-model.ts';
import { AdapterSlots } from './adapter-slots.ts';
import type { Cancel, EngineClock } from './clock.ts';
import type { EngineObserver, RunEnd } from './engine-observer.ts';
import { EngineRun } from './engine-run.ts';
import type { EngineFault, GenerationRequest, KeptKv, GenerationSink } from './generation.ts';
import { Scheduler, splitPieces, type Piece } from './scheduler.ts';

export interface SimEngineOptions {
  model: string;
  blocks: number;
  blockTokens: number;
  maxSequences: number;
  maxBatchTokens: number;
  /** Tokens of an answer on average, where nothing else ends it; 0: nothing does. */
  meanAnswerTokens: number;
  endToken: number;
  /** Adapters that one batch can have; default: 1. */
  adapterSlots?: number;
  /** Of putting an adapter into its place; default: no time. */
  adapterLoadMs?: number;
  naming: BlockNaming;
  cost: EngineCost;
  clock: EngineClock;
  observer: EngineObserver;
  /** What happened to the cache since the last step, in order; called at the end of a step. */
  onCacheEvents: (events: readonly PoolEvent[]) => void;
  /** What came from another engine is not the KV of the prompt. */
  onWrongKv: (run: EngineRun) => void;
  /** It can do nothing any more. */
  onDeath: () => void;
}

/** A change of what the cache holds. */
export type PoolEvent =
  | {
      type: 'stored';
      names: readonly BlockName[];
      parent: BlockName | undefined;
      tokens: readonly number[];
      chain: Chain;
    }
  | { type: 'removed'; name: BlockName }
  | { type: 'cleared' };

/** Steps that are caught up with at once when a timer comes late. */
const STEPS_PER_TURN = 64;

/** An engine without a model: it schedules, pages, names and forgets KV as vLLM does, and takes the time of a cost model. */
export class SimEngine {
  readonly pool: BlockPool;
  readonly scheduler: Scheduler;
  readonly loading = new Set<EngineRun>();
  readonly adapters: AdapterSlots;
  readonly #options: SimEngineOptions;
  readonly #runs = new Map<string, EngineRun>();
  #events: PoolEvent[] = [];
  #step: { pieces: Piece[]; endMs: number } | undefined;
  /** Of the timer for its end. */
  #disarm: Cancel | undefined;
  #isWaking = false;
  #isPaused = false;
  #death: EngineFault | undefined;

  constructor(options: SimEngineOptions) {
    this.#options = options;
    this.adapters = new AdapterSlots(options.adapterSlots ?? 1);
    this.pool = new BlockPool({
      blocks: options.blocks,
      blockTokens: options.blockTokens,
      onRemoved: (name) => this.#events.push({ type: 'removed', name }),
    });
    const { observer } = options;
    const limits = { ...options, maxAdapters: this.adapters.count };
    this.scheduler = new Scheduler(this.pool, limits, {
      onAdmitted: (run, blocks, nowMs) => this.#admitted(run, blocks * options.blockTokens, nowMs),
      onLoading: (run) => this.#load(run),
      onPreempted: (run) => observer.preempted(run),
    });
  }

  /** Requests that are not over. */
  get openRuns(): number {
    return this.#runs.size;
  }

  /** Why it can do nothing any more. */
  get death(): EngineFault | undefined {
    return this.#death;
  }

  submit(request: GenerationRequest, sink: GenerationSink): EngineRun {
    const { clock, naming, model, observer } = this.#options;
    const start = readNothing(model, request.chain.adapter?.path);
    const run = new EngineRun(request, sink, { arrivedMs: clock.now(), naming, start });
    this.#runs.set(request.id, run);
    observer.submitted(run);
    this.scheduler.waiting.push(run);
    this.#wake();
    return run;
  }

  /** Nothing happens to a request that is over; true when it was not. */
  abort(id: string): boolean {
    const run = this.#runs.get(id);
    if (run === undefined) return false;
    this.#end(run, 'abort');
    return true;
  }

  /** Ends requests for somebody else than their clients, who get what there is of the answer. */
  abortAll(isMeant: (answerId: string) => boolean): void {
    for (const run of [...this.#runs.values()].filter(({ request }) => isMeant(request.answerId))) {
      this.#end(run, 'abort');
      run.sink.finished('abort', undefined);
    }
  }

  /** False while blocks are in use. */
  clearCache(): boolean {
    const isCleared = this.pool.clear();
    // As in vLLM the next step tells it.
    if (isCleared) this.#events.push({ type: 'cleared' });
    return isCleared;
  }

  /** Time stands still for what it computes, as in a process that hangs. */
  pause(): void {
    this.#isPaused = true;
    this.#disarm?.();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#step === undefined) this.#wake();
    else this.#arm();
  }

  /** Every request fails, and so does every later one. */
  die(fault: EngineFault): void {
    if (this.#death !== undefined) return;
    this.#death = fault;
    this.#options.onDeath();
    for (const run of [...this.#runs.values()]) this.#fail(run, fault);
  }

  #wake(): void {
    if (this.#step !== undefined || this.#isWaking || this.#isPaused) return;
    this.#isWaking = true;
    const { clock } = this.#options;
    clock.at(clock.now(), () => {
      this.#isWaking = false;
      if (this.#step !== undefined || this.#isPaused) return;
      this.#begin(clock.now());
      this.#arm();
    });
  }

  #arm(): void {
    if (this.#step === undefined || this.#isPaused) return;
    this.#disarm = this.#options.clock.at(this.#step.endMs, () => this.#stepDue());
  }

  /** When a timer was late, `fromMs` is before now, and who came meanwhile has not come yet. */
  #begin(fromMs: number): void {
    if (this.#death !== undefined) return;
    const nowMs = this.scheduler.earliestMs(fromMs);
    const pieces = this.scheduler.plan(nowMs);
    if (pieces.length === 0) return;
    const { cost } = this.#options;
    const { prompts, decoding } = splitPieces(pieces);
    const kvTokens = decoding.reduce((sum, run) => sum + run.computed, 0);
    const kvCapacityTokens = this.pool.capacity * this.pool.blockTokens;
    const durationMs =
      (prompts.length > 0 ? cost.prefillStepMs(prompts) : 0) +
      (decoding.length > 0
        ? cost.decodeStepMs({ sequences: decoding.length, kvTokens, kvCapacityTokens })
        : 0);
    const loadMs = this.adapters.use(adaptersOf(pieces)) * (this.#options.adapterLoadMs ?? 0);
    this.#step = { pieces, endMs: nowMs + loadMs + durationMs };
  }

  /** Puts an adapter into its place before anybody asks for it; resolves when it is there. */
  loadAdapter(adapter: Adapter): Promise<void> {
    const { clock, adapterLoadMs = 0 } = this.#options;
    const loads = this.adapters.use([adapter]);
    return new Promise((resolve) => clock.at(clock.now() + loads * adapterLoadMs, () => resolve()));
  }

  /** Ends the step, and those that would have ended meanwhile had the timer been on time. */
  #stepDue(): void {
    for (let steps = 0; steps < STEPS_PER_TURN; steps += 1) {
      const step = this.#step;
      if (step === undefined || this.#isPaused) return;
      this.#step = undefined;
      this.#finish(step.pieces, step.endMs);
      this.#begin(step.endMs);
      if (this.#endMs > this.#options.clock.now()) break;
    }
    this.#arm();
  }

  /** Of the step that runs; Infinity when there is none. */
  get #endMs(): number {
    return this.#step?.endMs ?? Infinity;
  }

  #finish(pieces: readonly Piece[], nowMs: number): void {
    let tokens = 0;
    for (const piece of pieces) {
      const { run } = piece;
      if (run.state !== 'running') continue;
      tokens += piece.tokens;
      run.compute(piece.tokens, this.pool);
      this.#nameBlocks(run);
      if (run.computed === run.tokens.length) this.#sample(run, nowMs);
    }
    this.#options.observer.stepped(tokens);
    this.#flush();
  }

  #flush(): void {
    const events = this.#events;
    if (events.length === 0) return;
    this.#events = [];
    this.#options.onCacheEvents(events);
  }

  #nameBlocks(run: EngineRun): void {
    const { blockTokens } = this.pool;
    const full = Math.floor(run.computed / blockTokens);
    const from = run.named;
    if (full <= from) return;
    const names = run.names(full, blockTokens);
    for (let i = from; i < full; i += 1) {
      const block = run.blocks[i];
      const name = names[i];
      if (block !== undefined && name !== undefined) this.pool.name(block, name);
    }
    run.named = full;
    this.#events.push({
      type: 'stored',
      names: names.slice(from),
      parent: names[from - 1],
      tokens: run.tokens.slice(from * blockTokens, full * blockTokens),
      chain: run.request.chain,
    });
  }

  #sample(run: EngineRun, nowMs: number): void {
    const { meanAnswerTokens, endToken, observer } = this.#options;
    const { request } = run;
    const hasToGoOn = request.ignoreEos || run.outputTokens < request.minOutputTokens;
    const token = nextToken(run.read, hasToGoOn ? 0 : meanAnswerTokens, endToken);
    run.tokens.push(token);
    observer.token(run, nowMs);
    run.sink.token(token);
    // The sink may have aborted it: a stop string is found in the text.
    if (run.state === 'ended') return;
    const isStop = !hasToGoOn && (token === endToken || request.stopTokens.includes(token));
    if (isStop) this.#end(run, 'stop', nowMs);
    else if (run.outputTokens >= request.maxOutputTokens) this.#end(run, 'length', nowMs);
  }

  /** The text of the answer has come to a stop string. */
  stopAtText(id: string): void {
    const run = this.#runs.get(id);
    if (run !== undefined) this.#end(run, 'stop');
  }

  #admitted(run: EngineRun, cachedTokens: number, nowMs: number): void {
    if (run.scheduledMs !== undefined) return;
    run.scheduledMs = nowMs;
    run.cachedTokens = cachedTokens;
    if (!run.isRemoteOver) run.externalTokens = run.remoteTokens - cachedTokens;
    this.#options.observer.admitted(run, cachedTokens);
  }

  #load(run: EngineRun): void {
    this.loading.add(run);
    run.request.remote?.read(this.pool, run.blocks.slice(run.named), (fault) => {
      this.loading.delete(run);
      run.isRemoteOver = true;
      // Blocks that are being written stay until the writer is done.
      if (run.state === 'ended') this.pool.release(run.blocks);
      else if (fault !== undefined) {
        run.state = 'waiting';
        this.#fail(run, fault);
      } else this.#loaded(run);
    });
  }

  #loaded(run: EngineRun): void {
    if (!run.isKvOfPrompt(this.pool)) this.#options.onWrongKv(run);
    // As in vLLM the blocks get the names of the prompt's tokens, whatever is in them.
    run.goOnBehind(run.remoteTokens, this.pool);
    this.#nameBlocks(run);
    run.goOnBehind(Math.min(run.remoteTokens, run.promptTokens - 1), this.pool);
    run.state = 'waiting';
    this.scheduler.waiting.unshift(run);
    this.#wake();
  }

  #fail(run: EngineRun, fault: EngineFault): void {
    this.#end(run, 'error');
    run.sink.failed(fault);
  }

  #end(run: EngineRun, end: RunEnd, nowMs = this.#options.clock.now()): void {
    const { state, request } = run;
    run.state = 'ended';
    this.#runs.delete(request.id);
    this.scheduler.remove(run);
    if (state === 'waiting') request.remote?.notNeeded();
    const isOwn = end === 'stop' || end === 'length';
    const isKept = isOwn && request.keepsKv;
    const kept = Math.ceil(run.computed / this.pool.blockTokens);
    if (state !== 'loading') this.pool.release(isKept ? run.blocks.slice(kept) : run.blocks);
    this.#options.observer.ended(run, end, nowMs);
    if (isOwn) run.sink.finished(end, isKept ? keptOf(run, kept) : undefined);
    this.#wake();
  }
}

/** Of a batch, each once. */
function adaptersOf(pieces: readonly Piece[]): Iterable<Adapter> {
  return new Map(
    pieces.flatMap(({ run: { request } }) => {
      const { adapter } = request.chain;
      return adapter === undefined ? [] : [[adapter.id, adapter] as const];
    }),
  ).values();
}

function keptOf(run: EngineRun, blocks: number): KeptKv {
  return {
    requestId: run.request.id,
    blocks: run.blocks.slice(0, blocks),
    tokens: run.tokens.slice(0, run.computed),
    cachedTokens: run.cachedTokens + run.externalTokens,
  };
}
