import { baton } from '@baton/proto';
import type { PageStore } from '@baton/tier-store';
import { HANDOVER_ORDER_WAIT_MS, MAX_LOADS, PREFIX_ORDER_WAIT_MS } from './agent-limits.ts';
import type { Arrival, ArrivalBook } from './arrival-book.ts';
import { hexKeys } from './packed-keys.ts';

export interface LoadBookOptions {
  pages: PageStore;
  arrivals: ArrivalBook;
  send(message: baton.v1.IAgentMessage): boolean;
  isCancelled(planId: string): boolean;
  /** Bytes that the engine is about to copy out of the arena. */
  onGiven(bytes: number): void;
  now(): number;
}

interface Load {
  requestId: string;
  /** Holds the pages that the engine has been given. */
  owner: string;
  planId: string;
  keys: string[];
  next: number;
  /** Leading keys that a prefix transfer of the plan is going to bring. */
  expectedSegments: number;
  isHandover: boolean;
  timeoutMs: number;
  /** Moves on with each segment. */
  deadlineMs: number;
  /** Until then an order may come that has not come yet. */
  orderDeadlineMs: number;
}

const { LOAD_STATUS_COMPLETE, LOAD_STATUS_FAILED, LOAD_STATUS_MISSING, LOAD_STATUS_TIMEOUT } =
  baton.v1.LoadStatus;

interface End {
  status: baton.v1.LoadStatus;
  message?: string;
}

/** What the engine has asked for and has not got yet. Each load ends once, with a reason unless it is complete. */
export class LoadBook {
  readonly #options: LoadBookOptions;
  readonly #loads = new Map<string, Load>();

  constructor(options: LoadBookOptions) {
    this.#options = options;
  }

  /** `owner` holds the pages; releasing them is the caller's. */
  begin(request: baton.v1.ILoadRequest, owner: string): void {
    const nowMs = this.#options.now();
    const isHandover = request.handover ?? false;
    const timeoutMs = request.timeoutMs ?? 0;
    const orderWaitMs = isHandover ? HANDOVER_ORDER_WAIT_MS : PREFIX_ORDER_WAIT_MS;
    const load: Load = {
      requestId: request.requestId ?? '',
      owner,
      planId: request.planId ?? '',
      keys: hexKeys(request.keys),
      next: 0,
      expectedSegments: request.expectedSegments ?? 0,
      isHandover,
      timeoutMs,
      deadlineMs: nowMs + timeoutMs,
      orderDeadlineMs: nowMs + Math.min(orderWaitMs, timeoutMs),
    };
    if (this.#loads.has(load.requestId) || this.#loads.size >= MAX_LOADS) {
      this.#send(load, {
        status: LOAD_STATUS_FAILED,
        message: 'too many loads, or twice the same',
      });
      return;
    }
    this.#loads.set(load.requestId, load);
    this.#advance(load);
  }

  isInUse(planId: string): boolean {
    return [...this.#loads.values()].some((load) => load.planId === planId);
  }

  /** Something has arrived or failed, or time has passed. */
  advanceAll(): void {
    for (const load of [...this.#loads.values()]) this.#advance(load);
  }

  /** The engine is done with the request. */
  forget(requestId: string): void {
    this.#loads.delete(requestId);
  }

  cancelPlan(planId: string): void {
    for (const load of [...this.#loads.values()]) {
      if (load.planId === planId) {
        this.#end(load, { status: LOAD_STATUS_FAILED, message: 'the plan was cancelled' });
      }
    }
  }

  clear(): void {
    this.#loads.clear();
  }

  #advance(load: Load): void {
    const { pages, arrivals, now } = this.#options;
    const arrival = arrivals.get(load.planId);
    for (;;) {
      const key = load.keys[load.next];
      if (key === undefined) break;
      const page = pages.find(key);
      if (page === undefined) {
        const end = this.#whyNot(load, arrival, arrival?.expected.has(key) ?? false);
        if (end) this.#end(load, end);
        return;
      }
      if (!this.#give(load, page, arrival?.transferred.has(key) ?? false)) return;
      load.next += 1;
      load.deadlineMs = now() + load.timeoutMs;
    }
    if (!load.isHandover) return this.#end(load, { status: LOAD_STATUS_COMPLETE });
    if (arrival?.tail) return this.#complete(load, arrival);
    const end = this.#whyNot(load, arrival, arrival?.hasHandover ?? false);
    if (end) this.#end(load, end);
  }

  /** Why what is due will not come; undefined while it may. */
  #whyNot(load: Load, arrival: Arrival | undefined, isExpected: boolean): End | undefined {
    const nowMs = this.#options.now();
    const isRunning = (arrival?.running.size ?? 0) > 0;
    if (this.#options.isCancelled(load.planId)) {
      return { status: LOAD_STATUS_FAILED, message: 'the plan was cancelled' };
    }
    if (isExpected && isRunning) {
      if (nowMs < load.deadlineMs) return undefined;
      return { status: LOAD_STATUS_TIMEOUT, message: `nothing for ${load.timeoutMs} ms` };
    }
    if (arrival?.failure !== undefined) {
      return { status: LOAD_STATUS_FAILED, message: arrival.failure };
    }
    const isPromised = load.isHandover || load.next < load.expectedSegments;
    // A plan may have several prefix orders, of which the next has not come yet.
    const isComing = load.isHandover ? arrival === undefined : !isExpected;
    if (isPromised && isComing && nowMs < load.orderDeadlineMs) return undefined;
    if (arrival === undefined && load.isHandover) {
      return { status: LOAD_STATUS_TIMEOUT, message: 'no transfer was ordered' };
    }
    return { status: LOAD_STATUS_MISSING, message: 'neither held nor expected' };
  }

  #give(load: Load, page: number, transferred: boolean): boolean {
    const { pages } = this.#options;
    const payload = pages.payload(page);
    if (!payload || !pages.hold(page, load.owner)) return false;
    this.#options.onGiven(payload.bytes);
    const { requestId, next: index } = load;
    return this.#options.send({
      segment: { requestId, index, page, transferred, ...payload },
    });
  }

  #complete(load: Load, arrival: Arrival): void {
    const { tail } = arrival;
    if (!tail) return;
    const { pages } = this.#options;
    if (tail.page !== undefined && !pages.hold(tail.page, load.owner)) {
      return this.#end(load, { status: LOAD_STATUS_FAILED, message: 'the tail is gone' });
    }
    this.#options.onGiven(tail.bytes);
    this.#loads.delete(load.requestId);
    this.#options.send({
      loadEnd: {
        requestId: load.requestId,
        status: LOAD_STATUS_COMPLETE,
        tail: {
          page: tail.page ?? 0,
          bytes: tail.bytes,
          checksum: tail.checksum,
          state: baton.v1.SequenceState.decode(tail.state),
        },
      },
    });
  }

  #end(load: Load, end: End): void {
    this.#loads.delete(load.requestId);
    this.#send(load, end);
  }

  #send(load: Load, end: End): void {
    const { status, message = '' } = end;
    this.#options.send({ loadEnd: { requestId: load.requestId, status, message } });
  }
}
