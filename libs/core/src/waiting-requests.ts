import { Heap, RequestQueue, type FleetWork, type Waiting } from '@baton/scheduling';
import type { PlanRequest } from './inputs.ts';
import type { Queueing } from './model-settings.ts';
import type { CoreOptions } from './options.ts';

/** A request that has not been answered. */
export interface OpenRequest {
  sessionId: string;
  request: PlanRequest;
  arrivedAtMs: number;
  /** Then it is refused if no worker has had room. */
  deadlineMs: number;
}

export type WaitingRequest = Waiting<OpenRequest>;

/** Requests that wait for a worker, by model. */
export class WaitingRequests {
  readonly #options: CoreOptions;
  readonly #queues = new Map<string, RequestQueue<OpenRequest>>();
  readonly #byDeadline = new Heap<WaitingRequest>(
    (a, b) => a.value.deadlineMs < b.value.deadlineMs,
  );

  constructor(options: CoreOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#byDeadline.size;
  }

  get isFull(): boolean {
    return this.length >= this.#options.maxWaiting;
  }

  /** Models for which somebody waits. */
  models(): string[] {
    return [...this.#queues.keys()];
  }

  queue(model: string): RequestQueue<OpenRequest> | undefined {
    return this.#queues.get(model);
  }

  add(waiting: WaitingRequest, queueing: Queueing, work: FleetWork): void {
    const { model } = waiting.value.request;
    let queue = this.#queues.get(model);
    if (queue === undefined) {
      queue = this.#newQueue(queueing);
      this.#queues.set(model, queue);
    }
    queue.add(waiting, work);
    this.#byDeadline.add(waiting);
  }

  /** Those who wait already are put into another order. */
  reorder(model: string, queueing: Queueing): void {
    const queue = this.#queues.get(model);
    if (queue === undefined) return;
    const reordered = this.#newQueue(queueing);
    for (const waiting of queue.all()) reordered.add(waiting, { ranks: 1, givenMs: 0 });
    this.#queues.set(model, reordered);
  }

  /** @param tokens that were served of it, for its tenant's share; 0 when it was not served */
  remove(waiting: WaitingRequest, tokens = 0): void {
    const { model } = waiting.value.request;
    const queue = this.#queues.get(model);
    if (queue === undefined) return;
    queue.remove(waiting, tokens);
    this.#byDeadline.remove(waiting);
    if (queue.size === 0) this.#queues.delete(model);
  }

  /** What a request was waiting for has come, or will not. */
  recall(nowMs: number, what: string): void {
    for (const queue of this.#queues.values()) queue.recall(nowMs, what);
  }

  /** One whose time is over, if there is any. */
  expired(nowMs: number): WaitingRequest | undefined {
    const first = this.#byDeadline.first;
    return first !== undefined && first.value.deadlineMs <= nowMs ? first : undefined;
  }

  dropSession(sessionId: string): void {
    for (const queue of this.#queues.values()) {
      for (const waiting of [...queue.all()]) {
        if (waiting.value.sessionId === sessionId) this.remove(waiting);
      }
    }
  }

  #newQueue(queueing: Queueing): RequestQueue<OpenRequest> {
    const order = queueing === 'immediate' ? 'fcfs' : queueing;
    return new RequestQueue({ order, waitBoundMs: this.#options.waitBoundMs });
  }
}
