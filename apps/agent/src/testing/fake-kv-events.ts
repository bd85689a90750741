import {
  encodeEventBatch,
  encodeEventSeq,
  readEventSeq,
  REPLAY_END_SEQ,
} from '@baton/engine-protocols';
import type { CacheEvent } from '@baton/engine-protocols';
import { Publisher, Router } from 'zeromq';

/** KV events as an engine publishes them, with the replay of all that were. */
export class FakeKvEvents {
  readonly #publisher = new Publisher({ linger: 0 });
  readonly #router = new Router({ linger: 0 });
  readonly #published: Uint8Array[] = [];

  static async open(): Promise<FakeKvEvents> {
    const events = new FakeKvEvents();
    await events.#publisher.bind('tcp://127.0.0.1:*');
    await events.#router.bind('tcp://127.0.0.1:*');
    void events.#answerReplays();
    return events;
  }

  get endpoints(): { eventsEndpoint: string; replayEndpoint: string } {
    return {
      eventsEndpoint: this.#publisher.lastEndpoint ?? '',
      replayEndpoint: this.#router.lastEndpoint ?? '',
    };
  }

  async publish(event: CacheEvent): Promise<void> {
    const payload = encodeEventBatch(Date.now() / 1000, [event], 0);
    this.#published.push(payload);
    await this.#publisher.send(['', encodeEventSeq(this.#published.length - 1), payload]);
  }

  close(): void {
    this.#publisher.close();
    this.#router.close();
  }

  async #answerReplays(): Promise<void> {
    try {
      for await (const [peer, , from] of this.#router) {
        if (!peer || !from) continue;
        for (let seq = readEventSeq(from) ?? 0; seq < this.#published.length; seq += 1) {
          const payload = this.#published[seq] ?? new Uint8Array();
          await this.#router.send([peer, '', '', encodeEventSeq(seq), payload]);
        }
        await this.#router.send([peer, '', '', REPLAY_END_SEQ, '']);
      }
    } catch {
      // Closed.
    }
  }
}
