import { encodeEventBatch } from '@baton/engine-protocols';
import type { CacheEvent } from '@baton/engine-protocols';
import { EventPublisher } from '@baton/kv-events';

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

const RANK = 0;

/** What the cache tells, as vLLM publishes it. Events added in one turn of the event loop make one batch. */
export class KvEventPublisher {
  readonly #publisher: EventPublisher;
  readonly #now: () => number;
  #pending: CacheEvent[] = [];
  #flush: NodeJS.Immediate | undefined;

  private constructor(publisher: EventPublisher, now: () => number) {
    this.#publisher = publisher;
    this.#now = now;
  }

  static async open({ now, ...options }: KvEventPublisherOptions): Promise<KvEventPublisher> {
    return new KvEventPublisher(await EventPublisher.open(options), now);
  }

  /** As bound, with the port that was free. */
  get endpoint(): string {
    return this.#publisher.endpoint;
  }

  get replayEndpoint(): string {
    return this.#publisher.replayEndpoint;
  }

  add(events: readonly CacheEvent[]): void {
    if (events.length === 0) return;
    this.#pending.push(...events);
    this.#flush ??= setImmediate(() => this.#publish());
  }

  async close(): Promise<void> {
    if (this.#flush) clearImmediate(this.#flush);
    this.#publish();
    await this.#publisher.close();
  }

  #publish(): void {
    this.#flush = undefined;
    const events = this.#pending;
    if (events.length === 0) return;
    this.#pending = [];
    this.#publisher.publish(encodeEventBatch(this.#now() / 1000, events, RANK));
  }
}
