import { encodeEventBatch, encodeEventSeq, REPLAY_END_SEQ } from '@baton/engine-protocols';
import { eventsOf } from '@baton/engine-protocols/testing';
import { eventually } from '@baton/test-kit';
import { afterEach, expect, test } from 'vitest';
import { Publisher, Router } from 'zeromq';
import { subscribeKvEvents } from './kv-event-subscriber.ts';
import type { KvEventSubscriber } from './kv-event-subscriber.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** An engine's publisher that can be made to lose what it sends. */
class FakePublisher {
  readonly #publisher = new Publisher({ linger: 0 });
  readonly #router = new Router({ linger: 0 });
  buffer: { seq: number; payload: Uint8Array }[] = [];
  replayFrames: 3 | 4 = 4;
  isDeaf = false;
  questions: number[] = [];
  next = 0;

  static async open(): Promise<FakePublisher> {
    const opened = new FakePublisher();
    await opened.#publisher.bind('tcp://127.0.0.1:*');
    await opened.#router.bind('tcp://127.0.0.1:*');
    const answering = opened.#answer();
    closers.push(async () => {
      opened.#publisher.close();
      opened.#router.close();
      await answering;
    });
    return opened;
  }

  get endpoints() {
    const eventsEndpoint = this.#publisher.lastEndpoint ?? '';
    return { eventsEndpoint, replayEndpoint: this.#router.lastEndpoint ?? undefined };
  }

  /** A batch with one removal, whose hash tells which one it is. */
  async publish(mark: number, how: { lose?: boolean; raw?: Uint8Array } = {}): Promise<void> {
    const seq = this.next;
    this.next += 1;
    const blockHash = Uint8Array.of(mark >> 8, mark & 255);
    const batch = encodeEventBatch(Date.now() / 1000, [{ type: 'BlockRemoved', blockHash }], 0);
    const payload = how.raw ?? batch;
    this.buffer.push({ seq, payload });
    if (!how.lose) await this.#publisher.send(['', encodeEventSeq(seq), payload]);
  }

  async sendFrames(frames: Uint8Array[]): Promise<void> {
    await this.#publisher.send(frames);
  }

  restart(): void {
    this.buffer = [];
    this.next = 0;
  }

  async #answer(): Promise<void> {
    try {
      for await (const [peer, , from] of this.#router) {
        if (!peer || !from) continue;
        const start = Number(from.readBigUInt64BE());
        this.questions.push(start);
        if (this.isDeaf) continue;
        const topic = this.replayFrames === 4 ? [''] : [];
        for (const { seq, payload } of this.buffer.filter((entry) => entry.seq >= start)) {
          await this.#router.send([peer, '', ...topic, encodeEventSeq(seq), payload]);
        }
        await this.#router.send([peer, '', ...topic, REPLAY_END_SEQ, '']);
      }
    } catch {
      // Closed.
    }
  }
}

/** Follows a publisher and writes down what it hears. */
function follow(publisher: FakePublisher, how: { replay?: boolean; catchUpMs?: number } = {}) {
  const heard: (number | 'restart' | 'gap')[] = [];
  const { eventsEndpoint, replayEndpoint } = publisher.endpoints;
  const subscriber: KvEventSubscriber = subscribeKvEvents({
    eventsEndpoint,
    replayEndpoint: how.replay === false ? undefined : replayEndpoint,
    onBatch(batch) {
      for (const event of eventsOf(batch)) {
        if (event.type === 'removed') heard.push(Number.parseInt(event.hashes[0]!.slice(1), 16));
      }
    },
    onReset: (reason) => void heard.push(reason),
    replayTimeoutMs: 200,
    catchUpMs: how.catchUpMs ?? 20,
  });
  closers.push(() => subscriber.close());
  return { heard, subscriber };
}

/** Publishes until the live subscription works; the marks used come from `marks`. */
async function live(publisher: FakePublisher, heard: unknown[]): Promise<void> {
  await eventually(() => heard.length === publisher.next);
}

const upTo = (count: number) => [...Array(count).keys()];

test.each([3, 4] as const)('what came before, then what comes, in %d frames', async (frames) => {
  const publisher = await FakePublisher.open();
  publisher.replayFrames = frames;
  for (let mark = 0; mark < 5; mark += 1) await publisher.publish(mark);
  const { heard, subscriber } = follow(publisher);
  await live(publisher, heard);
  for (let mark = 5; mark < 50; mark += 1) await publisher.publish(mark);
  await live(publisher, heard);
  expect(heard).toEqual(upTo(50));
  expect(subscriber.counters).toMatchObject({ batches: 50, resets: 0, decodeFailures: 0 });
});

test('a lost batch is asked for, and order is kept', async () => {
  const publisher = await FakePublisher.open();
  const { heard, subscriber } = follow(publisher, { catchUpMs: 30 });
  for (let mark = 0; mark < 300; mark += 1) {
    await publisher.publish(mark, { lose: mark % 7 === 3 || mark > 290 });
    if (mark % 20 === 0) await live(publisher, heard);
  }
  await live(publisher, heard);
  expect(heard).toEqual(upTo(300));
  expect(subscriber.counters.replayed).toBeGreaterThan(30);
  expect(subscriber.counters.resets).toBe(0);
});

test('the loss of the very last batch is found without another one', async () => {
  const publisher = await FakePublisher.open();
  const { heard } = follow(publisher);
  await publisher.publish(0);
  await live(publisher, heard);
  await publisher.publish(1, { lose: true });
  await live(publisher, heard);
  expect(heard).toEqual([0, 1]);
});

test('an engine that counts from 0 again: everything is forgotten, the new beginning counts', async () => {
  const publisher = await FakePublisher.open();
  const { heard, subscriber } = follow(publisher);
  for (let mark = 0; mark < 10; mark += 1) await publisher.publish(mark);
  await live(publisher, heard);
  publisher.restart();
  // The first batches of the new life are missed.
  for (let mark = 100; mark < 105; mark += 1) await publisher.publish(mark, { lose: mark < 103 });
  await eventually(() => heard.length === 16);
  expect(heard).toEqual([...upTo(10), 'restart', 100, 101, 102, 103, 104]);
  expect(subscriber.counters.resets).toBe(1);
});

test('what is beyond the buffer is lost: from there it starts over', async () => {
  const publisher = await FakePublisher.open();
  const { heard, subscriber } = follow(publisher, { catchUpMs: 60_000 });
  await publisher.publish(0);
  await eventually(() => publisher.questions.length > 0);
  await live(publisher, heard).catch(() => undefined);
  for (let mark = 1; mark < 6; mark += 1) await publisher.publish(mark, { lose: true });
  publisher.buffer = publisher.buffer.slice(4);
  // Live again; repeated until the subscription is there.
  await publisher.publish(6);
  await eventually(() => heard.at(-1) === 6);
  expect(heard.slice(-4)).toEqual(['gap', 4, 5, 6]);
  expect(subscriber.counters.gaps).toBeGreaterThan(0);
});

test('without replay a gap means that everything before is unknown', async () => {
  const publisher = await FakePublisher.open();
  const { heard } = follow(publisher, { replay: false });
  await eventually(() => {
    void publisher.publish(1);
    return heard.length > 3;
  });
  const before = heard.length;
  await publisher.publish(8, { lose: true });
  await publisher.publish(9);
  await eventually(() => heard.length > before && heard.at(-1) === 9);
  expect(heard.slice(-2)).toEqual(['gap', 9]);
});

test('an engine that does not answer replays is followed as far as it goes', async () => {
  const publisher = await FakePublisher.open();
  publisher.isDeaf = true;
  const { heard } = follow(publisher);
  await publisher.publish(0);
  await eventually(() => {
    void publisher.publish(7);
    return heard.includes(7);
  });
  publisher.isDeaf = false;
  await publisher.publish(8, { lose: true });
  await eventually(() => heard.at(-1) === 8);
});

test('garbage is counted, and what is right is heard', async () => {
  const publisher = await FakePublisher.open();
  const { heard, subscriber } = follow(publisher);
  await publisher.publish(0);
  await live(publisher, heard);
  await publisher.publish(0, { raw: Uint8Array.of(0xc1) });
  await publisher.sendFrames([Buffer.from(''), Buffer.from('short'), Buffer.from('')]);
  await publisher.sendFrames([Buffer.from('only one')]);
  await publisher.publish(1);
  await eventually(() => heard.length === 2);
  expect(heard).toEqual([0, 1]);
  await eventually(() => subscriber.counters.decodeFailures === 3);
});
