import { encodeEventSeq, REPLAY_END_SEQ } from '@baton/engine-protocols';
import { Publisher, Router } from 'zeromq';
import { ReplayBuffer } from './replay-buffer.ts';

export interface EventPublisherOptions {
  /** ZMQ endpoint to bind, e.g. `tcp://127.0.0.1:*` for a free port. */
  endpoint: string;
  replayEndpoint: string;
  /** Batches that a replay can go back. */
  bufferSteps: number;
  /** Bytes of those batches. */
  bufferBytes: number;
  /** Messages that may wait for one slow subscriber before it loses some. */
  highWaterMark: number;
  topic?: string;
  /** Whether replies of a replay name the topic, as vLLM's do from 0.26 on. */
  replaysTopic?: boolean;
}

const SEQ_BYTES = 8;

/** The two sockets of an engine's KV events. */
export class EventPublisher {
  readonly #publisher: Publisher;
  readonly #router: Router;
  readonly #options: EventPublisherOptions;
  readonly #topic: string;
  readonly #replay: ReplayBuffer;
  #sending: Promise<void> = Promise.resolve();
  #nextSeq = 0;
  #answering: Promise<void> = Promise.resolve();

  private constructor(options: EventPublisherOptions) {
    this.#options = options;
    this.#topic = options.topic ?? '';
    this.#replay = new ReplayBuffer(options.bufferSteps, options.bufferBytes);
    const linger = 0;
    this.#publisher = new Publisher({ sendHighWaterMark: options.highWaterMark, linger });
    // A whole replay and its end marker fit.
    this.#router = new Router({ sendHighWaterMark: options.bufferSteps + 1, linger });
  }

  static async open(options: EventPublisherOptions): Promise<EventPublisher> {
    const opened = new EventPublisher(options);
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

  /**
   * Numbers a batch and sends it.
   *
   * @param times how often it is sent: 0 loses it on the way, as a full queue would; a replay has it all the same
   */
  publish(payload: Uint8Array, times = 1): void {
    const seq = this.#nextSeq;
    this.#nextSeq += 1;
    this.#replay.push({ seq, payload });
    const frames = [this.#topic, encodeEventSeq(seq), payload];
    // PUB never waits for a subscriber, so this chain is as short as one send.
    for (let sent = 0; sent < times; sent += 1) {
      this.#sending = this.#sending.then(() => this.#send(frames));
    }
  }

  async close(): Promise<void> {
    await this.#sending;
    this.#closeSockets();
    await this.#answering;
  }

  async #send(frames: (string | Uint8Array)[]): Promise<void> {
    if (!this.#publisher.closed) await this.#publisher.send(frames);
  }

  async #answerReplays(): Promise<void> {
    const topic = this.#options.replaysTopic === false ? [] : [this.#topic];
    const endTopic = topic.map(() => '');
    for await (const [identity, , start] of this.#router) {
      if (identity === undefined || start?.length !== SEQ_BYTES) continue;
      const from = Number(start.readBigUInt64BE());
      for (const { seq, payload } of this.#replay.from(from)) {
        await this.#reply([identity, '', ...topic, encodeEventSeq(seq), payload]);
      }
      await this.#reply([identity, '', ...endTopic, REPLAY_END_SEQ, '']);
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
