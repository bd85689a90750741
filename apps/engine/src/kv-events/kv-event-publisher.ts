import { encodeEventBatch, encodeEventSeq, REPLAY_END_SEQ } from '@baton/engine-protocols';
import type { CacheEvent } from '@baton/engine-protocols';
import { Publisher, Router } from 'zeromq';
import { ReplayBuffer } from './replay-buffer.ts';

export interface KvEventPublisherOptions {
  /** ZMQ endpoint to bind, e.g. `tcp://127.0.0.1:*` for a free port. */
  endpoint: string;
  replayEndpoint: string;
  /** Batches that a replay can go back. */
  bufferSteps: number;
  /** Bytes of those batches. */
  bufferBytes: number;
  /** Messages that may wait for one slow subscriber before it loses some. */
  highWaterMark: number;
  /** Wall clock, ms. */
  now: () => number;
}

const TOPIC = '';
const RANK = 0;
const SEQ_BYTES = 8;

/**
 * KV events as vLLM publishes them: three frames (topic, sequence, batch) on PUB, and the last batches again on a
 * ROUTER for whoever asks `["", sequence]`. Events added in one turn of the event loop make one batch.
 */
export class KvEventPublisher {
  readonly #publisher: Publisher;
  readonly #router: Router;
  readonly #options: KvEventPublisherOptions;
  readonly #replay: ReplayBuffer;
  #pending: CacheEvent[] = [];
  #flush: NodeJS.Immediate | undefined;
  #sending: Promise<void> = Promise.resolve();
  #nextSeq = 0;
  #answering: Promise<void> = Promise.resolve();

  private constructor(options: KvEventPublisherOptions) {
    this.#options = options;
    this.#replay = new ReplayBuffer(options.bufferSteps, options.bufferBytes);
    const linger = 0;
    this.#publisher = new Publisher({ sendHighWaterMark: options.highWaterMark, linger });
    // A whole replay and its end marker fit.
    this.#router = new Router({ sendHighWaterMark: options.bufferSteps + 1, linger });
  }

  static async open(options: KvEventPublisherOptions): Promise<KvEventPublisher> {
    const opened = new KvEventPublisher(options);
    try {
      await opened.#publisher.bind(options.endpoint);
      await opened.#router.bind(options.replayEndpoint);
    } catch (error) {
      opened.#closeSockets();
      throw error;
    }
    opened.#answering = opened.#answerReplays();
    return opened;
  }

  /** As bound, with the port that was free. */
  get endpoint(): string {
    return this.#publisher.lastEndpoint ?? this.#options.endpoint;
  }

  get replayEndpoint(): string {
    return this.#router.lastEndpoint ?? this.#options.replayEndpoint;
  }

  add(events: readonly CacheEvent[]): void {
    if (events.length === 0) return;
    this.#pending.push(...events);
    this.#flush ??= setImmediate(() => this.#publish());
  }

  async close(): Promise<void> {
    if (this.#flush) clearImmediate(this.#flush);
    this.#publish();
    await this.#sending;
    this.#closeSockets();
    await this.#answering;
  }

  #publish(): void {
    this.#flush = undefined;
    const events = this.#pending;
    if (events.length === 0) return;
    this.#pending = [];
    const seq = this.#nextSeq;
    this.#nextSeq += 1;
    const payload = encodeEventBatch(this.#options.now() / 1000, events, RANK);
    this.#replay.push({ seq, payload });
    const frames = [TOPIC, encodeEventSeq(seq), payload];
    // PUB never waits for a subscriber, so this chain is as short as one send.
    this.#sending = this.#sending.then(() => this.#send(frames));
  }

  async #send(frames: (string | Uint8Array)[]): Promise<void> {
    if (!this.#publisher.closed) await this.#publisher.send(frames);
  }

  async #answerReplays(): Promise<void> {
    for await (const [identity, , start] of this.#router) {
      if (identity === undefined || start?.length !== SEQ_BYTES) continue;
      const from = Number(start.readBigUInt64BE());
      for (const { seq, payload } of this.#replay.from(from)) {
        await this.#reply([identity, '', TOPIC, encodeEventSeq(seq), payload]);
      }
      await this.#reply([identity, '', TOPIC, REPLAY_END_SEQ, '']);
    }
  }

  async #reply(frames: (string | Uint8Array)[]): Promise<void> {
    if (!this.#router.closed) await this.#router.send(frames);
  }

  #closeSockets(): void {
    this.#publisher.close();
    this.#router.close();
  }
}
