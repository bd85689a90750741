import type { ComputePiece, KvMemory } from './kv-memory.ts';
import type { RequestState } from './request-state.ts';
import { planPrefill } from './step-plan.ts';

export interface SchedulerOptions<L> {
  memory: KvMemory<L>;
  segmentTokens: number;
  maxSequences: number;
  /** Prompt tokens of a step in which somebody decodes: bounds the time between two of its tokens. */
  mixedPrefillTokens: number;
  /** Prompt tokens of a step in which nobody decodes. */
  purePrefillTokens: number;
}

export interface StepPiece<L> extends ComputePiece {
  state: RequestState<L>;
  kind: 'prefill' | 'decode';
}

/** Requests that may wait for a place; more are refused. */
export const MAX_WAITING = 1024;
/** Output tokens for which cells are promised ahead. */
const GROWTH_TOKENS = 64;

/**
 * Who waits, who runs, and what the next step computes.
 *
 * Requests are admitted in the order of arrival when a sequence and cells for the prompt are there; output grows at the
 * expense of the cache, and when nothing is left the youngest request goes back to the queue (what it has sampled
 * stays). A step takes one token of every decoding request and a bounded number of prompt tokens.
 */
export class Scheduler<L> {
  readonly #options: SchedulerOptions<L>;
  readonly #waiting: RequestState<L>[] = [];
  readonly #running = new Set<RequestState<L>>();
  /** False while nothing has changed since an admission failed. */
  #mayAdmit = true;

  constructor(options: SchedulerOptions<L>) {
    this.#options = options;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** Prompt tokens accepted and not yet computed; those of a handover are computed elsewhere. */
  get pendingPrefillTokens(): number {
    let tokens = 0;
    for (const state of [...this.#waiting, ...this.#running]) {
      if (state.request.handover) continue;
      tokens += Math.max(0, state.promptTokens - (state.sequence?.length ?? 0));
    }
    return tokens;
  }

  /** False when the queue is full. */
  submit(state: RequestState<L>): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push(state);
    this.#mayAdmit = true;
    return true;
  }

  /** Forgets a request and gives its KV back. */
  remove(state: RequestState<L>): void {
    const at = this.#waiting.indexOf(state);
    if (at >= 0) this.#waiting.splice(at, 1);
    this.#running.delete(state);
    state.sequence?.release();
    this.#mayAdmit = true;
  }

  /** Admits what fits. @returns those admitted, and one that can never fit. */
  admit(): { admitted: RequestState<L>[]; hopeless: RequestState<L> | undefined } {
    const admitted: RequestState<L>[] = [];
    while (this.#mayAdmit && this.#running.size < this.#options.maxSequences) {
      const state = this.#waiting[0];
      if (state === undefined) break;
      if (!this.#place(state)) {
        if (this.#running.size === 0) return { admitted, hopeless: state };
        this.#mayAdmit = false;
        break;
      }
      this.#waiting.shift();
      this.#running.add(state);
      admitted.push(state);
    }
    return { admitted, hopeless: undefined };
  }

  /** The pieces of the next step; none when nothing can be computed now. */
  plan(): StepPiece<L>[] {
    const decoding = this.#computing().filter((state) => this.#decodes(state));
    const pieces = decoding
      .filter((state) => this.#grow(state))
      // Growing may have sent a younger one back to the queue.
      .filter((state) => state.phase === 'computing')
      .map((state) => this.#piece(state, 'decode', state.sequence?.length ?? 0, 1));
    const { mixedPrefillTokens, purePrefillTokens, segmentTokens } = this.#options;
    const candidates = this.#computing()
      .filter((state) => !this.#decodes(state))
      .map((state) => this.#candidate(state));
    const budget = pieces.length > 0 ? mixedPrefillTokens : purePrefillTokens;
    for (const { candidate, from, to } of planPrefill(candidates, budget, segmentTokens)) {
      pieces.push(this.#piece(candidate.state, 'prefill', from, to - from));
    }
    return pieces;
  }

  #computing(): RequestState<L>[] {
    return [...this.#running]
      .filter((state) => state.phase === 'computing')
      .sort((a, b) => a.arrival - b.arrival);
  }

  #decodes(state: RequestState<L>): boolean {
    const length = state.sequence?.length ?? 0;
    if (length < state.promptTokens) return false;
    return this.#options.memory.decodesAlone || state.missingTokens === 1;
  }

  #candidate(state: RequestState<L>) {
    this.#adoptCached(state);
    const alone = this.#options.memory.decodesAlone;
    return {
      state,
      position: state.sequence?.length ?? 0,
      end: alone ? state.promptTokens : state.knownTokens,
      segmentAt: (position: number) => state.segmentAt(position),
    };
  }

  #piece(
    state: RequestState<L>,
    kind: StepPiece<L>['kind'],
    from: number,
    count: number,
  ): StepPiece<L> {
    const { sequence } = state;
    if (sequence === undefined) throw new Error('a running request has no sequence');
    const wantsLogits = from + count === state.knownTokens;
    return { state, kind, sequence, from, tokens: state.tokens(from, from + count), wantsLogits };
  }

  /** What others have computed in the meantime need not be computed again. */
  #adoptCached(state: RequestState<L>): void {
    const { sequence } = state;
    while (sequence && sequence.cachedSegments < state.reusableSegments) {
      if (!sequence.adopt(state.segmentKey(sequence.cachedSegments))) return;
      if (!state.prefilled) state.heldTokens += this.#options.segmentTokens;
    }
  }

  #place(state: RequestState<L>): boolean {
    const sequence = this.#options.memory.open();
    if (sequence === undefined) return false;
    state.sequence = sequence;
    this.#adoptCached(state);
    const most = state.promptTokens + state.request.maxOutputTokens;
    if (sequence.reserve(Math.min(state.knownTokens + GROWTH_TOKENS, most))) return true;
    sequence.release();
    state.restart();
    return false;
  }

  /** Cells for one more token, if need be from the youngest request. */
  #grow(state: RequestState<L>): boolean {
    for (;;) {
      const { sequence } = state;
      if (state.phase !== 'computing' || sequence === undefined) return false;
      const next = sequence.length + 1;
      if (sequence.reserve(next)) return true;
      const youngest = this.#computing().at(-1);
      if (youngest === undefined) return false;
      this.#preempt(youngest);
    }
  }

  #preempt(state: RequestState<L>): void {
    state.sequence?.release();
    state.restart();
    this.#running.delete(state);
    this.#waiting.unshift(state);
    this.#mayAdmit = true;
  }
}
