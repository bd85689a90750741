import { lengthKey, type FleetView, type FleetWork, type RequestQueue } from '@baton/scheduling';
import { DEFAULT_PRIORITY, type ErrorCode } from '@baton/kv';
import type { Effect } from './effects.ts';
import { computing } from './fleet-views.ts';
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
/** Then those who come after them have to wait until something changes. */
const MOST_PASSES_OF_A_WALK = 64;
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
  /** Passes of models whose waiting requests are looked at over several steps. */
  readonly #walked = new Map<string, number>();

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
      return this.#refuse(open, problem.code, undefined, nowMs, problem.message);
    }
    const assessment = this.#planner.assess(open, nowMs);
    if (assessment === undefined) throw new RangeError('a pool that was there is gone');
    const waiting = this.#waiting(open, assessment, nowMs);
    if (waiting.estimateMs === Infinity) {
      return this.#refuse(open, 'no_worker', assessment, nowMs);
    }
    const { queue: queueing } = this.#settings(request.model);
    const isAlone = this.waiting.queue(request.model) === undefined;
    const mayGo = isAlone && this.#wait(assessment) === undefined;
    const effects: Effect[] = [];
    if (mayGo && this.#settle(waiting, assessment, waiting.dueAtMs, effects, nowMs)) return effects;
    if (this.waiting.isFull) return this.#refuse(open, 'no_capacity', assessment, nowMs);
    this.waiting.add(waiting, queueing, workOf(assessment.fleet));
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
    effects.push(...this.#refuse(open, 'no_capacity', assessment, nowMs));
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
      const assessment = this.#planner.assess(waiting.value, nowMs);
      if (assessment && this.#settle(waiting, assessment, Infinity, effects, nowMs)) continue;
      const code = assessment === undefined ? 'model_not_found' : 'no_capacity';
      effects.push(...this.#refuse(waiting.value, code, assessment, nowMs));
      this.waiting.remove(waiting);
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
        // One that has been given many short ones has room when it reports the end of one.
        if (!hasRoom && leftMs > 0) atMs = Math.min(atMs, nowMs + leftMs);
      }
    }
    return atMs === Infinity ? undefined : atMs;
  }

  #serveAll(model: string, effects: Effect[], nowMs: number): void {
    const queue = this.waiting.queue(model);
    let passes = 0;
    for (let outcome: Outcome = 'served'; queue !== undefined && outcome !== 'over';) {
      if (passes >= MOST_PASSES) {
        const walked = (this.#walked.get(model) ?? 0) + passes;
        if (walked >= MOST_PASSES_OF_A_WALK) break;
        // Those who were set aside stay there until the others have been looked at.
        this.#walked.set(model, walked);
        this.#isUnfinished = true;
        return;
      }
      outcome = this.#serveNext(model, queue, effects, nowMs);
      if (outcome === 'passed') passes += 1;
    }
    this.#walked.delete(model);
    queue?.recall(nowMs, OTHERS);
  }

  /** Plans the next of a model, or lets those pass who had better wait or whom no room suits. */
  #serveNext(model: string, queue: Queue, effects: Effect[], nowMs: number): Outcome {
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
    if (this.#settle(waiting, assessment, waiting.dueAtMs, effects, nowMs)) return 'served';
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
      effects.push(...this.#refuse(late.value, 'slo_unreachable', assessment, nowMs));
    }
  }

  /** Who comes again is told when what waits now will have been begun, or decode will have room. */
  #refuse(
    open: OpenRequest,
    code: ErrorCode,
    assessment: Assessment | undefined,
    nowMs: number,
    message = '',
    explanation = assessment && this.#planner.explain(assessment),
  ): Effect[] {
    const work = workOf(assessment?.fleet);
    const backlogMs = this.waiting.queue(open.request.model)?.backlogMs ?? 0;
    const drainMs = (backlogMs + work.givenMs) / Math.max(1, work.ranks);
    const retryAfterMs = Math.max(
      this.#options.retryAfterMs,
      drainMs,
      code === 'no_capacity' ? this.#untilDecodeMs(assessment?.fleet, nowMs) : 0,
    );
    return this.#planner.refuse(open, code, message, explanation, retryAfterMs, nowMs);
  }

  /** Where not prefill is in the way: until an answer ends; 0 where nothing is known of that. */
  #untilDecodeMs(fleet: FleetView | undefined, nowMs: number): number {
    if (fleet === undefined || !hasRoom(fleet)) return 0;
    const endsInMs = this.#planner.decodes.nextEndInMs(fleet, nowMs);
    return endsInMs === Infinity ? 0 : endsInMs;
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
      placedByMs: estimateMs,
      // What an idle fleet could not do in time is done as well as it can be.
      dueAtMs: estimateMs > sloMs ? Infinity : nowMs + sloMs,
      beginByMs: Infinity,
    };
  }

  /** Plans it, or refuses it for good. False when it has to wait, or wait on. */
  #settle(
    waiting: WaitingRequest,
    assessment: Assessment,
    dueAtMs: number,
    effects: Effect[],
    nowMs: number,
  ): boolean {
    const { value: open } = waiting;
    const outcome = this.#planner.plan(open, assessment, dueAtMs, nowMs);
    if (outcome.kind === 'blocked') return false;
    // Only what is served is charged to its tenant.
    this.waiting.remove(waiting, outcome.kind === 'planned' ? open.request.promptTokens : 0);
    if (outcome.kind === 'planned') effects.push(...outcome.effects);
    else {
      const { code, explanation } = outcome;
      effects.push(...this.#refuse(open, code, assessment, nowMs, '', explanation));
    }
    return true;
  }
}

/** What those have to do that may compute prompts. */
function workOf(fleet: FleetView | undefined): FleetWork {
  const work = { ranks: 0, givenMs: 0 };
  for (const { queueMs } of fleet === undefined ? [] : computing(fleet)) {
    work.ranks += 1;
    work.givenMs += queueMs;
  }
  return work;
}

function hasRoom(fleet: FleetView): boolean {
  return computing(fleet).some((rank) => rank.hasRoom);
}

function keyOf({ costMs, waiting }: Look): number {
  return lengthKey(costMs, waiting.arrivedAtMs);
}
