import { KEY_BYTES, keyAt, keyCount } from '@baton/kv';
import { baton } from '@baton/proto';
import type {
  PageMemory,
  Pull,
  PullListener,
  PullOrder,
  PullOutcome,
  SourceRefusal,
  TransferCounters,
} from '../transfer-engine.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { StreamFault } from './frame-receiver.ts';
import { encodeFrame, FrameType } from './frame.ts';
import type { TcpLimits } from './limits.ts';
import { MovingTime } from './moving-time.ts';
import type { PullConnection } from './pull-connection.ts';
import { StreamPull } from './stream-pull.ts';

export interface TcpPullContext {
  pool: ConnectionPool;
  memory: PageMemory;
  layout: string;
  limits: TcpLimits;
  counters: TransferCounters;
}

interface Stream {
  /** Positions in the order, in the order in which they come; the tail's is the number of keys. */
  positions: number[];
  keys: Uint8Array;
  pull: StreamPull;
  connection: PullConnection | undefined;
  heardAtMs: number;
  isReused: boolean;
}

interface Failure {
  code: string;
  message: string;
}

/** While a prefill computes, a pause longer than this is not the transfer's. */
const MAX_GAP_MS = 2;

const now = (): number => performance.now();

/**
 * One pull: its keys go round robin over the streams, the tail comes on the first one. When a stream fails at some
 * position, the others go on up to there, since what lies before it is usable; then everything ends.
 */
export class TcpPull implements Pull {
  readonly done: Promise<PullOutcome>;
  readonly #context: TcpPullContext;
  readonly #order: PullOrder;
  readonly #listener: PullListener;
  readonly #address: { host: string; port: number };
  readonly #streams: Stream[] = [];
  readonly #arrived: Uint8Array;
  readonly #startedAtMs = now();
  readonly #moving: MovingTime;
  readonly #resolve: (outcome: PullOutcome) => void;
  readonly #timers: NodeJS.Timeout[];
  #active = 0;
  #bytes = 0;
  #segments = 0;
  #hasTail = false;
  /** Nothing from this position on is of use any more. */
  #limit: number;
  #failure: Failure | undefined;
  #isCancelled = false;

  constructor(
    context: TcpPullContext,
    order: PullOrder,
    address: { host: string; port: number },
    listener: PullListener,
  ) {
    const { promise, resolve } = Promise.withResolvers<PullOutcome>();
    this.done = promise;
    this.#resolve = resolve;
    this.#context = context;
    this.#order = order;
    this.#address = address;
    this.#listener = listener;
    const count = keyCount(order.keys);
    this.#arrived = new Uint8Array(count);
    this.#moving = new MovingTime(order.wait ? MAX_GAP_MS : Infinity);
    this.#limit = count + 1;
    this.#timers = [
      setTimeout(
        () => this.#stop(0, 'deadline_exceeded', `not finished within ${order.timeoutMs} ms`),
        order.timeoutMs,
      ),
      setInterval(() => this.#checkStalls(), Math.max(context.limits.stallMs / 4, 5)),
    ];
    for (const positions of this.#shares(count)) this.#open(positions);
    if (this.#active === 0) this.#finish();
  }

  cancel(reason: string): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#stop(0, 'transfer_cancelled', reason);
  }

  #shares(count: number): number[][] {
    const { maxStreams, bytesPerStream } = this.#context.limits;
    const hasTail = this.#order.tailPage !== undefined;
    const wanted = Math.ceil((count * this.#context.memory.pageBytes) / bytesPerStream);
    const streams = Math.max(Math.min(wanted, maxStreams, count), hasTail ? 1 : 0);
    const shares = Array.from({ length: streams }, (): number[] => []);
    for (let i = 0; i < count; i += 1) shares[i % streams]?.push(i);
    if (hasTail) shares[0]?.push(count);
    return shares;
  }

  #open(positions: number[]): void {
    const { keys: orderKeys, pages, tailPage } = this.#order;
    const segments = positions.filter((position) => position < this.#arrived.length);
    const keys = new Uint8Array(segments.length * KEY_BYTES);
    segments.forEach((position, i) => keys.set(keyAt(orderKeys, position), i * KEY_BYTES));
    const share = {
      keys,
      spaces: segments.map((position) => this.#space(pages[position] ?? -1)),
      tailSpace:
        segments.length < positions.length && tailPage !== undefined
          ? this.#space(tailPage)
          : undefined,
    };
    const stream: Stream = {
      positions,
      keys,
      connection: undefined,
      heardAtMs: now(),
      isReused: false,
      pull: new StreamPull(share, {
        heard: () => {
          stream.heardAtMs = now();
          this.#moving.note(stream.heardAtMs);
        },
        segment: (index, payload) => this.#segmentArrived(stream, index, payload),
        tail: (tail) => {
          this.#hasTail = true;
          this.#bytes += tail.bytes;
          this.#context.counters.bytesIn += tail.bytes;
          this.#listener.tail(tail);
        },
        ended: (refusal) => this.#streamEnded(stream, refusal),
        closed: (fault, error) => this.#streamClosed(stream, fault, error),
      }),
    };
    this.#streams.push(stream);
    this.#active += 1;
    this.#request(stream, false);
  }

  #request(stream: Stream, fresh: boolean): void {
    const { transferId, planId, wait, timeoutMs } = this.#order;
    const connection = this.#context.pool.take(this.#address, fresh);
    const payload = baton.v1.PullRequest.encode({
      transferId,
      planId,
      keys: stream.keys,
      withTail: stream.positions.at(-1) === this.#arrived.length,
      wait,
      layout: this.#context.layout,
      timeoutMs,
    }).finish();
    stream.connection = connection;
    stream.isReused = connection.hasServed;
    connection.request(stream.pull, encodeFrame(FrameType.REQUEST, payload));
  }

  #space(page: number): Uint8Array {
    const { bytes, pageBytes } = this.#context.memory;
    return bytes.subarray(page * pageBytes, (page + 1) * pageBytes);
  }

  #segmentArrived(
    stream: Stream,
    index: number,
    payload: { bytes: number; checksum: number },
  ): void {
    const position = stream.positions[index] ?? 0;
    this.#arrived[position] = 1;
    this.#segments += 1;
    this.#bytes += payload.bytes;
    this.#context.counters.segmentsIn += 1;
    this.#context.counters.bytesIn += payload.bytes;
    this.#listener.segment(position, payload);
    this.#cutBeyondLimit(stream);
  }

  #streamEnded(stream: Stream, refusal: SourceRefusal | undefined): void {
    const { connection } = stream;
    stream.connection = undefined;
    if (connection) this.#context.pool.give(this.#address, connection);
    if (refusal) this.#fail(this.#positionOf(stream), refusal.code, refusal.message);
    this.#oneLess();
  }

  #streamClosed(stream: Stream, fault: StreamFault | undefined, error: Error | undefined): void {
    const wasConnected = stream.connection?.wasConnected ?? false;
    stream.connection = undefined;
    const isStale = stream.isReused && !stream.pull.hasAnswered && fault === undefined;
    if (isStale && this.#failure === undefined) {
      // A kept connection whose peer has restarted meanwhile says nothing about the peer of now.
      this.#request(stream, true);
      return;
    }
    const position = this.#positionOf(stream);
    if (position < this.#limit && !this.#isComplete(stream)) {
      const cut: Failure = {
        code: wasConnected ? 'transfer_cut' : 'agent_unavailable',
        message: error?.message ?? 'the connection ended',
      };
      const { counters } = this.#context;
      if (fault?.code === 'checksum_mismatch') counters.checksumFailures += 1;
      if (fault === undefined && wasConnected) counters.cuts += 1;
      const failure = fault ?? cut;
      this.#fail(position, failure.code, failure.message);
    }
    this.#oneLess();
  }

  /** The position that the stream brings next. */
  #positionOf(stream: Stream): number {
    return stream.positions[stream.pull.next] ?? this.#arrived.length + 1;
  }

  #isComplete(stream: Stream): boolean {
    const bringsTail = stream.positions.at(-1) === this.#arrived.length;
    return bringsTail ? this.#hasTail : stream.pull.next === stream.positions.length;
  }

  #fail(position: number, code: string, message: string): void {
    if (position >= this.#limit) return;
    this.#limit = position;
    this.#failure = { code, message };
    for (const stream of this.#streams) this.#cutBeyondLimit(stream);
  }

  #cutBeyondLimit(stream: Stream): void {
    if (this.#failure && this.#positionOf(stream) >= this.#limit) stream.connection?.destroy();
  }

  /** Ends every stream now. */
  #stop(limit: number, code: string, message: string): void {
    this.#failure = this.#failure && !this.#isCancelled ? this.#failure : { code, message };
    this.#limit = limit;
    for (const stream of this.#streams) stream.connection?.destroy();
  }

  #checkStalls(): void {
    const { stallMs } = this.#context.limits;
    for (const stream of this.#streams) {
      if (stream.connection === undefined || now() - stream.heardAtMs < stallMs) continue;
      this.#context.counters.stalls += 1;
      this.#fail(this.#positionOf(stream), 'transfer_stalled', `no word for ${stallMs} ms`);
      stream.connection.destroy();
    }
  }

  #oneLess(): void {
    this.#active -= 1;
    if (this.#active === 0) this.#finish();
  }

  #finish(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    const firstMissing = this.#arrived.indexOf(0);
    const leadingSegments = firstMissing < 0 ? this.#arrived.length : firstMissing;
    const isWhole = firstMissing < 0 && (this.#order.tailPage === undefined || this.#hasTail);
    const unfinished = this.#isCancelled ? 'cancelled' : leadingSegments > 0 ? 'partial' : 'failed';
    this.#resolve({
      status: isWhole ? 'done' : unfinished,
      code: isWhole ? undefined : this.#failure?.code,
      message: isWhole ? undefined : this.#failure?.message,
      segments: this.#segments,
      leadingSegments,
      hasTail: this.#hasTail,
      bytes: this.#bytes,
      durationMs: now() - this.#startedAtMs,
      movingMs: this.#moving.totalMs,
    });
  }
}
