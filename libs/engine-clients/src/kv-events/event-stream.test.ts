import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventStream, REPLAY_ATTEMPTS } from './event-stream.ts';
import type { ResetReason } from './event-stream.ts';

interface Batch {
  life: number;
  seq: number;
}

const payloadOf = ({ life, seq }: Batch): Uint8Array => Buffer.from(`${life}/${seq}`);

/** An engine, the way from it, and whoever listens at the end of the stream. */
class Bench {
  readonly stream: EventStream;
  /** What whoever listens knows: everything since the last reset. */
  known: string[] = [];
  readonly resets: ResetReason[] = [];
  confirmations = 0;
  life = 0;
  /** Of the engine's present life. */
  published: Batch[] = [];
  readonly #bufferSteps: number;
  /** Batches on their way. */
  onWay: Batch[] = [];
  /** Answers that are still to come to a question. */
  answer: Batch[] | undefined;
  askedFrom: number[] = [];
  unansweredInRow = 0;
  onDeliver: () => void = () => undefined;

  constructor(how: { canReplay?: boolean; bufferSteps?: number; maxWaiting?: number } = {}) {
    this.#bufferSteps = how.bufferSteps ?? Infinity;
    this.stream = new EventStream({
      canReplay: how.canReplay ?? true,
      ...(how.maxWaiting === undefined ? {} : { maxWaiting: how.maxWaiting }),
      port: {
        deliver: (_seq, payload) => {
          this.known.push(Buffer.from(payload).toString());
          this.onDeliver();
        },
        reset: (reason) => {
          this.known = [];
          this.resets.push(reason);
        },
        ask: (from) => {
          this.askedFrom.push(from);
          this.answer = this.buffer.filter(({ seq }) => seq >= from);
        },
        confirmed: () => void (this.confirmations += 1),
      },
    });
  }

  get buffer(): Batch[] {
    return this.published.slice(-this.#bufferSteps);
  }

  publish(isLost = false): void {
    const batch = { life: this.life, seq: this.published.length };
    this.published.push(batch);
    if (!isLost) this.onWay.push(batch);
  }

  arrive(count = 1): void {
    for (const batch of this.onWay.splice(0, count)) this.stream.live(batch.seq, payloadOf(batch));
  }

  restart(): void {
    this.life += 1;
    this.published = [];
    this.onWay = [];
    if (this.answer) this.answerEnds(false);
  }

  answerSome(count: number): void {
    for (const batch of this.answer?.splice(0, count) ?? []) {
      this.stream.replayed(batch.seq, payloadOf(batch));
    }
  }

  answerEnds(isComplete: boolean): void {
    if (!this.answer) return;
    this.unansweredInRow = isComplete ? 0 : this.unansweredInRow + 1;
    if (isComplete) this.answerSome(Infinity);
    this.answer = undefined;
    this.stream.replayEnded(isComplete);
  }

  /** Nothing is lost any more, everything is answered. */
  settle(): void {
    this.arrive(Infinity);
    for (let i = 0; i < 4; i += 1) {
      this.#answerAll();
      this.stream.check();
    }
    this.#answerAll();
  }

  #answerAll(): void {
    for (let asked = 0; this.answer; asked += 1) {
      if (asked > 100) throw new Error('it asks without end');
      this.answerEnds(true);
    }
  }

  expectAll(from = 0): void {
    const wanted = this.published.slice(from).map((batch) => `${batch.life}/${batch.seq}`);
    expect(this.known).toEqual(wanted);
  }
}

function followed(batches: number, how: ConstructorParameters<typeof Bench>[0] = {}): Bench {
  const bench = new Bench(how);
  bench.stream.connected();
  for (let i = 0; i < batches; i += 1) bench.publish();
  bench.settle();
  return bench;
}

test('what was published before comes first, then what comes', () => {
  const bench = new Bench();
  for (let i = 0; i < 5; i += 1) bench.publish(true);
  bench.publish();
  bench.stream.connected();
  bench.publish();
  bench.settle();
  bench.expectAll();
  expect(bench.stream.counters).toMatchObject({
    batches: 7,
    replayed: 6,
    repeated: 1,
    resets: 0,
  });
});

test('failure 14, a lost batch: it is asked for, with the last known one as a proof', () => {
  const bench = followed(3);
  bench.askedFrom = [];
  bench.publish(true);
  bench.publish();
  bench.arrive();
  expect(bench.askedFrom).toEqual([2]);
  bench.settle();
  bench.expectAll();
  expect(bench.stream.counters).toMatchObject({ gaps: 1, resets: 0 });
});

test('failure 14, the last batch lost: a silence is enough to find it', () => {
  const bench = followed(3);
  bench.publish(true);
  bench.settle();
  bench.expectAll();
});

test('failure 14, a batch twice, now and later: it counts once', () => {
  const bench = followed(0);
  for (let i = 0; i < 50; i += 1) {
    bench.publish();
    bench.onWay.push(...bench.onWay.slice(-1), ...bench.published.slice(i >> 1, (i >> 1) + 1));
    bench.arrive(Infinity);
  }
  bench.settle();
  bench.expectAll();
  expect(bench.stream.counters.repeated).toBe(100);
  expect(bench.resets).toEqual([]);
});

test('failure 10, numbers that go back: a new life of the engine, even when its first batches are missed', () => {
  for (const missed of [0, 1, 7, 20]) {
    const bench = followed(10);
    // The connection does not show it, e.g. behind a proxy.
    bench.life += 1;
    bench.published = [];
    for (let i = 0; i <= missed; i += 1) bench.publish(i < missed);
    bench.settle();
    bench.expectAll();
    expect(bench.resets).toEqual(['restart']);
  }
});

test('failure 10, a new life that has come further than the old one is no continuation', () => {
  const bench = followed(3);
  bench.restart();
  for (let i = 0; i < 9; i += 1) bench.publish(i < 8);
  bench.stream.connected();
  bench.settle();
  bench.expectAll();
  expect(bench.resets).toEqual(['restart']);
});

test('failure 10, a new life that has nothing to say yet: what was is forgotten at once', () => {
  const bench = followed(3);
  bench.restart();
  bench.stream.connected();
  bench.settle();
  expect(bench.known).toEqual([]);
  expect(bench.resets).toEqual(['restart']);
});

test('what is beyond the buffer is lost: it starts over with what the buffer has', () => {
  const bench = followed(3, { bufferSteps: 4 });
  for (let i = 0; i < 9; i += 1) bench.publish(i < 8);
  bench.settle();
  bench.expectAll(8);
  expect(bench.resets).toEqual(['gap']);
});

test('a buffer that begins just after the last known batch proves nothing', () => {
  const bench = followed(3, { bufferSteps: 4 });
  bench.restart();
  for (let i = 0; i < 7; i += 1) bench.publish(true);
  bench.stream.connected();
  bench.settle();
  bench.expectAll(3);
  expect(bench.resets).toEqual(['gap']);
});

test('a question that is not answered is put again, and at last given up', () => {
  const bench = followed(2);
  bench.publish(true);
  bench.publish();
  bench.arrive();
  for (let i = 0; i < REPLAY_ATTEMPTS; i += 1) {
    expect(bench.known).toHaveLength(2);
    bench.answerEnds(false);
  }
  expect(bench.known).toEqual(['0/3']);
  expect(bench.resets).toEqual(['gap']);
  // Once given up is not given up for ever.
  bench.publish(true);
  bench.publish();
  bench.settle();
  expect(bench.known).toEqual(['0/3', '0/4', '0/5']);
});

test('without replay a gap, and a connection that was lost, mean that everything is unknown', () => {
  const bench = new Bench({ canReplay: false });
  bench.stream.connected();
  for (const isLost of [false, false, true, false]) {
    bench.publish(isLost);
    bench.arrive();
  }
  expect(bench.known).toEqual(['0/3']);
  bench.stream.connected();
  bench.publish();
  bench.arrive();
  expect(bench.known).toEqual(['0/4']);
  expect(bench.resets).toEqual(['gap', 'gap']);
  bench.restart();
  bench.stream.connected();
  bench.publish();
  bench.arrive();
  expect(bench.known).toEqual(['1/0']);
  expect(bench.resets).toEqual(['gap', 'gap', 'restart']);
});

test('what is remembered from an earlier life of this process: only the gap is asked for', () => {
  const bench = followed(6);
  const later = new Bench();
  later.published = bench.published;
  later.known = ['0/0', '0/1', '0/2', '0/3'];
  later.stream.resumeAfter(3, followed(4).stream.lastDigest);
  later.stream.connected();
  expect(later.confirmations).toBe(0);
  later.answerSome(1);
  expect(later.confirmations).toBe(1);
  later.settle();
  later.expectAll();
  expect(later.askedFrom[0]).toBe(3);
  expect(later.stream.counters).toMatchObject({ batches: 2, replayed: 2, resets: 0 });
});

test('a remembered batch that the engine says otherwise is of another life', () => {
  const later = followed(0);
  later.publish(true);
  later.publish(true);
  later.known = ['old'];
  later.stream.resumeAfter(1, 4711);
  later.stream.connected();
  later.settle();
  later.expectAll();
  expect(later.resets).toEqual(['restart']);
});

test('while it is held nothing is delivered, and nothing is lost', () => {
  const bench = followed(2);
  expect(bench.stream.hold()).toBe(true);
  expect(bench.stream.hold()).toBe(false);
  bench.publish();
  bench.publish(true);
  bench.publish();
  bench.arrive(Infinity);
  bench.stream.check();
  expect(bench.known).toHaveLength(2);
  expect(bench.stream.release()).toBe(true);
  bench.settle();
  bench.expectAll();
});

test('what waited while it was held is delivered some at a time, and in order with what comes meanwhile', () => {
  const bench = followed(2);
  expect(bench.stream.hold()).toBe(true);
  for (let i = 0; i < 5; i += 1) bench.publish();
  bench.arrive(Infinity);
  expect(bench.stream.release(2)).toBe(false);
  expect(bench.known).toHaveLength(4);
  bench.publish();
  bench.arrive();
  expect(bench.known).toHaveLength(4);
  expect(bench.stream.release(3)).toBe(false);
  expect(bench.stream.release(3)).toBe(true);
  bench.publish();
  bench.arrive();
  bench.expectAll();
});

test('held again by whoever is delivered to: the one who released it has nothing more to do', () => {
  const bench = followed(2);
  bench.stream.hold();
  for (let i = 0; i < 3; i += 1) bench.publish();
  bench.arrive(Infinity);
  bench.onDeliver = () => void bench.stream.hold();
  expect(bench.stream.release(10)).toBe(true);
  expect(bench.known).toHaveLength(3);
  bench.onDeliver = () => undefined;
  expect(bench.stream.release()).toBe(true);
  bench.expectAll();
});

test('what waits is bounded; what had no room is asked for again', () => {
  const bench = followed(1, { maxWaiting: 3 });
  bench.publish(true);
  for (let i = 0; i < 10; i += 1) bench.publish();
  bench.arrive(Infinity);
  expect(bench.stream.counters.dropped).toBe(7);
  bench.answer = bench.answer?.slice(0, 2);
  bench.settle();
  bench.expectAll();
});

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ act: fc.constant('publish' as const), n: fc.nat(3) }) },
  { weight: 8, arbitrary: fc.record({ act: fc.constant('arrive' as const), n: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('answer' as const), n: fc.nat(4) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('answered' as const), n: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('lose' as const), n: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('repeat' as const), n: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('swap' as const), n: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('check' as const), n: fc.nat(0) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('reconnect' as const), n: fc.nat(0) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('restart' as const), n: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('hold' as const), n: fc.nat(0) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('release' as const), n: fc.nat(3) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function perform(bench: Bench, { act, n }: Step): void {
  const { onWay, stream } = bench;
  const at = onWay.length === 0 ? 0 : n % onWay.length;
  if (act === 'publish') for (let i = 0; i <= n; i += 1) bench.publish();
  else if (act === 'arrive') bench.arrive(n + 1);
  else if (act === 'answer') bench.answerSome(n);
  // Twice in a row at most: then it would give up.
  else if (act === 'answered') bench.answerEnds(n > 0 || bench.unansweredInRow > 0);
  else if (act === 'lose') onWay.splice(at, 1);
  else if (act === 'repeat') onWay.push(...onWay.slice(at, at + 1));
  else if (act === 'swap') onWay.splice(at, 0, ...onWay.splice(at + 1, 1));
  else if (act === 'check') stream.check();
  else if (act === 'hold') stream.hold();
  else if (act === 'release') stream.release(n + 1);
  else {
    if (act === 'restart') {
      bench.restart();
      for (let i = 0; i < n; i += 1) bench.publish(true);
    }
    bench.stream.connected();
  }
}

test('loss, repetition, reordering and restart at any step: after quiet everything is known, each once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
      const bench = new Bench();
      bench.stream.connected();
      for (const one of steps) {
        perform(bench, one);
        // At any time it is a piece of one life, without holes.
        const [first] = bench.known;
        const begin = Number(first?.split('/')[1] ?? 0);
        const life = first?.split('/')[0];
        expect(bench.known).toEqual(bench.known.map((_, i) => `${life}/${begin + i}`));
      }
      while (!bench.stream.release(1));
      bench.settle();
      bench.expectAll();
      expect(bench.stream.hold()).toBe(true);
      expect(bench.resets.filter((reason) => reason === 'restart').length).toBe(
        bench.stream.counters.restarts,
      );
    }),
    { numRuns: 800 },
  );
});

test('with a short buffer the end of what is known is the end of what was published', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
      const bench = new Bench({ bufferSteps: 2, maxWaiting: 4 });
      bench.stream.connected();
      for (const one of steps) perform(bench, one);
      while (!bench.stream.release(1));
      bench.settle();
      bench.expectAll(bench.published.length - bench.known.length);
      if (bench.published.length > 0) expect(bench.known.length).toBeGreaterThan(0);
    }),
    { numRuns: 800 },
  );
});
