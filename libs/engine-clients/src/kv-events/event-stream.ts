import { crc32 } from 'node:zlib';
import { SeqDigests } from './seq-digests.ts';
import { WaitingBatches } from './waiting-batches.ts';
import type { WaitingBatch } from './waiting-batches.ts';

/** Why what was told before is void: the engine has restarted, or batches are lost for good. */
export type ResetReason = 'restart' | 'gap';

export interface EventStreamPort {
  /** The next batch, each once and in order; the payload is valid during the call only. */
  deliver(seq: number, payload: Uint8Array, digest: number): void;
  /** What was delivered before is void. */
  reset(reason: ResetReason): void;
  /** Asks for everything from this number on; the answer comes through `replayed` and `replayEnded`. */
  ask(from: number): void;
  /** The engine's present life is the one that what was delivered is from. */
  confirmed(): void;
}

export interface EventStreamCounters {
  /** Batches delivered. */
  batches: number;
  /** Times that batches were missing when they were due, whether replay had them or not. */
  gaps: number;
  /** Batches that came by replay. */
  replayed: number;
  /** Times that everything had to be forgotten. */
  resets: number;
  /** Those of `resets` that were restarts of the engine. */
  restarts: number;
  /** Batches that came again, e.g. by replay and live. */
  repeated: number;
  /** Batches for which there was no room while a replay ran; they are asked for again. */
  dropped: number;
}

export interface EventStreamOptions {
  canReplay: boolean;
  port: EventStreamPort;
  maxWaiting?: number;
}

/** Unanswered questions in a row before it goes on without what is missing. */
export const REPLAY_ATTEMPTS = 3;
const MAX_WAITING = 100_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * Order in an engine's KV events: batches as they come, live and by replay, become each batch once and in order, or a
 * reset. Nothing but a state machine: whoever drives it has the sockets and the clock.
 *
 * A replay is asked for from the last known batch on, that one included: when it comes back with other bytes, or does
 * not come back, the engine is not the one that was followed before. Numbers that go back mean the same.
 */
export class EventStream {
  readonly counters: EventStreamCounters = {
    batches: 0,
    gaps: 0,
    replayed: 0,
    resets: 0,
    restarts: 0,
    repeated: 0,
    dropped: 0,
  };
  readonly #port: EventStreamPort;
  readonly #canReplay: boolean;
  readonly #digests = new SeqDigests();
  readonly #waiting: WaitingBatches;
  /** Sequence number of the batch that is due. */
  #next = 0;
  /** False while the engine may be another one than the one that `next` is from. */
  #isConfirmed = false;
  #isAsking = false;
  #isHeld = false;
  /** Number of the batch that is to come back first in the present answer, as a proof; -1 for none. */
  #proof = -1;
  /** The rest of the present answer is of no use: the question is to be put again. */
  #mustAskAgain = false;
  /** So many batches waited when the present question was put. */
  #askedFor = 0;
  /** So many of the first batches that wait were there before the last question: what is missing between them is lost. */
  #hopeless = 0;
  /** So many of the first batches that wait came before the end of the last answer, which is newer than they are. */
  #outdated = 0;
  #failures = 0;
  #wasHeard = false;

  constructor(options: EventStreamOptions) {
    this.#port = options.port;
    this.#canReplay = options.canReplay;
    this.#waiting = new WaitingBatches(options.maxWaiting ?? MAX_WAITING, MAX_WAITING_BYTES);
  }

  /** Number of the batch that is due. */
  get next(): number {
    return this.#next;
  }

  /** CRC-32 of the batch before the one that is due; 0 when there is none. */
  get lastDigest(): number {
    return this.#digests.get(this.#next - 1) ?? 0;
  }

  /** Before anything else: what was delivered in an earlier life of this process ended with this batch. */
  resumeAfter(lastSeq: number, digest: number): void {
    this.#digests.set(lastSeq, digest);
    this.#next = lastSeq + 1;
  }

  /** The engine can be heard, for the first time or again. What was missed meanwhile nobody knows. */
  connected(): void {
    this.#isConfirmed = this.#next === 0 && !this.#canReplay;
    if (this.#isConfirmed) this.#port.confirmed();
    this.#failures = 0;
    this.#waiting.clear();
    this.#askedFor = 0;
    this.#outdated = 0;
    if (this.#isAsking) this.#mustAskAgain = true;
    else this.#ask();
  }

  live(seq: number, payload: Uint8Array): void {
    this.#wasHeard = true;
    if (this.#isOpen && seq === this.#next && this.#waiting.length === 0) {
      this.#deliver(seq, payload, crc32(payload));
      return;
    }
    if (!this.#waiting.push(seq, payload)) this.counters.dropped += 1;
    if (!this.#isAsking && !this.#isHeld) this.#drain();
  }

  /** To be called now and then: after a silence it asks, since the loss of the last batch shows by nothing else. */
  check(): void {
    if (!this.#wasHeard) this.#ask();
    this.#wasHeard = false;
  }

  replayed(seq: number, payload: Uint8Array): void {
    if (!this.#isAsking || this.#mustAskAgain || seq < Math.max(this.#proof, 0)) return;
    const proof = this.#proof;
    this.#proof = -1;
    if (seq === proof) {
      if (crc32(payload) === this.#digests.get(seq)) this.#confirm();
      else this.#restart();
      return;
    }
    if (seq < this.#next) return;
    if (proof >= 0 || seq > this.#next) {
      this.counters.gaps += 1;
      this.#reset('gap', seq);
    }
    this.#confirm();
    this.counters.replayed += 1;
    this.#deliver(seq, payload, crc32(payload));
  }

  /** The answer is complete, or there will be no more of it. */
  replayEnded(isComplete: boolean): void {
    if (!this.#isAsking) return;
    this.#isAsking = false;
    if (isComplete) this.#answered();
    else this.#unanswered();
  }

  /** Delivers nothing until {@link release}; false when this is no moment for it. */
  hold(): boolean {
    if (this.#isAsking || this.#isHeld || !this.#isConfirmed) return false;
    this.#isHeld = true;
    return true;
  }

  /**
   * Delivers so many of the batches that have come meanwhile. True when it goes on by itself from here; false when it is
   * to be called again, so that others may have a turn.
   */
  release(maxBatches = Infinity): boolean {
    if (!this.#isHeld) return true;
    this.#isHeld = false;
    if (!this.#isConfirmed) this.#ask();
    else this.#drain(maxBatches);
    // Whoever was delivered to holds it now, and will release it.
    if (this.#isHeld) return true;
    this.#isHeld = this.#waiting.length > 0 && !this.#isAsking;
    return !this.#isHeld;
  }

  get #isOpen(): boolean {
    return this.#isConfirmed && !this.#isAsking && !this.#isHeld;
  }

  #ask(): void {
    if (!this.#canReplay || this.#isAsking || this.#isHeld) return;
    this.#isAsking = true;
    this.#mustAskAgain = false;
    this.#proof = this.#next - 1;
    this.#askedFor = this.#waiting.length;
    this.#port.ask(Math.max(this.#proof, 0));
  }

  #answered(): void {
    this.#failures = 0;
    // Nothing as new as the last one known: an engine that has begun again.
    if (this.#proof >= 0 && !this.#mustAskAgain) this.#restart();
    if (this.#mustAskAgain) return this.#ask();
    this.#confirm();
    this.#hopeless = this.#askedFor;
    this.#outdated = this.#waiting.length;
    this.#drain();
  }

  #unanswered(): void {
    if (this.#mustAskAgain) return this.#ask();
    this.#failures += 1;
    if (this.#waiting.length === 0) return;
    if (this.#failures < REPLAY_ATTEMPTS) return this.#ask();
    this.#failures = 0;
    this.#hopeless = this.#waiting.length;
    this.#drain();
  }

  /** Takes what waits, as far as it is in order. */
  #drain(maxBatches = Infinity): void {
    for (let left = maxBatches; left > 0; left -= 1) {
      const seq = this.#waiting.firstSeq;
      // Whoever is delivered to may hold it.
      if (seq === undefined || this.#isHeld) return;
      if (!this.#isConfirmed && !this.#settle(seq)) return;
      if (seq === this.#next) this.#deliverFirst();
      else if (!(seq > this.#next ? this.#giveUp(seq) : this.#goBack(seq))) return;
    }
  }

  /** Decides, where no replay can, whether a batch that has come is from the engine that was followed. */
  #settle(seq: number): boolean {
    if (this.#canReplay && this.#hopeless === 0) {
      this.#ask();
      return false;
    }
    if (this.#next > 0) this.#reset(seq === 0 ? 'restart' : 'gap', seq);
    this.#confirm();
    return true;
  }

  #deliverFirst(): void {
    const { seq, payload, digest } = this.#shift();
    this.#deliver(seq, payload, digest);
  }

  #shift(): WaitingBatch {
    this.#hopeless = Math.max(this.#hopeless - 1, 0);
    this.#outdated = Math.max(this.#outdated - 1, 0);
    return this.#waiting.shift();
  }

  /** False when what is missing before this batch can still come. */
  #giveUp(seq: number): boolean {
    if (this.#canReplay && this.#hopeless === 0) {
      this.counters.gaps += 1;
      this.#ask();
      return false;
    }
    if (!this.#canReplay) this.counters.gaps += 1;
    this.#reset('gap', seq);
    return true;
  }

  /** A batch that was delivered, or the first one seen of a new life. False when the engine has to be asked which. */
  #goBack(seq: number): boolean {
    const known = this.#digests.get(seq);
    if (this.#outdated > 0 || known === this.#waiting.firstDigest) {
      this.counters.repeated += 1;
      this.#shift();
    } else if (known === undefined && this.#canReplay) {
      this.#ask();
      return false;
    } else {
      this.#restart();
    }
    return true;
  }

  #deliver(seq: number, payload: Uint8Array, digest: number): void {
    this.#digests.set(seq, digest);
    this.#next = seq + 1;
    this.counters.batches += 1;
    this.#port.deliver(seq, payload, digest);
  }

  #confirm(): void {
    if (this.#isConfirmed) return;
    this.#isConfirmed = true;
    this.#port.confirmed();
  }

  #restart(): void {
    this.#mustAskAgain = true;
    this.#hopeless = 0;
    this.#reset('restart', 0);
  }

  #reset(reason: ResetReason, next: number): void {
    this.counters.resets += 1;
    this.counters.restarts += reason === 'restart' ? 1 : 0;
    this.#next = next;
    if (reason === 'restart') this.#digests.clear();
    this.#port.reset(reason);
  }
}
