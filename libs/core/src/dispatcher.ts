import type { FleetView } from '@baton/scheduling';
import { canPrefill } from '@baton/cluster';
import type { Effect } from './effects.ts';
import type { PlanRequest } from './inputs.ts';
import type { CoreOptions } from './options.ts';
import type { Assessment, Planner } from './planner.ts';
import { WaitingRequests, type OpenRequest, type WaitingRequest } from './waiting-requests.ts';

/** Requests whose estimate is looked at again with each one that is served. */
const REFRESHED_PER_DECISION = 2;
/** An estimate that has grown by more than this share lets the next one have a look. */
const STALE_SHARE = 0.1;
/** Looks at the queue's head before whoever is there is taken. */
const MAX_LOOKS = 4;
const PRIORITY = 5;

/**
 * Who is planned when: a request waits here until a worker has room for its prefill, and then the
 * queue's order says who is next. Nobody waits while a worker that could take it has room.
 */
export class Dispatcher {
  readonly waiting: WaitingRequests;
  readonly #options: CoreOptions;
  readonly #planner: Planner;

  constructor(options: CoreOptions, planner: Planner) {
    this.#options = options;
    this.#planner = planner;
    this.waiting = new WaitingRequests(options);
  }

  arrive(sessionId: string, request: PlanRequest, nowMs: number): Effect[] {
    const maxWaitMs = Math.min(this.#options.maxWaitMs, request.maxWaitMs ?? Infinity);
    const deadlineMs = nowMs + maxWaitMs;
    const open: OpenRequest = { sessionId, request, arrivedAtMs: nowMs, deadlineMs };
    const problem = this.#planner.problem(request);
    if (problem !== undefined) {
      return this.#planner.refuse(open, problem.code, problem.message, undefined, nowMs);
    }
    const assessment = this.#planner.assess(open, nowMs);
    if (assessment === undefined) throw new RangeError('a pool that was there is gone');
    const waiting = this.#waiting(open, assessment, nowMs);
    if (this.waiting.isFull) {
      return this.#planner.refuse(open, 'no_capacity', '', undefined, nowMs);
    }
    this.waiting.add(waiting);
    const effects: Effect[] = [];
    const queue = this.waiting.queue(request.model);
    if (queue?.next(nowMs) === waiting) {
      const settled = this.#planner.plan(open, assessment, nowMs);
      if (settled !== undefined) this.#settle(waiting, settled, effects);
    }
    if (queue?.has(waiting) !== true || maxWaitMs > 0) return effects;
    this.waiting.remove(waiting);
    const explanation = this.#planner.explain(assessment);
    effects.push(...this.#planner.refuse(open, 'no_capacity', '', explanation, nowMs));
    return effects;
  }

  /** There may be room: plans whoever is next, as long as there is. */
  advance(effects: Effect[], nowMs: number): void {
    for (const model of this.waiting.models()) {
      this.#refuseLate(model, effects, nowMs);
      while (this.#serveNext(model, effects, nowMs));
    }
  }

  /** Refuses those whose time is over. */
  expire(effects: Effect[], nowMs: number): void {
    for (const waiting of this.waiting.expired(nowMs)) {
      const open = waiting.value;
      const assessment = this.#planner.assess(open, nowMs);
      const settled =
        assessment === undefined ? undefined : this.#planner.plan(open, assessment, nowMs);
      if (settled !== undefined) this.#settle(waiting, settled, effects);
      else {
        this.waiting.remove(waiting);
        const explanation =
          assessment === undefined ? undefined : this.#planner.explain(assessment);
        const code = assessment === undefined ? 'model_not_found' : 'no_capacity';
        effects.push(...this.#planner.refuse(open, code, '', explanation, nowMs));
      }
    }
  }

  /** When something changes for those who wait without anybody saying so; undefined when nothing does. */
  wakeAtMs(nowMs: number): number | undefined {
    let atMs = Infinity;
    for (const model of this.waiting.models()) {
      const queue = this.waiting.queue(model);
      const changeAtMs = queue?.nextChangeAtMs() ?? Infinity;
      if (changeAtMs > nowMs) atMs = Math.min(atMs, changeAtMs);
      for (const { queueMs } of this.#planner.fleet(model, nowMs)?.fleet.ranks ?? []) {
        const leftMs = queueMs - this.#options.dispatchAheadMs;
        if (leftMs > 0) atMs = Math.min(atMs, nowMs + leftMs);
      }
    }
    return atMs === Infinity ? undefined : atMs;
  }

  /** Plans the next of a model; false when there is none, or no room. */
  #serveNext(model: string, effects: Effect[], nowMs: number): boolean {
    const queue = this.waiting.queue(model);
    const found = this.#planner.fleet(model, nowMs);
    if (queue === undefined || found === undefined || !hasRoom(found.fleet)) return false;
    for (let i = 0; i < REFRESHED_PER_DECISION && queue.size > 1; i += 1) {
      const stale = queue.nextToRefresh();
      if (stale !== undefined && stale.estimatedAtMs < nowMs) this.#assess(stale, nowMs);
    }
    for (let looks = 1; ; looks += 1) {
      const next = queue.next(nowMs);
      if (next === undefined) return false;
      const before = next.estimateMs;
      const assessment = this.#assess(next, nowMs);
      if (assessment === undefined) return false;
      const hasGrown = next.estimateMs > before * (1 + STALE_SHARE);
      if (hasGrown && looks < MAX_LOOKS && queue.next(nowMs) !== next) continue;
      const settled = this.#planner.plan(next.value, assessment, nowMs);
      if (settled === undefined) return false;
      this.#settle(next, settled, effects);
      return true;
    }
  }

  /** Those who can no longer be in time go at once, and need not wait for an answer that says so. */
  #refuseLate(model: string, effects: Effect[], nowMs: number): void {
    const queue = this.waiting.queue(model);
    for (;;) {
      const late = queue?.tooLate(nowMs);
      if (queue === undefined || late === undefined) return;
      const assessment = this.#assess(late, nowMs);
      if (queue.tooLate(nowMs) !== late) continue;
      this.waiting.remove(late);
      const explanation = assessment === undefined ? undefined : this.#planner.explain(assessment);
      const retryAfterMs = this.#drainMs(model, assessment);
      effects.push(
        ...this.#planner.refuse(
          late.value,
          'slo_unreachable',
          '',
          explanation,
          nowMs,
          retryAfterMs,
        ),
      );
    }
  }

  /** Until those who wait now are done, were nobody to come. */
  #drainMs(model: string, assessment: Assessment | undefined): number {
    const backlogMs = this.waiting.queue(model)?.backlogMs ?? 0;
    const ranks = assessment?.fleet.ranks.filter((rank) => canPrefill(rank.facts)) ?? [];
    const givenMs = ranks.reduce((sum, { queueMs }) => sum + queueMs, 0);
    return Math.ceil((backlogMs + givenMs) / Math.max(1, ranks.length));
  }

  #assess(waiting: WaitingRequest, nowMs: number): Assessment | undefined {
    const assessment = this.#planner.assess(waiting.value, nowMs);
    if (assessment === undefined) return undefined;
    const { model } = waiting.value.request;
    this.waiting.queue(model)?.estimated(waiting, this.#planner.estimateMs(assessment), nowMs);
    return assessment;
  }

  #waiting(open: OpenRequest, assessment: Assessment, nowMs: number): WaitingRequest {
    const { request } = open;
    const estimateMs = this.#planner.estimateMs(assessment);
    const { ttftBaseMs, ttftPerTokenMs } = this.#options.slo;
    const { knownSegments } = assessment.query.match;
    const uncached = request.promptTokens - knownSegments * assessment.query.segmentTokens;
    const sloMs = request.ttftSloMs ?? ttftBaseMs + ttftPerTokenMs * Math.max(0, uncached);
    return {
      value: open,
      arrivedAtMs: nowMs,
      priority: request.priority ?? PRIORITY,
      tenant: request.tenant ?? '',
      estimateMs,
      estimatedAtMs: nowMs,
      // What an idle fleet could not do in time is done as well as it can be.
      dueAtMs: estimateMs > sloMs ? Infinity : nowMs + sloMs,
    };
  }

  #settle(waiting: WaitingRequest, settled: Effect[], effects: Effect[]): void {
    this.waiting.remove(waiting, waiting.value.request.promptTokens);
    effects.push(...settled);
  }
}

/** Whether any rank that may compute prompts has room for one. */
function hasRoom({ ranks }: FleetView): boolean {
  const prefillers = ranks.filter((rank) => canPrefill(rank.facts) && rank.state === 'ready');
  const able = prefillers.length > 0 ? prefillers : ranks;
  return able.some((rank) => rank.hasRoom);
}
