import { Subscriber } from 'zeromq';
import { EventDecoder } from '@baton/engine-protocols';
import type { EventBatch } from '@baton/engine-protocols';
import { readSeq, ReplayClient } from './replay-client.ts';

export interface KvEventLog {
  warn(fields: object, message: string): void;
}

export interface KvEventSubscriberOptions {
  /** ZMQ PUB of the engine, e.g. `tcp://127.0.0.1:5557`. */
  eventsEndpoint: string;
  /** ZMQ ROUTER of the replay; without one a gap cannot be closed. */
  replayEndpoint: string | undefined;
  /** Batches in order, none twice; each for the time of the call. */
  onBatch(batch: EventBatch): void;
  /** What was told before is void: the engine has restarted, or batches are lost for good. */
  onReset(reason: 'restart' | 'gap'): void;
  log?: KvEventLog | undefined;
  /** Time for an answer to a replay request, ms. */
  replayTimeoutMs?: number;
  /** How often a quiet engine is asked whether something was missed, ms. */
  catchUpMs?: number;
}

export interface KvEventCounters {
  batches: number;
  /** Times that batches were missing when they were due, whether replay had them or not. */
  gaps: number;
  /** Batches that came by replay. */
  replayed: number;
  /** Times that everything had to be forgotten. */
  resets: number;
  /** Batches and single events that could not be read. */
  decodeFailures: number;
}

export interface KvEventSubscriber {
  readonly counters: Readonly<KvEventCounters>;
  close(): Promise<void>;
}

const REPLAY_TIMEOUT_MS = 2_000;
const CATCH_UP_MS = 1_000;
/** Live batches that wait while a replay runs; beyond it they are dropped and asked for again. */
const MAX_WAITING = 100_000;
const HIGH_WATER_MARK = 100_000;
/** Replayed batches of which a live copy may still be on its way. */
const MAX_REMEMBERED = 1_024;
const REPLAY_ATTEMPTS = 3;

interface Sequenced {
  seq: number;
  payload: Uint8Array;
}

/**
 * Follows an engine's KV events from its first one on: asks for what was published before it came, closes gaps by
 * replay, and notices a restart by a sequence that goes back. A quiet engine is asked now and then, since the loss of
 * the last batch shows by nothing else.
 */
export function subscribeKvEvents(options: KvEventSubscriberOptions): KvEventSubscriber {
  return new Following(options);
}

class Following implements KvEventSubscriber {
  readonly counters: KvEventCounters = {
    batches: 0,
    gaps: 0,
    replayed: 0,
    resets: 0,
    decodeFailures: 0,
  };
  readonly #options: KvEventSubscriberOptions;
  readonly #decoder = new EventDecoder();
  readonly #subscriber: Subscriber;
  readonly #receiving: Promise<void>;
  readonly #timer: NodeJS.Timeout;
  readonly #replays: ReplayClient | undefined;
  /** Sequence number of the batch that is due. */
  #next = 0;
  #waiting: Sequenced[] = [];
  /** What came by replay and may come once more, live. */
  readonly #replayed = new Map<number, Uint8Array>();
  #replaying: Promise<void> | undefined;
  #heardSinceCheck = false;
  #isClosed = false;

  constructor(options: KvEventSubscriberOptions) {
    this.#options = options;
    const timeoutMs = options.replayTimeoutMs ?? REPLAY_TIMEOUT_MS;
    this.#replays =
      options.replayEndpoint === undefined
        ? undefined
        : new ReplayClient(options.replayEndpoint, timeoutMs);
    this.#subscriber = new Subscriber({ receiveHighWaterMark: HIGH_WATER_MARK, linger: 0 });
    this.#subscriber.connect(options.eventsEndpoint);
    this.#subscriber.subscribe();
    this.#receiving = this.#receive();
    this.#timer = setInterval(() => this.#check(), options.catchUpMs ?? CATCH_UP_MS);
    this.#startReplay();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#subscriber.close();
    this.#replays?.close();
    await this.#receiving;
    await this.#replaying;
  }

  async #receive(): Promise<void> {
    try {
      for await (const frames of this.#subscriber) this.#message(frames);
    } catch (error) {
      if (!this.#isClosed) throw error;
    }
  }

  #message(frames: Buffer[]): void {
    const [, seqFrame, payload] = frames;
    const seq = frames.length === 3 ? readSeq(seqFrame) : undefined;
    if (seq === undefined || payload === undefined) {
      this.counters.decodeFailures += 1;
      return;
    }
    this.#heardSinceCheck = true;
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push({ seq, payload });
    if (!this.#replaying) this.#drain();
  }

  /** Takes what waits, as far as it is in order; a gap starts a replay, and the rest goes on waiting. */
  #drain(): void {
    let taken = 0;
    for (const batch of this.#waiting) {
      if (batch.seq < this.#next && !this.#isRepetition(batch)) this.#reset('restart', 0);
      if (batch.seq > this.#next) break;
      taken += 1;
      if (batch.seq === this.#next) this.#take(batch);
    }
    this.#waiting = this.#waiting.slice(taken);
    const [first] = this.#waiting;
    if (first) this.#gap(first.seq);
  }

  #isRepetition({ seq, payload }: Sequenced): boolean {
    const replayed = this.#replayed.get(seq);
    return replayed !== undefined && Buffer.compare(replayed, payload) === 0;
  }

  #gap(seenSeq: number): void {
    this.counters.gaps += 1;
    const fields = { event: 'kv_event_gap', expected: this.#next, seen: seenSeq };
    this.#options.log?.warn(fields, 'KV events are missing');
    this.#startReplay();
  }

  #take(batch: Sequenced): void {
    this.#next = batch.seq + 1;
    this.counters.batches += 1;
    const decoded = this.#decoder.decode(batch.payload);
    this.counters.decodeFailures += decoded ? decoded.skipped : 1;
    if (decoded) this.#options.onBatch(decoded);
  }

  #reset(reason: 'restart' | 'gap', next: number): void {
    this.counters.resets += 1;
    this.#next = next;
    this.#replayed.clear();
    this.#options.log?.warn({ event: 'kv_events_reset', reason, next }, 'KV events start over');
    this.#options.onReset(reason);
  }

  #check(): void {
    if (!this.#heardSinceCheck) this.#startReplay();
    this.#heardSinceCheck = false;
  }

  #startReplay(): void {
    if (this.#replaying || this.#isClosed) return;
    this.#replaying = this.#replay().then(() => {
      this.#replaying = undefined;
      if (this.#isClosed) return;
      this.#giveUpGap();
      this.#drain();
      this.#forgetOldReplays();
    });
  }

  async #replay(): Promise<void> {
    for (let attempt = 0; attempt < REPLAY_ATTEMPTS && !this.#isClosed; attempt += 1) {
      const isAnswered = await this.#replays?.ask(this.#next, (seq, payload) => {
        if (!this.#isClosed) this.#takeReplayed(seq, payload);
      });
      // Without a gap there is no hurry: the next check asks again.
      if (isAnswered !== false || !this.#hasGap()) return;
    }
  }

  #takeReplayed(seq: number | undefined, payload: Uint8Array): void {
    if (seq === undefined) {
      this.counters.decodeFailures += 1;
      return;
    }
    if (seq < this.#next) return;
    if (seq > this.#next) {
      this.counters.gaps += this.#next > 0 ? 1 : 0;
      this.#reset('gap', seq);
    }
    this.counters.replayed += 1;
    if (this.#replayed.size < MAX_WAITING) this.#replayed.set(seq, payload);
    this.#take({ seq, payload });
  }

  #hasGap(): boolean {
    return this.#waiting.some(({ seq }) => seq > this.#next);
  }

  /** What replay did not bring will not come any more: the engine's cache is unknown up to what waits. */
  #giveUpGap(): void {
    const first = this.#waiting.find(({ seq }) => seq >= this.#next);
    if (!first || first.seq === this.#next) return;
    this.#waiting = this.#waiting.filter(({ seq }) => seq >= first.seq);
    this.#reset('gap', first.seq);
  }

  #forgetOldReplays(): void {
    for (const seq of this.#replayed.keys()) {
      if (this.#replayed.size <= MAX_REMEMBERED) return;
      this.#replayed.delete(seq);
    }
  }
}
