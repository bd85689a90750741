import { KEY_BYTES } from '@baton/kv';
import type { PrefillObservation } from '../cost/prefill-fit.ts';
import type { ComingPrefix, PlacedRank } from '../policy.ts';
import { sharedSegments, keyNumber } from './shared-segments.ts';

/** A prefill that a rank is given. */
export interface GivenPrefill extends PlacedRank {
  planId: string;
  /** Packed keys of the prompt's whole segments. */
  keys: Uint8Array;
  /** Leading segments that are there or are brought before it starts. */
  readySegments: number;
  contextTokens: number;
  newTokens: number;
  /** Predicted. */
  ms: number;
  /** Until it can start on an idle rank: the way to the engine. */
  delayMs: number;
  /** It waits for KV that is brought to its rank, until {@link PrefillWork.fetched}. */
  isFetching: boolean;
}

interface Work extends GivenPrefill {
  line: Line;
  /** What was brought first makes its duration say nothing about computing. */
  isMeasured: boolean;
  givenAtMs: number;
  /** Of the new segments, how much is known to be computed, 0 to 1. */
  doneShare: number;
  /** When that was known, or when it began; undefined while it is not at its rank's head. */
  knownAtMs: number | undefined;
  startedAtMs: number;
}

/** What a rank was given and has not done. */
export interface PrefillLine {
  /** Number of prefills. */
  readonly length: number;
  /** Until all of them are done, as predicted. */
  queueMs(nowMs: number): number;
}

class Line implements PrefillLine {
  readonly rank: number;
  /** In the order in which they were given. */
  readonly works: Work[] = [];
  /** Sum of what is left of all behind the first one: that does not change with time. */
  #behindMs = 0;

  constructor(rank: number) {
    this.rank = rank;
  }

  get length(): number {
    return this.works.length;
  }

  queueMs(nowMs: number): number {
    const [first] = this.works;
    return first === undefined ? 0 : leftMs(first, nowMs) + this.#behindMs;
  }

  add(work: Work): void {
    this.works.push(work);
    if (this.works.length > 1) this.#behindMs += unknownMs(work);
  }

  /** True when it was the first one. */
  remove(work: Work): boolean {
    const at = this.works.indexOf(work);
    this.works.splice(at, 1);
    const left = at === 0 ? this.works[0] : work;
    // Without anybody behind the first one, what rounding has left goes, too.
    if (this.works.length < 2) this.#behindMs = 0;
    else if (left !== undefined) this.#behindMs -= unknownMs(left);
    return at === 0;
  }

  /** So much of its new segments is known to be computed. */
  progress(work: Work, doneShare: number): void {
    const before = unknownMs(work);
    work.doneShare = doneShare;
    if (work !== this.works[0]) this.#behindMs += unknownMs(work) - before;
  }
}

/** A finished prefill counts as KV for so long, until the events that say so have come. */
const EVENT_GRACE_MS = 1_000;

/**
 * The prefills that ranks have been given and not yet finished, each rank's in order, and what their
 * KV will be. Engines take them in order; where one does not, predictions are off and nothing else.
 */
export class PrefillWork {
  /** Of each worker's ranks. */
  readonly #lines = new Map<string, Line[]>();
  readonly #plans = new Map<string, Work>();
  /** By the key of the first segment that is being computed. */
  readonly #byFirstKey = new Map<number, Work[]>();
  /** Finished ones whose KV events may still be on their way, by the time when they ended. */
  #finished: { work: Work; atMs: number }[] = [];
  #revision = 0;

  /** Differs when a line does, but for the time that passes. */
  get revision(): number {
    return this.#revision;
  }

  give(prefill: GivenPrefill, nowMs: number): void {
    this.#revision += 1;
    const line = this.#line(prefill);
    const work: Work = {
      ...prefill,
      line,
      isMeasured: !prefill.isFetching,
      givenAtMs: nowMs,
      doneShare: 0,
      knownAtMs: undefined,
      startedAtMs: 0,
    };
    line.add(work);
    this.#plans.set(prefill.planId, work);
    if (line.works[0] === work) begin(work, nowMs + prefill.delayMs);
    const first = firstKey(work);
    if (first === undefined) return;
    const same = this.#byFirstKey.get(first);
    if (same === undefined) this.#byFirstKey.set(first, [work]);
    else same.push(work);
  }

  /** What it waited for has come, or will not. */
  fetched(planId: string, nowMs: number): void {
    const work = this.#plans.get(planId);
    if (work === undefined) return;
    this.#revision += 1;
    work.isFetching = false;
    if (work.knownAtMs !== undefined) begin(work, Math.max(nowMs, work.knownAtMs));
  }

  /** So many leading segments of the prompt are there now. */
  progress(planId: string, segments: number, nowMs: number): void {
    const work = this.#plans.get(planId);
    if (work === undefined) return;
    const all = work.keys.length / KEY_BYTES - work.readySegments;
    const share = all <= 0 ? 0 : (segments - work.readySegments) / all;
    if (share <= work.doneShare) return;
    this.#revision += 1;
    work.line.progress(work, Math.min(1, share));
    if (work.knownAtMs !== undefined) work.knownAtMs = nowMs;
  }

  /** It is computed. Returns how long that took, when it says something about computing. */
  done(planId: string, nowMs: number): PrefillObservation | undefined {
    const work = this.#leaveLine(planId, nowMs);
    if (work === undefined) return undefined;
    this.#finished.push({ work, atMs: nowMs });
    this.#forgetFinished(nowMs);
    if (work.knownAtMs === undefined || !work.isMeasured) return undefined;
    const { newTokens, contextTokens } = work;
    return { newTokens, contextTokens, ms: nowMs - work.startedAtMs };
  }

  /** It will not be computed, or nobody knows. */
  dropped(planId: string, nowMs: number): void {
    const work = this.#leaveLine(planId, nowMs);
    if (work !== undefined) this.#forgetKeys(work);
  }

  forgetWorker(workerId: string, nowMs: number): void {
    for (const { planId } of this.givenToWorker(workerId)) this.dropped(planId, nowMs);
    const isLost = ({ work }: { work: Work }): boolean => work.workerId === workerId;
    for (const { work } of this.#finished.filter(isLost)) this.#forgetKeys(work);
    this.#finished = this.#finished.filter((one) => !isLost(one));
    this.#lines.delete(workerId);
  }

  /** Its figures go on to be true until the worker is forgotten. */
  line(rank: PlacedRank): PrefillLine {
    return this.#line(rank);
  }

  /**
   * Prefills that the worker's ranks were given, each rank's in order.
   *
   * @param atMost of each rank
   */
  givenToWorker(workerId: string, atMost = Infinity): GivenPrefill[] {
    const lines = this.#lines.get(workerId) ?? [];
    return lines.flatMap(({ works }) => works.slice(0, atMost));
  }

  /** Leading segments of the plan's prompt that are known to be there. */
  progressOf(planId: string): number {
    const work = this.#plans.get(planId);
    if (work === undefined) return 0;
    const all = work.keys.length / KEY_BYTES - work.readySegments;
    return work.readySegments + Math.round(work.doneShare * all);
  }

  /** What of this prompt is being computed, by rank. */
  coming(keys: Uint8Array, nowMs: number): ComingPrefix[] {
    this.#forgetFinished(nowMs);
    const found: ComingPrefix[] = [];
    if (this.#byFirstKey.size === 0) return found;
    for (let at = 0; at < keys.length; at += KEY_BYTES) {
      for (const work of this.#byFirstKey.get(keyNumber(keys, at)) ?? []) {
        const segments = sharedSegments(keys, work.keys);
        if (segments <= work.readySegments) continue;
        const { planId, workerId, rank } = work;
        const readyInMs = this.#plans.has(planId) ? this.#readyInMs(work, segments, nowMs) : 0;
        found.push({ planId, workerId, rank, segments, readyInMs });
      }
    }
    return found;
  }

  #line({ workerId, rank }: PlacedRank): Line {
    const lines = this.#lines.get(workerId) ?? [];
    const known = lines.find((line) => line.rank === rank);
    if (known !== undefined) return known;
    const line = new Line(rank);
    this.#lines.set(workerId, [...lines, line]);
    return line;
  }

  #readyInMs(work: Work, segments: number, nowMs: number): number {
    let before = 0;
    for (const other of work.line.works) {
      if (other === work) break;
      before += leftMs(other, nowMs);
    }
    const all = work.keys.length / KEY_BYTES - work.readySegments;
    const share = (segments - work.readySegments) / all;
    const left = leftMs(work, nowMs);
    return before + Math.max(0, left - (1 - share) * work.ms);
  }

  #leaveLine(planId: string, nowMs: number): Work | undefined {
    const work = this.#plans.get(planId);
    if (work === undefined) return undefined;
    this.#revision += 1;
    this.#plans.delete(planId);
    const wasFirst = work.line.remove(work);
    const [next] = work.line.works;
    if (wasFirst && next !== undefined) {
      begin(next, Math.max(nowMs, next.givenAtMs + next.delayMs));
    }
    return work;
  }

  #forgetFinished(nowMs: number): void {
    const isOver = ({ atMs }: { atMs: number }): boolean => nowMs - atMs > EVENT_GRACE_MS;
    const kept = this.#finished.findIndex((one) => !isOver(one));
    for (const { work } of this.#finished.splice(0, kept < 0 ? Infinity : kept)) {
      this.#forgetKeys(work);
    }
  }

  #forgetKeys(work: Work): void {
    const first = firstKey(work);
    const same = first === undefined ? undefined : this.#byFirstKey.get(first);
    if (first === undefined || same === undefined) return;
    same.splice(same.indexOf(work), 1);
    if (same.length === 0) this.#byFirstKey.delete(first);
  }
}

function begin(work: Work, atMs: number): void {
  work.startedAtMs = atMs;
  work.knownAtMs = atMs;
}

/** Of which nobody knows that it is computed. */
function unknownMs({ ms, doneShare }: Work): number {
  return ms * (1 - doneShare);
}

/**
 * One that should have ended is expected to take as long again as it is late: so a rank that has
 * stopped is given no more.
 */
function leftMs(work: Work, nowMs: number): number {
  const left = unknownMs(work);
  if (work.knownAtMs === undefined || work.isFetching) return left;
  const elapsed = nowMs - work.knownAtMs;
  return elapsed <= left ? left - elapsed : elapsed - left;
}

function firstKey({ keys, readySegments }: GivenPrefill): number | undefined {
  const at = readySegments * KEY_BYTES;
  return at < keys.length ? keyNumber(keys, at) : undefined;
}
