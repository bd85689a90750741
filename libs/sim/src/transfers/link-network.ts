import { BatonError } from '@baton/kv';
import type { EventQueue } from '../time/event-queue.ts';

/** Bytes per second that a link between two workers can carry; Infinity where moving takes no time. */
export type LinkRate = (source: string, destination: string) => number;

/** Bytes on their way between two workers. */
export interface Flow {
  readonly source: string;
  readonly destination: string;
  readonly startedAtMs: number;
}

interface Running extends Flow {
  leftBytes: number;
  bytesPerMs: number;
  /** Up to when `leftBytes` is right. */
  atMs: number;
  /** Entries of the queue that were made for another rate are void. */
  version: number;
  done: (nowMs: number) => void;
}

/**
 * Links that share: what leaves a worker at a time divides its rate evenly, and so does what enters one; each flow gets
 * the smaller of its two shares.
 */
export class LinkNetwork {
  readonly #queue: EventQueue;
  readonly #rate: LinkRate;
  readonly #leaving = new Map<string, Set<Running>>();
  readonly #entering = new Map<string, Set<Running>>();

  constructor(queue: EventQueue, rate: LinkRate) {
    this.#queue = queue;
    this.#rate = rate;
  }

  /** Flows under way. */
  get flows(): number {
    let sum = 0;
    for (const { size } of this.#leaving.values()) sum += size;
    return sum;
  }

  /**
   * `done` is called at the end, never before this returns.
   *
   * @throws BatonError config_invalid when the two have no rate
   */
  start(
    source: string,
    destination: string,
    bytes: number,
    nowMs: number,
    done: (nowMs: number) => void,
  ): Flow {
    const flow: Running = {
      ...{ source, destination, startedAtMs: nowMs, atMs: nowMs, done },
      leftBytes: bytes,
      bytesPerMs: 0,
      version: 0,
    };
    among(this.#leaving, source).add(flow);
    among(this.#entering, destination).add(flow);
    this.#share(flow, nowMs);
    return flow;
  }

  /** Ends a flow before its time; nothing when it has ended. */
  cancel(flow: Flow, nowMs: number): void {
    for (const running of among(this.#leaving, flow.source)) {
      if (running === flow) this.#end(running, nowMs);
    }
  }

  #end(flow: Running, nowMs: number): void {
    flow.version += 1;
    among(this.#leaving, flow.source).delete(flow);
    among(this.#entering, flow.destination).delete(flow);
    this.#share(flow, nowMs);
  }

  /** A flow has come or gone: those that share an end with it get another rate. */
  #share({ source, destination }: Flow, nowMs: number): void {
    const leaving = among(this.#leaving, source);
    const entering = among(this.#entering, destination);
    for (const flow of leaving) this.#setRate(flow, nowMs);
    for (const flow of entering) if (!leaving.has(flow)) this.#setRate(flow, nowMs);
  }

  #bytesPerSec(source: string, destination: string): number {
    const rate = this.#rate(source, destination);
    if (rate > 0) return rate;
    throw new BatonError(
      'config_invalid',
      `the link from ${source} to ${destination} needs a rate above 0, not ${rate}`,
      { details: { field: 'linkBytesPerSec' } },
    );
  }

  #setRate(flow: Running, nowMs: number): void {
    const { source, destination } = flow;
    const sharing = Math.max(
      among(this.#leaving, source).size,
      among(this.#entering, destination).size,
    );
    const bytesPerMs = this.#bytesPerSec(source, destination) / 1_000 / sharing;
    if (bytesPerMs === flow.bytesPerMs) return;
    const moved = flow.bytesPerMs * (nowMs - flow.atMs);
    flow.leftBytes = Math.max(0, flow.leftBytes - moved);
    flow.atMs = nowMs;
    flow.bytesPerMs = bytesPerMs;
    flow.version += 1;
    const { version } = flow;
    const leftMs = bytesPerMs === Infinity ? 0 : flow.leftBytes / bytesPerMs;
    this.#queue.push(nowMs + leftMs, (atMs) => {
      if (flow.version !== version) return;
      this.#end(flow, atMs);
      flow.done(atMs);
    });
  }
}

function among(flows: Map<string, Set<Running>>, worker: string): Set<Running> {
  const known = flows.get(worker);
  if (known !== undefined) return known;
  const made = new Set<Running>();
  flows.set(worker, made);
  return made;
}
