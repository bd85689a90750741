import { BatonError, unpackKeys } from '@baton/kv';
import type { ArenaPages } from './arena-pages.ts';
import type { HandoverState, InferenceCommand, InferenceEvent } from './inference-port.ts';
import type { KvMemory } from './kv-memory.ts';
import type { RequestState } from './request-state.ts';

type Command<T extends InferenceCommand['type']> = Extract<InferenceCommand, { type: T }>;
type Tail = NonNullable<Extract<InferenceEvent, { type: 'prefilled' }>['tail']>;

export interface HandoverOptions {
  pages: ArenaPages;
  emit: (event: InferenceEvent) => void;
  /** Told of each segment that was copied out of a page. */
  imported: (bytes: number, elapsedMs: number) => void;
  nowMs: () => number;
}

/** KV of one request on its way into and out of arena pages. */
export class Handover<L> {
  readonly #pages: ArenaPages;
  readonly #emit: (event: InferenceEvent) => void;
  readonly #imported: (bytes: number, elapsedMs: number) => void;
  readonly #nowMs: () => number;

  constructor({ pages, emit, imported, nowMs }: HandoverOptions) {
    this.#pages = pages;
    this.#emit = emit;
    this.#imported = imported;
    this.#nowMs = nowMs;
  }

  /** Takes a segment from a page, or from the cache when it came there meanwhile. @returns false when it is refused. */
  importSegment(state: RequestState<L>, command: Command<'importSegment'>): boolean {
    const { sequence, segmentTokens } = state;
    const { index } = command;
    if (sequence === undefined || state.phase !== 'loading') return false;
    if (sequence.length !== index * segmentTokens || index >= state.reusableSegments) return false;
    if (!sequence.adopt(state.segmentKey(index))) {
      const bytes = this.#pages.payload(command);
      if (bytes === undefined) return false;
      const startMs = this.#nowMs();
      if (sequence.import(bytes, sequence.length + segmentTokens) !== undefined) return false;
      this.#imported(bytes.length, this.#nowMs() - startMs);
    }
    state.importedTokens += segmentTokens;
    return true;
  }

  /** Takes the tail, after which the sequence stands where the other engine's stood. @returns why not, or undefined. */
  importTail(
    state: RequestState<L>,
    tail: { page: number; bytes: number; state: HandoverState },
  ): string | undefined {
    const { sequence, promptTokens, segmentTokens } = state;
    if (sequence === undefined) return 'the request is not running';
    const whole = state.promptSegments * segmentTokens;
    if (sequence.length !== whole) {
      return `only ${sequence.length} of ${whole} tokens of whole segments arrived`;
    }
    if (tail.state.promptTokens !== promptTokens || tail.state.outputTokens.length === 0) {
      return 'the state is not of this prompt';
    }
    if (whole < promptTokens) {
      const bytes = this.#pages.payload(tail);
      if (bytes === undefined) return 'the tail has no page';
      const fault = sequence.import(bytes, promptTokens);
      if (fault !== undefined) return fault;
    }
    state.importedTokens += promptTokens - whole;
    state.outputs.push(...tail.state.outputTokens);
    state.seed = tail.state.seed >>> 0;
    return undefined;
  }

  /** Counts once, and not after the arena has changed: the pages would be those of another one. */
  grant(state: RequestState<L>, command: Command<'granted'>): void {
    if (!state.exports || state.grantedPages !== undefined) return;
    state.grantedPages = new Map();
    for (const [i, page] of command.pages.entries()) {
      if (page !== undefined) state.grantedPages.set(command.firstSegment + i, page);
    }
    state.grantedTailPage = command.tailPage;
  }

  /** Without an arena nothing more leaves. */
  withdraw(state: RequestState<L>): void {
    if (!state.exports) return;
    state.grantedPages = new Map();
    state.grantedTailPage = undefined;
  }

  /** Sends every whole prompt segment that has a page, is computed and has not left yet. */
  exportSegments(state: RequestState<L>): void {
    const { sequence, segmentTokens, grantedPages } = state;
    if (sequence === undefined || grantedPages === undefined) return;
    const done = Math.min(Math.floor(sequence.length / segmentTokens), state.promptSegments);
    for (; state.nextExport < done; state.nextExport += 1) {
      const index = state.nextExport;
      const page = grantedPages.get(index);
      if (page === undefined) continue;
      const from = index * segmentTokens;
      const filled = this.#pages.fill(page, (memory) =>
        sequence.export(from, from + segmentTokens, memory),
      );
      if (filled === undefined) continue;
      const key = state.segmentKey(index);
      this.#emit({ type: 'exported', requestId: state.id, index, key, ...filled });
    }
  }

  /** The unfinished segment and the state; undefined when there is no page for it. */
  exportTail(state: RequestState<L>): Tail | undefined {
    const { sequence, promptTokens, segmentTokens, grantedTailPage } = state;
    if (sequence === undefined || !state.exports) return undefined;
    const handover: HandoverState = {
      promptTokens,
      outputTokens: Int32Array.from(state.outputs),
      seed: state.seed,
    };
    const whole = state.promptSegments * segmentTokens;
    if (whole === promptTokens) return { page: 0, bytes: 0, checksum: 0, state: handover };
    if (grantedTailPage === undefined) return undefined;
    const filled = this.#pages.fill(grantedTailPage, (memory) =>
      sequence.export(whole, promptTokens, memory),
    );
    return filled && { ...filled, state: handover };
  }

  /** Copies cached segments to pages, for others to pull. */
  exportCached(memory: KvMemory<L>, command: Command<'exportCached'>): void {
    const keys = unpackKeys(command.keys);
    if (keys.length !== command.pages.length) {
      throw new BatonError('invalid_request', 'exportCached: as many pages as keys are needed');
    }
    const segments = keys.flatMap((key, i) => {
      const filled = this.#pages.fill(command.pages[i] ?? -1, (page) =>
        page.length < memory.segmentBytes ? undefined : memory.exportCached(key, page),
      );
      return filled === undefined ? [] : [{ key, ...filled }];
    });
    this.#emit({ type: 'cachedExported', exportId: command.exportId, segments });
  }
}
