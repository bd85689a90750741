import { Arrivals } from './arrivals.ts';
import { Deferrals } from './deferrals.ts';
import { Heap } from './heap.ts';
import { TenantTurns } from './tenant-turns.ts';

export const queueOrders = ['fcfs', 'shortest', 'deadline'] as const;
/**
 * Who is next among requests that wait: who came first, whose prompt has least left to compute, or who
 * has to begin first to be in time.
 */
export type QueueOrder = (typeof queueOrders)[number];

/** A request that waits. The queue owns what it sorts by: change it by `estimated` and `defer`. */
export interface Waiting<T> {
  readonly value: T;
  readonly arrivedAtMs: number;
  /** Less is first, whatever the order. */
  readonly priority: number;
  readonly tenant: string;
  /** Least time that a prefill of it takes now, what is brought to it included. */
  estimateMs: number;
  estimatedAtMs: number;
  /** The estimate that its place in the order follows: one that has changed little moves nobody. */
  placedByMs: number;
  /** Its first token is to be there by then; Infinity where nothing is promised. */
  readonly dueAtMs: number;
  /** It is to be begun by then, whoever else would be first. */
  beginByMs: number;
}

export interface RequestQueueOptions {
  order: QueueOrder;
  /** Longest wait, as far as the fleet can keep up. */
  waitBoundMs: number;
}

/** What the fleet has to do and how much of it there is, for the bound of the wait. */
export interface FleetWork {
  /** That can prefill. */
  ranks: number;
  /** Sum of what they were given and have not done. */
  givenMs: number;
}

/** An estimate has to change by this share, and so much, to count in the order. */
const NOTICED_SHARE = 0.05;
const NOTICED_MS = 10;

/** Waiting for a second counts as having so many seconds less to compute. */
const AGEING = 0.1;

/**
 * Who arrives while more is waiting than the bound allows has a bound of so many times what serving
 * in order of arrival would take: a bound that cannot be kept would only make the order one of arrival.
 */
const OVERLOAD_FACTOR = 2;

/**
 * Requests of one model that wait for room at a worker. By its order, except that nobody is served whose
 * turn would cost another who came earlier the bound of its wait; then the oldest is.
 */
export class RequestQueue<T> {
  readonly #options: RequestQueueOptions;
  readonly #isBefore: (a: Waiting<T>, b: Waiting<T>) => boolean;
  /** By priority, in ascending order. */
  readonly #classes: [number, TenantTurns<Waiting<T>>][] = [];
  readonly #arrivals = new Arrivals<Waiting<T>>();
  readonly #byLatestStart = new Heap<Waiting<T>>((a, b) => latestStartMs(a) < latestStartMs(b));
  /** Those who wait for something else than room. */
  readonly #deferred = new Deferrals<Waiting<T>>();
  /** Walks through all, to keep estimates fresh. */
  #refreshing: IterableIterator<Waiting<T>>;

  constructor(options: RequestQueueOptions) {
    this.#options = options;
    const sortBy = sortKeys[options.order];
    // Of equals the first to come is first.
    this.#isBefore = (a, b) =>
      sortBy(a) < sortBy(b) || (sortBy(a) === sortBy(b) && this.#arrivals.cameBefore(a, b));
    this.#refreshing = this.#arrivals.items();
  }

  get order(): QueueOrder {
    return this.#options.order;
  }

  get size(): number {
    return this.#arrivals.size;
  }

  has(waiting: Waiting<T>): boolean {
    return this.#arrivals.has(waiting);
  }

  /** Sum of the least times that all of them take. */
  get backlogMs(): number {
    return this.#arrivals.workMs;
  }

  /** One that has a bound from another queue keeps it. */
  add(waiting: Waiting<T>, { ranks, givenMs }: FleetWork): void {
    const { waitBoundMs } = this.#options;
    const inOrderMs = (this.backlogMs + givenMs) / Math.max(1, ranks);
    const boundMs = inOrderMs <= waitBoundMs ? waitBoundMs : OVERLOAD_FACTOR * inOrderMs;
    waiting.placedByMs = waiting.estimateMs;
    if (waiting.beginByMs === Infinity) waiting.beginByMs = waiting.arrivedAtMs + boundMs;
    this.#arrivals.add(waiting);
    this.#byLatestStart.add(waiting);
    this.#classOf(waiting.priority).add(waiting.tenant, waiting);
  }

  /** @param tokens that were served of it: its tenant's share is charged */
  remove(waiting: Waiting<T>, tokens: number): void {
    if (!this.#arrivals.has(waiting)) return;
    this.#arrivals.remove(waiting);
    this.#byLatestStart.remove(waiting);
    this.#deferred.delete(waiting);
    const turns = this.#classOf(waiting.priority);
    turns.charge(waiting.tenant, tokens);
    turns.remove(waiting.tenant, waiting);
  }

  /** The first ones by the order, at most so many; none when nobody waits for room. */
  first(count: number): Waiting<T>[] {
    for (const [, turns] of this.#classes) {
      const found = turns.first(count);
      if (found.length > 0) return found;
    }
    return [];
  }

  get oldest(): Waiting<T> | undefined {
    return this.#arrivals.oldest;
  }

  /** Whether all who came before it would still begin in time if it took the next rank for so long. */
  mayOvertake(waiting: Waiting<T>, costMs: number, work: FleetWork, nowMs: number): boolean {
    const slack = this.#arrivals.leastSlackBefore(waiting, work.ranks);
    return slack >= nowMs * work.ranks + work.givenMs + costMs;
  }

  /** While nobody can serve it (Infinity) what was known of it last counts. */
  estimated(waiting: Waiting<T>, estimateMs: number, nowMs: number): void {
    if (Number.isFinite(estimateMs)) waiting.estimateMs = estimateMs;
    waiting.estimatedAtMs = nowMs;
    if (!this.#arrivals.has(waiting)) return;
    this.#arrivals.changed(waiting);
    this.#byLatestStart.moved(waiting);
    // What is learned of costs changes all estimates: else those whose own is old would come first by
    // turns, only to be looked at and go back.
    const changeMs = Math.abs(waiting.estimateMs - waiting.placedByMs);
    if (changeMs <= Math.max(NOTICED_MS, NOTICED_SHARE * waiting.placedByMs)) return;
    waiting.placedByMs = waiting.estimateMs;
    this.#classOf(waiting.priority).moved(waiting.tenant, waiting);
  }

  /** It is nobody's turn until then, or until {@link RequestQueue.recall}. */
  defer(waiting: Waiting<T>, untilMs: number, what: string): void {
    if (!this.#arrivals.has(waiting) || this.#deferred.has(waiting)) return;
    this.#deferred.add(waiting, untilMs, what);
    this.#classOf(waiting.priority).setAside(waiting.tenant, waiting);
  }

  /** Those whose time has come, or who were waiting for this, wait for room again. */
  recall(nowMs: number, what?: string): void {
    for (;;) {
      const waiting = this.#deferred.over(nowMs, what);
      if (waiting === undefined) return;
      this.#deferred.delete(waiting);
      this.#classOf(waiting.priority).add(waiting.tenant, waiting);
    }
  }

  /** One that can no longer be in time, if there is any. */
  tooLate(nowMs: number): Waiting<T> | undefined {
    const first = this.#byLatestStart.first;
    return first !== undefined && latestStartMs(first) <= nowMs ? first : undefined;
  }

  /** When somebody can no longer be in time or is recalled; Infinity when never. */
  nextChangeAtMs(): number {
    const first = this.#byLatestStart.first;
    const lateAtMs = first === undefined ? Infinity : latestStartMs(first);
    return Math.min(lateAtMs, this.#deferred.nextAtMs);
  }

  /** One whose estimate is due for another look, each in its turn. */
  nextToRefresh(): Waiting<T> | undefined {
    let step = this.#refreshing.next();
    if (step.done === true) {
      this.#refreshing = this.#arrivals.items();
      step = this.#refreshing.next();
    }
    return step.done === true ? undefined : step.value;
  }

  /** All in order of arrival. */
  all(): Iterable<Waiting<T>> {
    return this.#arrivals.items();
  }

  #classOf(priority: number): TenantTurns<Waiting<T>> {
    const known = this.#classes.find(([name]) => name === priority);
    if (known !== undefined) return known[1];
    const made = new TenantTurns<Waiting<T>>(this.#isBefore);
    this.#classes.push([priority, made]);
    this.#classes.sort(([a], [b]) => a - b);
    return made;
  }
}

/**
 * What sorts requests in the order `shortest`: the least is first. It does not change with time, only
 * with the estimate.
 */
export function lengthKey(costMs: number, arrivedAtMs: number): number {
  return costMs + AGEING * arrivedAtMs;
}

function latestStartMs({ dueAtMs, estimateMs }: Waiting<unknown>): number {
  return dueAtMs - estimateMs;
}

const sortKeys: Record<QueueOrder, (waiting: Waiting<unknown>) => number> = {
  fcfs: ({ arrivedAtMs }) => arrivedAtMs,
  shortest: ({ placedByMs, arrivedAtMs }) => lengthKey(placedByMs, arrivedAtMs),
  deadline: ({ dueAtMs, placedByMs }) => dueAtMs - placedByMs,
};
