import type { FleetView, FleetWork, RequestQueue } from '@baton/scheduling';
import { canPrefill } from '@baton/cluster';
import type { Effect } from './effects.ts';
import type { PlanRequest } from './inputs.ts';
import type { ModelSettings } from './model-settings.ts';
import type { CoreOptions } from './options.ts';
import type { Assessment, Planner } from './planner.ts';
import { WaitingRequests, type OpenRequest, type WaitingRequest } from './waiting-requests.ts';

/** Requests whose estimate is looked at again with each one that is served. */
const REFRESHED_PER_DECISION = 4;
/** Of those who are next by the order, so many are looked at on the ranks that have room now. */
const LOOKED_AT = 8;
const PRIORITY = 5;

type Queue = RequestQueue<OpenRequest>;

interface Look {
  waiting: WaitingRequest;
  assessment: Assessment;
  /** What it takes on the best rank that has room. */
  costMs: number;
}

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
    const { queue: queueing } = this.#settings(request.model);
    this.waiting.add(waiting, queueing, workOf(assessment.fleet));
    const effects: Effect[] = [];
    const queue = this.waiting.queue(request.model);
    const [first] = queue?.first(1) ?? [];
    if (queue !== undefined && first === waiting) {
      const look = this.#lookAt(queue, waiting, assessment, nowMs);
      if (look !== undefined) this.#serve(queue, look, effects, nowMs);
    }
    if (queue?.has(waiting) !== true || maxWaitMs > 0) return effects;
    this.waiting.remove(waiting);
    const explanation = this.#planner.explain(assessment);
    effects.push(...this.#planner.refuse(open, 'no_capacity', '', explanation, nowMs));
    return effects;
  }

  /** Queues are to follow other settings. */
  reorder(): void {
    for (const model of this.waiting.models()) {
      this.waiting.reorder(model, this.#settings(model).queue);
    }
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
        assessment === undefined
          ? undefined
          : this.#planner.plan(open, assessment, Infinity, nowMs);
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
    queue.recall(nowMs);
    this.#refresh(queue, nowMs);
    const best = this.#bestOf(queue, nowMs);
    return best !== undefined && this.#serve(queue, best, effects, nowMs);
  }

  #refresh(queue: Queue, nowMs: number): void {
    for (let i = 0; i < REFRESHED_PER_DECISION && queue.size > LOOKED_AT; i += 1) {
      const stale = queue.nextToRefresh();
      if (stale !== undefined && stale.estimatedAtMs < nowMs) this.#assess(stale, nowMs);
    }
  }

  /** Of those who are next by the order, the one that suits the ranks that have room best. */
  #bestOf(queue: Queue, nowMs: number): Look | undefined {
    const isShortest = queue.order === 'shortest';
    let best: Look | undefined;
    for (const waiting of queue.first(isShortest ? LOOKED_AT : 1)) {
      // Nowhere it takes less than its estimate.
      if (best !== undefined && waiting.estimateMs >= best.costMs) break;
      const look = this.#look(queue, waiting, nowMs);
      if (look !== undefined && look.costMs < (best?.costMs ?? Infinity)) best = look;
    }
    return best;
  }

  #look(queue: Queue, waiting: WaitingRequest, nowMs: number): Look | undefined {
    const assessment = this.#assess(waiting, nowMs);
    return assessment && this.#lookAt(queue, waiting, assessment, nowMs);
  }

  /** Undefined for one that had better wait for a prefix that is being computed. */
  #lookAt(
    queue: Queue,
    waiting: WaitingRequest,
    assessment: Assessment,
    nowMs: number,
  ): Look | undefined {
    const isLate = this.#settings(waiting.value.request.model).queue !== 'immediate';
    const wait = isLate ? this.#planner.worthWaiting(assessment) : undefined;
    if (wait === undefined || nowMs + wait.ms >= waiting.beginByMs) {
      return { waiting, assessment, costMs: this.#planner.estimateMs(assessment, true) };
    }
    queue.defer(waiting, nowMs + wait.ms, wait.planId);
    return undefined;
  }

  /** Plans it, or the oldest where its turn would make that wait too long; false when nobody has room. */
  #serve(queue: Queue, look: Look, effects: Effect[], nowMs: number): boolean {
    let next = look;
    const work = workOf(look.assessment.fleet);
    const { queue: queueing } = this.#settings(look.waiting.value.request.model);
    if (queueing !== 'immediate' && Number.isFinite(look.costMs)) {
      const { oldest } = queue;
      const mayOvertake = queue.mayOvertake(look.waiting, look.costMs, work, nowMs);
      if (!mayOvertake && oldest !== undefined && oldest !== look.waiting) {
        const assessment = this.#assess(oldest, nowMs);
        if (assessment === undefined) return false;
        const costMs = this.#planner.estimateMs(assessment, true);
        next = { waiting: oldest, assessment, costMs };
      }
    }
    const { waiting, assessment } = next;
    const settled = this.#planner.plan(waiting.value, assessment, waiting.dueAtMs, nowMs);
    if (settled === undefined) return false;
    this.#settle(waiting, settled, effects);
    return true;
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
      const work = workOf(assessment?.fleet);
      const drainMs = (queue.backlogMs + work.givenMs) / Math.max(1, work.ranks);
      const reply = this.#planner.refuse(
        late.value,
        'slo_unreachable',
        '',
        explanation,
        nowMs,
        drainMs,
      );
      effects.push(...reply);
    }
  }

  #settings(model: string): ModelSettings {
    return this.#planner.treatments.of(model).settings;
  }

  #assess(waiting: WaitingRequest, nowMs: number): Assessment | undefined {
    const assessment = this.#planner.assess(waiting.value, nowMs);
    if (assessment === undefined) return undefined;
    const { model } = waiting.value.request;
    this.waiting
      .queue(model)
      ?.estimated(waiting, this.#planner.estimateMs(assessment, false), nowMs);
    return assessment;
  }

  #waiting(open: OpenRequest, assessment: Assessment, nowMs: number): WaitingRequest {
    const { request } = open;
    const estimateMs = this.#planner.estimateMs(assessment, false);
    const { ttftBaseMs, ttftPerTokenMs } = this.#settings(request.model).slo;
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
      beginByMs: Infinity,
    };
  }

  #settle(waiting: WaitingRequest, settled: Effect[], effects: Effect[]): void {
    this.waiting.remove(waiting, waiting.value.request.promptTokens);
    effects.push(...settled);
  }
}

/** What those have to do that may prefill. */
function workOf(fleet: FleetView | undefined): FleetWork {
  const ranks = fleet?.ranks.filter((rank) => canPrefill(rank.facts)) ?? [];
  const givenMs = ranks.reduce((sum, { queueMs }) => sum + queueMs, 0);
  return { ranks: ranks.length, givenMs };
}

/** Whether any rank that may compute prompts has room for one. */
function hasRoom({ ranks }: FleetView): boolean {
  const prefillers = ranks.filter((rank) => canPrefill(rank.facts) && rank.state === 'ready');
  const able = prefillers.length > 0 ? prefillers : ranks;
  return able.some((rank) => rank.hasRoom);
}
