import {
  lengthKey,
  type FleetView,
  type FleetWork,
  type RankView,
  type RequestQueue,
} from '@baton/scheduling';
import { canPrefill } from '@baton/cluster';
import { DEFAULT_PRIORITY } from '@baton/kv';
import type { Effect } from './effects.ts';
import type { PlanRequest } from './inputs.ts';
import type { ModelSettings } from './model-settings.ts';
import type { CoreOptions } from './options.ts';
import type { Assessment, Planner } from './planner.ts';
import { WaitingRequests, type OpenRequest, type WaitingRequest } from './waiting-requests.ts';

/** Who has not been looked at for so long is, one with each decision. */
const REFRESH_AFTER_MS = 1_000;
/** Who is next is compared by what the fleet held so long ago; who is planned, by what it holds. */
const COMPARED_AGE_MS = 500;
/** Of those who are next by the order, so many are looked at on the ranks that have room now. */
const LOOKED_AT = 4;
/** Looks of one step that find nobody to serve: at such as had better wait, or whom no room suits. */
const MOST_PASSES = 8;
/** Requests whose time is over that one step refuses; for more the next is due at once. */
const REFUSED_PER_STEP = 64;
/** What those are deferred for whom no room suits, while others are looked at. */
const OTHERS = 'others';

type Queue = RequestQueue<OpenRequest>;

/** What a look at those who are next came to; `over` when nobody else can be served. */
type Outcome = 'served' | 'passed' | 'over';

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
  /** Somebody was not looked at who could perhaps be served. */
  #isUnfinished = false;

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
    if (waiting.estimateMs === Infinity) {
      const explanation = this.#planner.explain(assessment);
      return this.#planner.refuse(open, 'no_worker', '', explanation, nowMs);
    }
    const { queue: queueing } = this.#settings(request.model);
    const isAlone = this.waiting.queue(request.model) === undefined;
    const mayGo = isAlone && this.#wait(assessment) === undefined;
    const settled = mayGo
      ? this.#planner.plan(open, assessment, waiting.dueAtMs, nowMs)
      : undefined;
    if (settled !== undefined) return settled;
    if (this.waiting.isFull) {
      return this.#planner.refuse(open, 'no_capacity', '', undefined, nowMs);
    }
    this.waiting.add(waiting, queueing, workOf(assessment.fleet));
    const effects: Effect[] = [];
    const queue = this.waiting.queue(request.model);
    const [first] = queue?.first(1) ?? [];
    if (queue !== undefined && first === waiting && !mayGo) {
      const look = this.#lookAt(queue, waiting, assessment, nowMs);
      if (look !== undefined) this.#serve(queue, look, effects, nowMs);
    }
    if (queue?.has(waiting) === true && hasRoom(assessment.fleet)) {
      this.#serveAll(request.model, effects, nowMs);
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
    this.#isUnfinished = false;
    for (const model of this.waiting.models()) {
      this.#refuseLate(model, effects, nowMs);
      this.#serveAll(model, effects, nowMs);
    }
  }

  /** Refuses those whose time is over, the first ones where they are many. */
  expire(effects: Effect[], nowMs: number): void {
    for (let refused = 0; refused < REFUSED_PER_STEP; refused += 1) {
      const waiting = this.waiting.expired(nowMs);
      if (waiting === undefined) return;
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
    const isDue = this.#isUnfinished || this.waiting.expired(nowMs) !== undefined;
    let atMs = isDue ? nowMs : Infinity;
    for (const model of this.waiting.models()) {
      const queue = this.waiting.queue(model);
      const changeAtMs = queue?.nextChangeAtMs() ?? Infinity;
      if (changeAtMs > nowMs) atMs = Math.min(atMs, changeAtMs);
      for (const { queueMs, hasRoom } of this.#planner.fleet(model, nowMs)?.fleet.ranks ?? []) {
        const leftMs = queueMs - this.#options.dispatchAheadMs;
        if (!hasRoom) atMs = Math.min(atMs, nowMs + leftMs);
      }
    }
    return atMs === Infinity ? undefined : atMs;
  }

  #serveAll(model: string, effects: Effect[], nowMs: number): void {
    const queue = this.waiting.queue(model);
    const aside: WaitingRequest[] = [];
    let passes = 0;
    for (let outcome: Outcome = 'served'; queue !== undefined && outcome !== 'over';) {
      if (passes >= MOST_PASSES) {
        this.#isUnfinished ||= aside.length === 0;
        break;
      }
      outcome = this.#serveNext(model, queue, aside, effects, nowMs);
      if (outcome === 'passed') passes += 1;
    }
    if (aside.length > 0) queue?.recall(nowMs, OTHERS);
  }

  /** Plans the next of a model, or lets those pass who had better wait or whom no room suits. */
  #serveNext(
    model: string,
    queue: Queue,
    aside: WaitingRequest[],
    effects: Effect[],
    nowMs: number,
  ): Outcome {
    const found = this.#planner.fleet(model, nowMs);
    if (found === undefined || !hasRoom(found.fleet)) return 'over';
    queue.recall(nowMs);
    this.#refresh(queue, nowMs);
    const looks = this.#looks(queue, nowMs);
    if (looks === undefined) return 'over';
    const [best] = looks.sort((a, b) => keyOf(a) - keyOf(b));
    if (best === undefined) return 'passed';
    const blocked = best.costMs === Infinity ? looks : [best];
    if (best.costMs < Infinity) {
      const outcome = this.#serve(queue, best, effects, nowMs);
      if (outcome !== 'passed') return outcome;
    }
    for (const { waiting } of blocked) queue.defer(waiting, Infinity, OTHERS);
    aside.push(...blocked.map(({ waiting }) => waiting));
    return 'passed';
  }

  #refresh(queue: Queue, nowMs: number): void {
    if (queue.size <= LOOKED_AT) return;
    const next = queue.nextToRefresh();
    if (next !== undefined && nowMs - next.estimatedAtMs > REFRESH_AFTER_MS) {
      this.#assess(next, nowMs);
    }
  }

  /** Those who are next by the order, on the ranks that have room; undefined when nobody is. */
  #looks(queue: Queue, nowMs: number): Look[] | undefined {
    const next = queue.first(queue.order === 'shortest' ? LOOKED_AT : 1);
    const looks: Look[] = [];
    let leastKey = Infinity;
    for (const waiting of next) {
      // Nowhere it takes less than its estimate.
      if (lengthKey(waiting.estimateMs, waiting.arrivedAtMs) >= leastKey) break;
      const look = this.#look(queue, waiting, nowMs);
      if (look === undefined) continue;
      looks.push(look);
      leastKey = Math.min(leastKey, keyOf(look));
    }
    return next.length === 0 ? undefined : looks;
  }

  #look(queue: Queue, waiting: WaitingRequest, nowMs: number): Look | undefined {
    const assessment = this.#assess(waiting, nowMs, COMPARED_AGE_MS);
    return assessment && this.#lookAt(queue, waiting, assessment, nowMs);
  }

  /** Undefined for one that had better wait for a prefix that is being computed. */
  #lookAt(
    queue: Queue,
    waiting: WaitingRequest,
    assessment: Assessment,
    nowMs: number,
  ): Look | undefined {
    const wait = this.#wait(assessment);
    if (wait === undefined || nowMs + wait.ms >= waiting.beginByMs) {
      return { waiting, assessment, costMs: this.#planner.estimateMs(assessment, true) };
    }
    queue.defer(waiting, nowMs + wait.ms, wait.planId);
    return undefined;
  }

  /** What it had better wait for; nobody waits where engines have the queues. */
  #wait(assessment: Assessment): { planId: string; ms: number } | undefined {
    const isLate = this.#settings(assessment.pool.model).queue !== 'immediate';
    return isLate ? this.#planner.worthWaiting(assessment) : undefined;
  }

  /**
   * Plans it, or the oldest where its turn would make that wait too long: then, where no room suits the
   * oldest, all wait for it.
   */
  #serve(queue: Queue, look: Look, effects: Effect[], nowMs: number): Outcome {
    let next = look;
    const work = workOf(look.assessment.fleet);
    const { queue: queueing } = this.#settings(look.waiting.value.request.model);
    if (queueing !== 'immediate' && Number.isFinite(look.costMs)) {
      const { oldest } = queue;
      const mayOvertake = queue.mayOvertake(look.waiting, look.costMs, work, nowMs);
      if (!mayOvertake && oldest !== undefined && oldest !== look.waiting) {
        const assessment = this.#assess(oldest, nowMs);
        if (assessment === undefined) return 'over';
        const costMs = this.#planner.estimateMs(assessment, true);
        next = { waiting: oldest, assessment, costMs };
      }
    }
    const { waiting } = next;
    const assessment = next.assessment.isFresh ? next.assessment : this.#assess(waiting, nowMs);
    if (assessment === undefined) return 'over';
    const settled = this.#planner.plan(waiting.value, assessment, waiting.dueAtMs, nowMs);
    if (settled !== undefined) {
      this.#settle(waiting, settled, effects);
      return 'served';
    }
    return next === look && queueing !== 'immediate' ? 'passed' : 'over';
  }

  /** Those who can no longer be in time go at once, and need not wait for an answer that says so. */
  #refuseLate(model: string, effects: Effect[], nowMs: number): void {
    const queue = this.waiting.queue(model);
    for (let looks = 0; ; looks += 1) {
      const late = queue?.tooLate(nowMs);
      if (queue === undefined || late === undefined) return;
      if (looks >= REFUSED_PER_STEP) {
        this.#isUnfinished = true;
        return;
      }
      const assessment = this.#assess(late, nowMs);
      if (queue.tooLate(nowMs) !== late) continue;
      this.waiting.remove(late);
      const explanation = assessment === undefined ? undefined : this.#planner.explain(assessment);
      const work = workOf(assessment?.fleet);
      const drainMs = (queue.backlogMs + work.givenMs) / Math.max(1, work.ranks);
      const retryAfterMs = Math.max(this.#options.retryAfterMs, drainMs);
      const reply = this.#planner.refuse(
        late.value,
        'slo_unreachable',
        '',
        explanation,
        nowMs,
        retryAfterMs,
      );
      effects.push(...reply);
    }
  }

  #settings(model: string): ModelSettings {
    return this.#planner.treatments.of(model).settings;
  }

  #assess(waiting: WaitingRequest, nowMs: number, maxAgeMs = 0): Assessment | undefined {
    const assessment = this.#planner.assess(waiting.value, nowMs, maxAgeMs);
    if (assessment?.isFresh !== true) return assessment;
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
      priority: request.priority ?? DEFAULT_PRIORITY,
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

/** What those have to do that may compute prompts. */
function workOf(fleet: FleetView | undefined): FleetWork {
  const work = { ranks: 0, givenMs: 0 };
  for (const { queueMs } of computing(fleet)) {
    work.ranks += 1;
    work.givenMs += queueMs;
  }
  return work;
}

function hasRoom(fleet: FleetView): boolean {
  return computing(fleet).some((rank) => rank.hasRoom);
}

/** Ready ranks that compute prompts: where there are none for that, those that decode. */
function computing(fleet: FleetView | undefined): RankView[] {
  const ready = (fleet?.ranks ?? []).filter(({ state }) => state === 'ready');
  const prefillers = ready.filter(({ facts }) => canPrefill(facts));
  return prefillers.length > 0 ? prefillers : ready;
}

function keyOf({ costMs, waiting }: Look): number {
  return lengthKey(costMs, waiting.arrivedAtMs);
}
