import type { PageStore } from '@baton/tier-store';
import type {
  PullQuery,
  SegmentSource,
  SourcePage,
  SourceRefusal,
  SourceStream,
  SourceTail,
} from '@baton/transfer-engines';
import type { ChangeSignal } from '../core/change-signal.ts';
import type { Handover, HandoverBook } from '../core/handover-book.ts';
import { hexKeys } from '../core/packed-keys.ts';
import type { HbmExports } from './hbm-exports.ts';

export interface AgentSourceOptions {
  pages: PageStore;
  handovers: HandoverBook;
  exports: HbmExports;
  changes: ChangeSignal;
  now(): number;
}

const notHeld: SourceRefusal = { code: 'segment_not_found', message: 'not held, not expected' };
const isClosed: SourceRefusal = { code: 'transfer_cancelled', message: 'the stream is closed' };
const tooLate: SourceRefusal = { code: 'deadline_exceeded', message: 'waited in vain' };
const overPlan: SourceRefusal = { code: 'unknown_plan', message: 'the plan is over' };
const cancelled: SourceRefusal = { code: 'transfer_cancelled', message: 'the plan was cancelled' };

/** What others may pull from this agent: held segments, those a prefill delivers, those in the engine's cache. */
export class AgentSource implements SegmentSource {
  readonly #options: AgentSourceOptions;
  #streams = 0;

  constructor(options: AgentSourceOptions) {
    this.#options = options;
  }

  open(query: PullQuery): SourceStream | SourceRefusal {
    const { handovers, now } = this.#options;
    const handover = query.wait ? handovers.join(query.planId, now()) : undefined;
    if (query.withTail && !handover) {
      return handovers.isCancelled(query.planId) ? cancelled : overPlan;
    }
    this.#streams += 1;
    const owner = `send/${query.transferId}/${this.#streams}`;
    return new Stream(this.#options, query, owner, handover);
  }
}

class Stream implements SourceStream {
  readonly #options: AgentSourceOptions;
  readonly #keys: string[];
  readonly #owner: string;
  readonly #handover: Handover | undefined;
  readonly #deadlineMs: number;
  /** Keys that the engine was asked for on behalf of this stream: once is enough. */
  readonly #asked = new Set<string>();
  #isClosed = false;
  #tail: 'due' | 'given' | 'taken' = 'due';

  constructor(
    options: AgentSourceOptions,
    query: PullQuery,
    owner: string,
    handover: Handover | undefined,
  ) {
    this.#options = options;
    this.#keys = hexKeys(query.keys);
    this.#owner = owner;
    this.#handover = handover;
    this.#deadlineMs = options.now() + query.timeoutMs;
  }

  segment(index: number): Promise<SourcePage | SourceRefusal> {
    return this.#wait(() => this.#findSegment(index));
  }

  tail(): Promise<SourceTail | SourceRefusal> {
    return this.#wait(() => this.#findTail());
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // A tail that is still on its way out decides whether the handover is complete.
    if (this.#tail !== 'given') this.#leave();
    this.#options.changes.notify();
  }

  #leave(): void {
    const { handovers, now } = this.#options;
    if (this.#handover) handovers.leave(this.#handover, this.#tail === 'taken', now());
  }

  async #wait<T>(find: () => T | SourceRefusal | undefined): Promise<T | SourceRefusal> {
    for (;;) {
      if (this.#isClosed) return isClosed;
      const found = find();
      if (found) return found;
      if (this.#options.now() >= this.#deadlineMs) return tooLate;
      await this.#options.changes.next();
    }
  }

  #findSegment(index: number): SourcePage | SourceRefusal | undefined {
    const { pages, exports } = this.#options;
    const key = this.#keys[index] ?? '';
    const page = pages.find(key);
    if (page !== undefined) return this.#held(page);
    if (exports.isAwaited(key)) return undefined;
    const handover = this.#handover;
    if (handover?.failure) return handover.failure;
    if (handover && (!handover.isAnnounced || handover.expected.has(key))) return undefined;
    if (this.#asked.has(key)) return notHeld;
    for (const wanted of this.#keys.slice(index)) this.#asked.add(wanted);
    exports.want(this.#keys.slice(index));
    return exports.isAwaited(key) ? undefined : notHeld;
  }

  #held(page: number): SourcePage | undefined {
    const { pages } = this.#options;
    const payload = pages.payload(page);
    if (!payload || !pages.hold(page, this.#owner)) return undefined;
    return { page, ...payload, release: () => void pages.release(page, this.#owner) };
  }

  #findTail(): SourceTail | SourceRefusal | undefined {
    const handover = this.#handover;
    if (handover?.failure) return handover.failure;
    const tail = handover?.tail;
    if (!tail) return undefined;
    const { pages } = this.#options;
    const { page, bytes, checksum, state } = tail;
    if (page !== undefined && !pages.hold(page, this.#owner)) return notHeld;
    const release = (): void => {
      if (page !== undefined) pages.release(page, this.#owner);
      this.#tail = 'taken';
      if (this.#isClosed) this.#leave();
    };
    this.#tail = 'given';
    return { page: page ?? 0, bytes, checksum, state, release };
  }
}
