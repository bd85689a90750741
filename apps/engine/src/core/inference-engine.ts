import { BatonError, toBatonError } from '@baton/kv';
import type { ErrorCode } from '@baton/kv';
import { ArenaPages } from './arena-pages.ts';
import type { OpenArena } from './arena-pages.ts';
import { Handover } from './handover.ts';
import type { InferenceCommand, InferenceEvent } from './inference-port.ts';
import type { KvMemory } from './kv-memory.ts';
import { LoadMeter } from './load-meter.ts';
import { requestFault } from './request-checks.ts';
import { RequestState } from './request-state.ts';
import { Scheduler } from './scheduler.ts';
import type { StepPiece } from './scheduler.ts';
import { speedTrial } from './speed-trial.ts';
import type { SampledToken, TokenSampling } from './token-sampling.ts';

export interface InferenceEngineOptions<L> {
  memory: KvMemory<L>;
  sampling: TokenSampling<L>;
  segmentTokens: number;
  maxModelTokens: number;
  maxSequences: number;
  mixedPrefillTokens: number;
  purePrefillTokens: number;
  openArena: OpenArena;
  emit: (event: InferenceEvent) => void;
  nowMs: () => number;
}

type Outcome = Extract<InferenceEvent, { type: 'ended' }>['outcome'];

/**
 * The engine without a thread around it: commands go in by {@link handle}, work is done by {@link step}, events come
 * out. Each request gets `ended` exactly once, and with it everything that it held is free.
 */
export class InferenceEngine<L> {
  readonly #options: InferenceEngineOptions<L>;
  readonly #scheduler: Scheduler<L>;
  readonly #requests = new Map<string, RequestState<L>>();
  readonly #pages: ArenaPages;
  readonly #handover: Handover<L>;
  readonly #load: LoadMeter;
  #arrivals = 0;

  constructor(options: InferenceEngineOptions<L>) {
    this.#options = options;
    this.#scheduler = new Scheduler(options);
    this.#pages = new ArenaPages(options.openArena);
    const { emit, nowMs } = options;
    const load = new LoadMeter(emit);
    this.#load = load;
    const imported = (bytes: number, elapsedMs: number): void => load.imported(bytes, elapsedMs);
    this.#handover = new Handover({ pages: this.#pages, emit, imported, nowMs });
  }

  /** Before the first request: measures itself, so that its load tells how fast it is. */
  measureSpeed(): void {
    speedTrial({
      ...this.#options,
      vocabSize: this.#options.sampling.vocabSize,
      measured: (pieces, elapsedMs) => this.#load.measure(pieces, elapsedMs),
    });
  }

  /** @throws BatonError for a command that makes no sense; nothing has changed then. */
  handle(command: InferenceCommand): void {
    switch (command.type) {
      case 'submit':
        return this.#submit(command);
      case 'cancel':
        return this.#with(command.requestId, (state) => this.#end(state, 'aborted'));
      case 'arena':
        return this.#mapArena(command);
      case 'importSegment':
        return this.#with(command.requestId, (state) => this.#importSegment(state, command));
      case 'loadEnded':
        return this.#with(command.requestId, (state) => this.#loadEnded(state, command));
      case 'granted':
        return this.#with(command.requestId, (state) => {
          this.#handover.grant(state, command);
          this.#exportReady(state);
        });
      case 'exportCached':
        return this.#handover.exportCached(this.#options.memory, command);
      case 'stop':
        return this.stop();
      default:
        throw new BatonError('protocol_violation', 'The inference thread got an unknown command.');
    }
  }

  /** Admits, computes one step and samples. @returns false when there is nothing to do until the next command. */
  step(): boolean {
    this.#admit();
    const pieces = this.#scheduler.plan();
    if (pieces.length > 0) this.#compute(pieces);
    this.#load.report(this.#options.nowMs(), pieces.length === 0, {
      running: this.#scheduler.runningCount,
      waiting: this.#scheduler.waitingCount,
      pendingPrefillTokens: this.#scheduler.pendingPrefillTokens,
      usedBlocks: this.#options.memory.usedBlocks,
    });
    return pieces.length > 0;
  }

  stop(): void {
    for (const state of [...this.#requests.values()]) this.#end(state, 'aborted');
    this.#pages.map(undefined);
  }

  #submit({ request }: Extract<InferenceCommand, { type: 'submit' }>): void {
    if (this.#requests.has(request.requestId)) {
      throw new BatonError('protocol_violation', `request ${request.requestId} runs already`);
    }
    const { sampling, segmentTokens, maxModelTokens } = this.#options;
    const state = new RequestState<L>(request, this.#arrivals, segmentTokens);
    this.#arrivals += 1;
    this.#requests.set(state.id, state);
    const { vocabSize } = sampling;
    const fault = requestFault(request, { vocabSize, segmentTokens, maxModelTokens });
    if (fault !== undefined) return this.#fail(state, fault.code, fault.message);
    if (!this.#scheduler.submit(state)) {
      this.#fail(state, 'queue_full', 'The queue of the engine is full.');
    }
  }

  /** A new arena has other pages: what was granted of the old one is void. */
  #mapArena({ arena }: Extract<InferenceCommand, { type: 'arena' }>): void {
    try {
      this.#pages.map(arena);
    } finally {
      for (const state of [...this.#requests.values()]) {
        this.#handover.withdraw(state);
        this.#guard(state, () => this.#exportReady(state));
      }
    }
  }

  #importSegment(
    state: RequestState<L>,
    command: Extract<InferenceCommand, { type: 'importSegment' }>,
  ): void {
    const ok = this.#handover.importSegment(state, command);
    if (ok) this.#completeSegments(state);
    const { requestId, index, page } = command;
    this.#options.emit({ type: 'imported', requestId, index, page, ok });
  }

  #loadEnded(
    state: RequestState<L>,
    { tail, failure }: Extract<InferenceCommand, { type: 'loadEnded' }>,
  ): void {
    if (state.phase !== 'loading') return;
    if (!state.request.handover) {
      state.phase = 'computing';
      return;
    }
    const reason = failure ?? (tail ? this.#handover.importTail(state, tail) : 'it has no tail');
    if (reason !== undefined) {
      return this.#fail(state, 'kv_transfer_failed', `The handover failed: ${reason}.`);
    }
    const { sampling } = this.#options;
    if (state.outputs.some((token) => !(token >= 0 && token < sampling.vocabSize))) {
      return this.#fail(state, 'kv_transfer_failed', 'The handover failed: unknown token.');
    }
    state.phase = 'computing';
    this.#reportPrefilled(state);
    this.#endIfDone(state);
  }

  #admit(): void {
    for (;;) {
      const { admitted, hopeless } = this.#scheduler.admit();
      for (const state of admitted) this.#guard(state, () => this.#begin(state));
      if (hopeless === undefined) return;
      this.#fail(hopeless, 'engine_out_of_cells', 'The engine has not enough KV memory for this.');
    }
  }

  #begin(state: RequestState<L>): void {
    const { request } = state;
    const isFirst = !state.announced;
    state.phase = isFirst && (request.load || request.handover) ? 'loading' : 'computing';
    if (!isFirst) return;
    state.announced = true;
    const segments = state.sequence?.cachedSegments ?? 0;
    this.#options.emit({ type: 'held', requestId: state.id, segments });
    // Output that was sampled before may already be all that was asked for.
    if (state.phase === 'computing') this.#endIfDone(state);
    this.#exportReady(state);
  }

  #compute(pieces: StepPiece<L>[]): void {
    const { memory, nowMs } = this.#options;
    const startMs = nowMs();
    let logits: (L | undefined)[];
    try {
      logits = memory.compute(pieces);
    } catch (error) {
      const { code, message, details } = toBatonError(error);
      // libllama failed in the middle of a batch: nothing of the context can be trusted any more.
      if (typeof details['code'] === 'number') throw error;
      for (const { state } of pieces) this.#fail(state, code, message);
      return;
    }
    const elapsedMs = nowMs() - startMs;
    this.#load.measure(pieces, elapsedMs);
    const last = new Map(pieces.map((piece, i) => [piece.state, logits[i]]));
    for (const piece of pieces) count(piece);
    for (const [state, at] of last) {
      if (!state.prefilled) state.computeMs += elapsedMs;
      this.#guard(state, () => this.#advance(state, at));
    }
  }

  #advance(state: RequestState<L>, logits: L | undefined): void {
    this.#completeSegments(state);
    this.#handover.exportSegments(state);
    if (logits === undefined) return;
    state.sampler ??= this.#options.sampling.open(
      { ...state.request.sampling, seed: state.seed },
      state.outputs,
    );
    const sampled = state.sampler.sample(logits);
    state.outputs.push(sampled.token);
    if (state.prefilled) return this.#reportToken(state, sampled);
    state.heldBack = sampled;
    if (state.exports) state.phase = 'granting';
    this.#exportReady(state);
  }

  /** Exports what can be, and reports the end of prefill once everything has left that can leave. */
  #exportReady(state: RequestState<L>): void {
    if (this.#requests.get(state.id) !== state) return;
    this.#handover.exportSegments(state);
    const { heldBack } = state;
    if (heldBack === undefined || (state.exports && state.grantedPages === undefined)) return;
    state.heldBack = undefined;
    state.phase = 'computing';
    this.#reportPrefilled(state);
    this.#reportToken(state, heldBack);
  }

  #reportPrefilled(state: RequestState<L>): void {
    state.prefilled = true;
    const { id, accounting, computeMs } = state;
    const tail = this.#handover.exportTail(state);
    this.#options.emit({ type: 'prefilled', requestId: id, accounting, computeMs, tail });
  }

  #reportToken(state: RequestState<L>, sampled: SampledToken): void {
    const outputIndex = state.outputs.length - 1;
    this.#options.emit({ type: 'token', requestId: state.id, outputIndex, ...sampled });
    this.#endIfDone(state);
  }

  #endIfDone(state: RequestState<L>): void {
    const { request, outputs } = state;
    const last = outputs.at(-1);
    if (last === undefined) return;
    if (!request.ignoreEos && this.#options.sampling.isEndOfGeneration(last)) {
      this.#end(state, 'stop');
    } else if (outputs.length >= request.maxOutputTokens) {
      this.#end(state, 'length');
    }
  }

  /** Whole segments that are new in the cache are announced, in one event with their tokens. */
  #completeSegments(state: RequestState<L>): void {
    const { sequence, segmentTokens } = state;
    if (sequence === undefined) return;
    const last = this.#options.memory.cachesDecoded ? Infinity : state.promptSegments;
    let run: { first: number; keys: Uint8Array[] } | undefined;
    const flush = (): void => {
      if (run !== undefined) this.#reportStored(state, run.first, run.keys);
      run = undefined;
    };
    while (sequence.cachedSegments < Math.min(last, Math.floor(sequence.length / segmentTokens))) {
      const index = sequence.cachedSegments;
      const key = state.segmentKey(index);
      const completion = sequence.complete(key);
      if (completion === 'dropped') break;
      if (completion === 'known') flush();
      else if (run === undefined) run = { first: index, keys: [key] };
      else run.keys.push(key);
    }
    flush();
  }

  #reportStored(state: RequestState<L>, first: number, keys: Uint8Array[]): void {
    const { segmentTokens } = state;
    this.#options.emit({
      type: 'stored',
      keys: new Uint8Array(Buffer.concat(keys)),
      parentKey: state.parentKey(first).slice(),
      isChainStart: first === 0,
      tokens: state.tokens(first * segmentTokens, (first + keys.length) * segmentTokens).slice(),
    });
  }

  #fail(state: RequestState<L>, code: ErrorCode, message: string): void {
    this.#end(state, 'failed', { code, message });
  }

  #end(
    state: RequestState<L>,
    outcome: Outcome,
    failure?: { code: ErrorCode; message: string },
  ): void {
    if (!this.#requests.delete(state.id)) return;
    this.#scheduler.remove(state);
    state.sampler?.close();
    const { id, accounting } = state;
    this.#options.emit({ type: 'ended', requestId: id, outcome, ...failure, accounting });
  }

  #with(requestId: string, action: (state: RequestState<L>) => void): void {
    const state = this.#requests.get(requestId);
    if (state !== undefined) this.#guard(state, () => action(state));
  }

  /** What goes wrong with one request ends that request only. */
  #guard(state: RequestState<L>, action: () => void): void {
    try {
      action();
    } catch (error) {
      const { code, message } = toBatonError(error);
      this.#fail(state, code, message);
    }
  }
}

function count<L>({ state, from, tokens }: StepPiece<L>): void {
  if (state.prefilled) return;
  state.computedTokens += Math.max(0, Math.min(state.promptTokens, from + tokens.length) - from);
}
