import { Heap } from './heap.ts';
import { TenantTurns } from './tenant-turns.ts';

export const queueOrders = ['fcfs', 'shortest', 'deadline'] as const;
/**
 * Who is next among requests that wait: who came first, whose prompt has least left to compute, or who has to begin first
 * to be in time.
 */
export type QueueOrder = (typeof queueOrders)[number];

/** A request that waits. The queue owns what it sorts by; change it by {@link RequestQueue.estimated}. */
export interface Waiting<T> {
  readonly value: T;
  readonly arrivedAtMs: number;
  /** Less is first, whatever the order. */
  readonly priority: number;
  readonly tenant: string;
  /** Least time that a prefill of it takes now, what is brought to it included. */
  estimateMs: number;
  estimatedAtMs: number;
  /** Its first token is to be there by then; Infinity where nothing is promised. */
  readonly dueAtMs: number;
}

export interface RequestQueueOptions {
  order: QueueOrder;
  /** Who has waited so long goes first, in order of arrival. */
  promoteAfterMs: number;
}

/** Requests of one model that wait for room at a worker. */
export class RequestQueue<T> {
  readonly #options: RequestQueueOptions;
  readonly #isBefore: (a: Waiting<T>, b: Waiting<T>) => boolean;
  /** By priority, in ascending order. */
  readonly #classes = new Map<number, TenantTurns<Waiting<T>>>();
  /** In order of arrival. */
  readonly #all = new Set<Waiting<T>>();
  readonly #byLatestStart: Heap<Waiting<T>>;
  /** Walks through all, to keep estimates fresh. */
  #refreshing: IterableIterator<Waiting<T>>;

  constructor(options: RequestQueueOptions) {
    this.#options = options;
    this.#isBefore = before(options.order);
    this.#byLatestStart = new Heap((a, b) => latestStartMs(a) < latestStartMs(b));
    this.#refreshing = this.#all.values();
  }

  get size(): number {
    return this.#all.size;
  }

  has(waiting: Waiting<T>): boolean {
    return this.#all.has(waiting);
  }

  /** Sum of the least times that all of them take. */
  get backlogMs(): number {
    let sum = 0;
    for (const { estimateMs } of this.#all) sum += estimateMs;
    return sum;
  }

  add(waiting: Waiting<T>): void {
    this.#all.add(waiting);
    this.#byLatestStart.add(waiting);
    this.#classOf(waiting.priority).add(waiting.tenant, waiting);
  }

  /** @param tokens that were served of it: its tenant's share is charged */
  remove(waiting: Waiting<T>, tokens: number): void {
    if (!this.#all.delete(waiting)) return;
    this.#byLatestStart.remove(waiting);
    const turns = this.#classes.get(waiting.priority);
    turns?.charge(waiting.tenant, tokens);
    turns?.remove(waiting.tenant, waiting);
  }

  /** Who is next; undefined when nobody waits. */
  next(nowMs: number): Waiting<T> | undefined {
    const [oldest] = this.#all;
    if (oldest === undefined || this.isOverdue(oldest, nowMs)) return oldest;
    for (const turns of this.#classes.values()) {
      const first = turns.next();
      if (first !== undefined) return first;
    }
    return undefined;
  }

  /** Whether it has waited so long that no order counts. */
  isOverdue({ arrivedAtMs }: Waiting<T>, nowMs: number): boolean {
    return nowMs - arrivedAtMs >= this.#options.promoteAfterMs;
  }

  estimated(waiting: Waiting<T>, estimateMs: number, nowMs: number): void {
    waiting.estimateMs = estimateMs;
    waiting.estimatedAtMs = nowMs;
    if (!this.#all.has(waiting)) return;
    this.#byLatestStart.moved(waiting);
    this.#classes.get(waiting.priority)?.moved(waiting.tenant, waiting);
  }

  /** One that can no longer be in time, if there is any. */
  tooLate(nowMs: number): Waiting<T> | undefined {
    const first = this.#byLatestStart.first;
    return first !== undefined && latestStartMs(first) < nowMs ? first : undefined;
  }

  /** When the first of them can no longer be in time, or becomes overdue; Infinity when never. */
  nextChangeAtMs(): number {
    const [oldest] = this.#all;
    if (oldest === undefined) return Infinity;
    const first = this.#byLatestStart.first;
    const lateMs = first === undefined ? Infinity : latestStartMs(first);
    return Math.min(lateMs, oldest.arrivedAtMs + this.#options.promoteAfterMs);
  }

  /** One whose estimate is due for another look, each in its turn. */
  nextToRefresh(): Waiting<T> | undefined {
    let step = this.#refreshing.next();
    if (step.done === true) {
      this.#refreshing = this.#all.values();
      step = this.#refreshing.next();
    }
    return step.done === true ? undefined : step.value;
  }

  /** All in order of arrival. */
  all(): Iterable<Waiting<T>> {
    return this.#all;
  }

  #classOf(priority: number): TenantTurns<Waiting<T>> {
    const known = this.#classes.get(priority);
    if (known !== undefined) return known;
    const made = new TenantTurns<Waiting<T>>(this.#isBefore);
    this.#classes.set(priority, made);
    const sorted = [...this.#classes].sort(([a], [b]) => a - b);
    this.#classes.clear();
    for (const [name, turns] of sorted) this.#classes.set(name, turns);
    return made;
  }
}

function latestStartMs<T>({ dueAtMs, estimateMs }: Waiting<T>): number {
  return dueAtMs - estimateMs;
}

function before<T>(order: QueueOrder): (a: Waiting<T>, b: Waiting<T>) => boolean {
  if (order === 'fcfs') return (a, b) => a.arrivedAtMs < b.arrivedAtMs;
  if (order === 'deadline') return (a, b) => latestStartMs(a) < latestStartMs(b);
  return (a, b) => a.estimateMs < b.estimateMs;
}
