import { readEventSeq } from '@baton/engine-protocols';
import { SpacedLines } from '@baton/service';
import { zmtpAddress } from '../zmtp/zmtp-endpoint.ts';
import { ZmtpLink } from '../zmtp/zmtp-link.ts';
import { EventStream } from './event-stream.ts';
import type { EventStreamCounters, ResetReason } from './event-stream.ts';
import type { KvEventLog } from './kv-event-log.ts';
import { ReplayClient } from './replay-client.ts';

/** Where one rank of an engine publishes its KV events. */
export interface KvEventSource {
  /** ZMQ PUB of the engine, e.g. `tcp://127.0.0.1:5557`; with `isBound` where we listen and it connects. */
  eventsEndpoint: string;
  /** ZMQ ROUTER of the replay, which the engine always binds; without one a gap cannot be closed. */
  replayEndpoint?: string | undefined;
  isBound?: boolean | undefined;
  /** Messages whose topic begins otherwise do not come. */
  topic?: string | undefined;
}

export interface KvEventSubscriberOptions extends KvEventSource {
  /** The next batch, each once and in order; the payload is valid during the call only. Empty: it was too large. */
  onBatch(seq: number, payload: Uint8Array, digest: number): void;
  /** What was told before is void: the engine has restarted, or batches are lost for good. */
  onReset(reason: ResetReason): void;
  /** The engine is the one that what was told before came from. */
  onConfirmed?(): void;
  /** Every `catchUpMs`. */
  onCheck?(): void;
  /** The last batch that was told in an earlier life of this process. */
  resumeAfter?: { seq: number; digest: number } | undefined;
  log?: KvEventLog | undefined;
  /** Silence that counts as no answer to a replay request, ms. */
  replayTimeoutMs?: number | undefined;
  /** How often a quiet engine is asked whether something was missed, ms. */
  catchUpMs?: number | undefined;
}

export interface KvEventCounters extends EventStreamCounters {
  /** Messages that are no batches: other frames, sequence numbers of another length, payloads that are too large. */
  unreadable: number;
}

export interface KvEventSubscriber {
  readonly counters: Readonly<KvEventCounters>;
  readonly stream: EventStream;
  /** Why nothing can come now; undefined while the engine can be heard. */
  readonly fault: string | undefined;
  close(): void;
}

const REPLAY_TIMEOUT_MS = 2_000;
const CATCH_UP_MS = 1_000;
const RESET_LINE_SPACING_MS = 10_000;
/** Longer payloads are passed over; a scheduler's step says far less. */
export const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;
const FRAMES = 3;
const EMPTY = new Uint8Array();

/** @throws BatonError config_invalid with a sentence that says what would be right. */
export function checkKvEventSource(source: KvEventSource): void {
  zmtpAddress(source.eventsEndpoint, source.isBound ?? false);
  if (source.replayEndpoint !== undefined) zmtpAddress(source.replayEndpoint, false);
}

/**
 * Follows a rank's KV events from its first one on: asks for what was published before it came, closes gaps by replay,
 * and notices a restart. A quiet engine is asked now and then, since the loss of the last batch shows by nothing else.
 * @throws BatonError config_invalid for an endpoint that is none.
 */
export function subscribeKvEvents(options: KvEventSubscriberOptions): KvEventSubscriber {
  return new Following(options);
}

class Following implements KvEventSubscriber {
  readonly stream: EventStream;
  readonly #options: KvEventSubscriberOptions;
  readonly #replays: ReplayClient | undefined;
  readonly #link: ZmtpLink;
  readonly #timer: NodeJS.Timeout;
  /** Numbers that do not grow are a reset with each batch. */
  readonly #resetLines = {
    restart: new SpacedLines(RESET_LINE_SPACING_MS),
    gap: new SpacedLines(RESET_LINE_SPACING_MS),
  };
  #fault: string | undefined = 'not connected yet';
  #unreadable = 0;

  constructor(options: KvEventSubscriberOptions) {
    checkKvEventSource(options);
    this.#options = options;
    const { eventsEndpoint, replayEndpoint, isBound, topic, resumeAfter } = options;
    this.stream = new EventStream({
      canReplay: replayEndpoint !== undefined,
      port: {
        deliver: (seq, payload, digest) => options.onBatch(seq, payload, digest),
        reset: (reason) => this.#reset(reason),
        confirmed: () => options.onConfirmed?.(),
        ask: (from) => this.#replays?.ask(from),
      },
    });
    if (resumeAfter) this.stream.resumeAfter(resumeAfter.seq, resumeAfter.digest);
    if (replayEndpoint !== undefined) this.#replays = this.#openReplays(replayEndpoint);
    this.#link = new ZmtpLink({
      type: 'SUB',
      endpoint: eventsEndpoint,
      isBound,
      topic,
      maxMessageBytes: MAX_PAYLOAD_BYTES,
      onUp: () => this.#connected(),
      onDown: (reason) => this.#lost(reason),
      onMessage: (frames) => this.#message(frames),
      onOversized: (frames) => this.#oversized(frames),
    });
    this.#timer = setInterval(() => this.#check(), options.catchUpMs ?? CATCH_UP_MS);
  }

  get counters(): KvEventCounters {
    return { ...this.stream.counters, unreadable: this.#unreadable };
  }

  get fault(): string | undefined {
    return this.#fault;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#link.close();
    this.#replays?.close();
  }

  #openReplays(endpoint: string): ReplayClient {
    return new ReplayClient({
      endpoint,
      timeoutMs: this.#options.replayTimeoutMs ?? REPLAY_TIMEOUT_MS,
      maxPayloadBytes: MAX_PAYLOAD_BYTES,
      onBatch: (seq, payload) => {
        if (seq === undefined) this.#unreadable += 1;
        else this.stream.replayed(seq, payload);
      },
      onEnd: (isComplete) => this.stream.replayEnded(isComplete),
    });
  }

  #check(): void {
    this.#options.onCheck?.();
    // Whoever cannot be heard is asked when it can be again.
    if (this.#fault === undefined) this.stream.check();
  }

  #connected(): void {
    const { eventsEndpoint, log } = this.#options;
    this.#fault = undefined;
    log?.info({ event: 'kv_events_connected', eventsEndpoint }, 'the KV events come');
    this.stream.connected();
  }

  #lost(reason: string): void {
    this.#fault = reason;
    this.#log('kv_events_lost', { reason }, 'the KV events do not come');
  }

  #message(frames: readonly Buffer[]): void {
    const seq = frames.length === FRAMES ? readEventSeq(frames[1]) : undefined;
    if (seq === undefined) this.#unreadable += 1;
    else this.stream.live(seq, frames[2] ?? EMPTY);
  }

  /** Its number counts, or it would be asked for without end. */
  #oversized(frames: readonly Buffer[]): void {
    this.#unreadable += 1;
    const seq = readEventSeq(frames[1]);
    if (seq !== undefined) this.stream.live(seq, EMPTY);
  }

  #reset(reason: ResetReason): void {
    const next = this.stream.next;
    this.#resetLines[reason].line((leftOut) => {
      this.#log('kv_events_reset', { reason, next, leftOut }, 'KV events start over');
    });
    this.#options.onReset(reason);
  }

  #log(event: string, fields: object, message: string): void {
    const { eventsEndpoint, log } = this.#options;
    log?.warn({ event, eventsEndpoint, ...fields }, message);
  }
}
