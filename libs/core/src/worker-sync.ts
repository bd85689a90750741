import { compareEpochs, type Epoch, type TierState } from '@baton/cluster';
import type { KvOp, SegmentIndex } from '@baton/index';
import { isTier } from '@baton/kv';
import type { KvDelta, SnapshotChunk } from './inputs.ts';
import type { CoreOptions } from './options.ts';
import { OpQueue, opsCost } from './op-queue.ts';
import { SnapshotRun } from './snapshot-run.ts';
import { firstDifference, tierAccounts } from './tier-accounts.ts';

/**
 * Why a snapshot is wanted: a new worker, missing deltas, another account although none is missing,
 * more changes than can wait, a snapshot that failed, room for what was evicted.
 */
export type ResyncCause = 'joined' | 'gap' | 'mismatch' | 'overflow' | 'failed' | 'evicted';

export interface Resync {
  cause: ResyncCause;
  /** In words. */
  reason: string;
}

export interface SyncCounters {
  /** Messages of another incarnation, or of a snapshot that is not asked for. */
  stale: number;
  duplicates: number;
  gaps: number;
  /** Count or XOR of a tier differed although no delta was missing. */
  mismatches: number;
  /** Snapshots that were complete. */
  snapshots: number;
  snapshotFailures: number;
  /** Messages of the worker that could not be read. */
  decodeFailures: number;
  /** Snapshots that were asked for, by their cause. */
  resyncs: Record<ResyncCause, number>;
}

/**
 * What the index knows of one worker in one incarnation, and how it comes to know it: deltas while
 * nothing is missing, else a snapshot by the buffer-first protocol. Old entries stay as hints until
 * the new ones are complete. Changes beyond `maxKeysPerStep` wait for {@link WorkerSync.work}.
 */
export class WorkerSync {
  readonly epoch: Epoch;
  readonly counters: SyncCounters = {
    stale: 0,
    duplicates: 0,
    gaps: 0,
    mismatches: 0,
    snapshots: 0,
    snapshotFailures: 0,
    decodeFailures: 0,
    resyncs: { joined: 0, gap: 0, mismatch: 0, overflow: 0, failed: 0, evicted: 0 },
  };
  readonly #workerId: string;
  readonly #index: SegmentIndex;
  readonly #options: CoreOptions;
  /** Of the last delta that was taken; what it says may still be waiting. */
  #lastSeq = 0;
  #wanted: Resync | undefined;
  #run: SnapshotRun | undefined;
  /** Of the snapshot while one runs, else of deltas. */
  readonly #waiting = new OpQueue();
  /** Snapshots since the worker's account and ours last agreed. */
  #attempts = 0;
  #notBeforeMs = 0;
  /** What the worker said last that it holds. */
  #states: readonly TierState[] = [];
  #isRefilling = false;
  #refillAtMs = 0;

  constructor(workerId: string, epoch: Epoch, index: SegmentIndex, options: CoreOptions) {
    this.#workerId = workerId;
    this.epoch = epoch;
    this.#index = index;
    this.#options = options;
  }

  /** True when the index has applied everything up to {@link WorkerSync.lastSeq}. */
  get isSynced(): boolean {
    return this.#wanted === undefined && this.#run === undefined && this.#waiting.isEmpty;
  }

  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  get isWanting(): boolean {
    return this.#wanted !== undefined;
  }

  get hasWork(): boolean {
    return !this.#waiting.isEmpty;
  }

  /** Keys of changes that wait for their turn or for the end of a snapshot. */
  get waitingKeys(): number {
    return this.#waiting.cost + (this.#run?.bufferedCost ?? 0);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** True while a snapshot is fetched because there is room again. */
  get isRefilling(): boolean {
    return this.#isRefilling;
  }

  /** Segments that the worker says it holds, resume points included. */
  get claimedSegments(): number {
    return this.#states.reduce((sum, { tier, segments }) => sum + (isTier(tier) ? segments : 0), 0);
  }

  get claimedRanks(): number[] {
    return [...new Set(this.#states.map(({ rank }) => rank))];
  }

  mayRefill(nowMs: number): boolean {
    return this.isSynced && nowMs >= this.#refillAtMs;
  }

  /** Why a snapshot may be asked for now; undefined when none is wanted, or not yet. */
  wantedAt(nowMs: number): Resync | undefined {
    const isFree = this.#run === undefined && this.#waiting.isEmpty;
    return isFree && nowMs >= this.#notBeforeMs ? this.#wanted : undefined;
  }

  start(snapshotId: number, { cause }: Resync, nowMs: number): void {
    this.#wanted = undefined;
    this.#attempts += 1;
    this.counters.resyncs[cause] += 1;
    this.#run = new SnapshotRun(snapshotId, this.#options, nowMs);
  }

  delta(delta: KvDelta, nowMs: number): void {
    if (compareEpochs(delta.epoch, this.epoch) !== 0) this.counters.stale += 1;
    else if (this.#run !== undefined) {
      if (!this.#run.buffer(delta)) this.overflow(nowMs);
    }
    // A snapshot that is still to be asked for will contain this one.
    else if (this.#wanted === undefined && this.#isNext(delta, nowMs)) {
      this.#enter(delta.ops);
      this.#lastSeq = delta.seq;
    }
  }

  /** Compares the worker's account with the index when both speak of the same delta. */
  beat(lastDeltaSeq: number, states: readonly TierState[], nowMs: number): void {
    this.#states = states;
    if (this.#wanted !== undefined || this.#run !== undefined) return;
    if (lastDeltaSeq > this.#lastSeq) this.#missing(lastDeltaSeq, nowMs);
    if (lastDeltaSeq !== this.#lastSeq || !this.isSynced) return;
    const isComparable = !this.#index.isIncomplete(this.#workerId);
    const difference = isComparable
      ? firstDifference(tierAccounts(this.#index, this.#workerId, states))
      : undefined;
    if (difference === undefined) {
      this.#attempts = 0;
      return;
    }
    this.counters.mismatches += 1;
    this.want('mismatch', difference, nowMs);
  }

  chunk(chunk: SnapshotChunk, nowMs: number): void {
    const run = this.#run;
    if (run === undefined || chunk.snapshotId !== run.id) {
      this.counters.stale += 1;
      return;
    }
    if (compareEpochs(chunk.epoch, this.epoch) !== 0) {
      this.counters.stale += 1;
      this.fail(run.id, 'the snapshot is of another incarnation', nowMs);
      return;
    }
    const outcome = run.take(chunk, nowMs);
    if (typeof outcome === 'object') this.fail(run.id, outcome.fault, nowMs);
    else if (outcome === 'repeated') this.counters.duplicates += 1;
    else {
      this.#enter(chunk.ops);
      this.#swapWhenDone(nowMs);
    }
  }

  /** Starts over, after a pause that grows with every try. */
  fail(snapshotId: number, reason: string, nowMs: number): void {
    if (this.#run?.id === snapshotId) this.#giveUp('failed', reason, nowMs);
  }

  /** There is no room for more changes that wait. */
  overflow(nowMs: number): void {
    const reason = 'too many changes are waiting';
    if (this.#run !== undefined) this.#giveUp('overflow', reason, nowMs);
    else this.want('overflow', reason, nowMs);
    this.#waiting.clear();
  }

  tick(nowMs: number): void {
    if (this.#run?.isOverdue(nowMs) === true) {
      this.fail(this.#run.id, 'the snapshot did not arrive in time', nowMs);
    }
  }

  /** Applies what waits, at most `maxKeysPerStep` keys of it. */
  work(nowMs: number): void {
    this.#apply(this.#waiting.take(this.#options.maxKeysPerStep));
    this.#swapWhenDone(nowMs);
  }

  /** `lastDeltaSeq` of the first beat: at 0 there is nothing that could be missing. */
  joined(lastDeltaSeq: number, nowMs: number): void {
    if (lastDeltaSeq > 0) this.want('joined', 'joined', nowMs);
  }

  /** There is room again for what the index had to evict. */
  refill(nowMs: number): void {
    this.#isRefilling = true;
    this.#refillAtMs = nowMs + this.#options.refillPauseMs;
    this.want('evicted', 'there is room again for what was evicted', nowMs);
  }

  want(cause: ResyncCause, reason: string, nowMs: number): void {
    this.#wanted = { cause, reason };
    const pauseMs = this.#attempts === 0 ? 0 : 500 * 2 ** Math.min(this.#attempts, 16);
    this.#notBeforeMs = nowMs + Math.min(pauseMs, this.#options.maxResyncPauseMs);
  }

  #isNext(delta: KvDelta, nowMs: number): boolean {
    if (delta.seq <= this.#lastSeq) this.counters.duplicates += 1;
    else if (delta.seq !== this.#lastSeq + 1) this.#missing(delta.seq - 1, nowMs);
    return delta.seq === this.#lastSeq + 1;
  }

  /** Applies changes as far as one step allows; the rest waits. */
  #enter(ops: readonly KvOp[]): void {
    const { maxKeysPerStep } = this.#options;
    if (this.#waiting.isEmpty && opsCost(ops) <= maxKeysPerStep) this.#apply(ops);
    else {
      this.#waiting.push(ops);
      this.#apply(this.#waiting.take(maxKeysPerStep));
    }
  }

  #apply(ops: readonly KvOp[]): void {
    const isAside = this.#run !== undefined;
    for (const op of ops) {
      if (isAside) this.#index.applyAside(this.#workerId, op);
      else this.#index.apply(this.#workerId, op);
    }
  }

  #missing(lastSeq: number, nowMs: number): void {
    this.counters.gaps += 1;
    this.want('gap', `deltas ${this.#lastSeq + 1} to ${lastSeq} are missing`, nowMs);
  }

  #giveUp(cause: ResyncCause, reason: string, nowMs: number): void {
    this.#run = undefined;
    this.#waiting.clear();
    this.#index.discardAside(this.#workerId);
    this.counters.snapshotFailures += 1;
    this.want(cause, reason, nowMs);
  }

  #swapWhenDone(nowMs: number): void {
    const run = this.#run;
    if (run?.isComplete !== true || !this.#waiting.isEmpty) return;
    this.#run = undefined;
    this.#isRefilling = false;
    this.counters.snapshots += 1;
    this.#index.swapIn(this.#workerId);
    this.#lastSeq = run.seq;
    for (const delta of run.later()) {
      if (this.#wanted !== undefined || !this.#isNext(delta, nowMs)) continue;
      this.#waiting.push(delta.ops);
      this.#lastSeq = delta.seq;
    }
  }
}
