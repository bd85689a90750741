import { compareEpochs, type Epoch, type TierState } from '@baton/cluster';
import type { KvOp, SegmentIndex } from '@baton/index';
import { isTier, KEY_BYTES, sameKey, tiers } from '@baton/kv';
import type { KvDelta, SnapshotChunk } from './inputs.ts';
import type { CoreOptions } from './options.ts';

export interface SyncCounters {
  /** Deltas or chunks of another incarnation, or of a snapshot that is not asked for. */
  stale: number;
  duplicates: number;
  gaps: number;
  /** Count or XOR of a tier differed although no delta was missing. */
  mismatches: number;
  snapshots: number;
  snapshotFailures: number;
}

interface RunningSnapshot {
  id: number;
  deadlineMs: number;
  /** Which chunks have come. */
  seen: boolean[];
  missing: number;
  seq: number;
  keys: number;
  buffer: KvDelta[];
  bufferedKeys: number;
}

/**
 * What the index knows of one worker in one incarnation, and how it comes to know it: deltas while
 * nothing is missing, else a snapshot by the buffer-first protocol. Old entries stay as hints until
 * the new ones are complete.
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
  };
  readonly #workerId: string;
  readonly #index: SegmentIndex;
  readonly #options: CoreOptions;
  #lastSeq = 0;
  #wanted: string | undefined;
  #running: RunningSnapshot | undefined;
  /** Snapshots since the worker's account and ours last agreed. */
  #attempts = 0;
  #notBeforeMs = 0;

  constructor(workerId: string, epoch: Epoch, index: SegmentIndex, options: CoreOptions) {
    this.#workerId = workerId;
    this.epoch = epoch;
    this.#index = index;
    this.#options = options;
  }

  get isSynced(): boolean {
    return this.#wanted === undefined && this.#running === undefined;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Why a snapshot may be asked for now; undefined when none is wanted, or not yet. */
  wantedAt(nowMs: number): string | undefined {
    return this.#running === undefined && nowMs >= this.#notBeforeMs ? this.#wanted : undefined;
  }

  start(snapshotId: number, nowMs: number): void {
    this.#wanted = undefined;
    this.#attempts += 1;
    this.#running = {
      id: snapshotId,
      deadlineMs: nowMs + this.#options.snapshotTimeoutMs,
      seen: [],
      missing: 0,
      seq: 0,
      keys: 0,
      buffer: [],
      bufferedKeys: 0,
    };
  }

  delta(delta: KvDelta, nowMs: number): void {
    if (compareEpochs(delta.epoch, this.epoch) !== 0) {
      this.counters.stale += 1;
      return;
    }
    if (this.#running !== undefined) this.#buffer(this.#running, delta, nowMs);
    // A snapshot that is still to be asked for will contain this one.
    else if (this.#wanted === undefined) this.#apply(delta, nowMs);
  }

  /** Compares the worker's account with the index when both speak of the same delta. */
  beat(lastDeltaSeq: number, states: readonly TierState[], nowMs: number): void {
    if (!this.isSynced || lastDeltaSeq < this.#lastSeq) return;
    if (lastDeltaSeq > this.#lastSeq) {
      this.counters.gaps += 1;
      this.#want(`deltas ${this.#lastSeq + 1} to ${lastDeltaSeq} are missing`, nowMs);
      return;
    }
    if (this.#index.isIncomplete(this.#workerId)) return;
    const difference = this.#difference(states);
    if (difference === undefined) {
      this.#attempts = 0;
      return;
    }
    this.counters.mismatches += 1;
    this.#want(difference, nowMs);
  }

  chunk(chunk: SnapshotChunk, nowMs: number): void {
    const running = this.#running;
    const sameEpoch = compareEpochs(chunk.epoch, this.epoch) === 0;
    if (running === undefined || chunk.snapshotId !== running.id || !sameEpoch) {
      this.counters.stale += 1;
      if (running !== undefined && chunk.snapshotId === running.id) {
        this.fail(running.id, 'the snapshot is of another incarnation', nowMs);
      }
      return;
    }
    const { maxSnapshotChunks, maxSnapshotKeys } = this.#options;
    if (running.seen.length === 0) {
      if (chunk.count < 1 || chunk.count > maxSnapshotChunks) {
        this.fail(running.id, `a snapshot of ${chunk.count} chunks`, nowMs);
        return;
      }
      running.seen = new Array<boolean>(chunk.count).fill(false);
      running.missing = chunk.count;
      running.seq = chunk.seq;
    }
    const fits = chunk.index >= 0 && chunk.index < running.seen.length;
    if (!fits || chunk.count !== running.seen.length || chunk.seq !== running.seq) {
      this.fail(running.id, 'chunks of the snapshot contradict each other', nowMs);
      return;
    }
    if (running.seen[chunk.index] === true) return;
    running.seen[chunk.index] = true;
    running.missing -= 1;
    running.keys += keysOf(chunk.ops);
    if (running.keys > maxSnapshotKeys) {
      this.fail(running.id, 'the snapshot is too large', nowMs);
      return;
    }
    for (const op of chunk.ops) this.#index.applyAside(this.#workerId, op);
    if (running.missing === 0) this.#swap(running, nowMs);
  }

  /** Starts over, after a pause that grows with every try. */
  fail(snapshotId: number, reason: string, nowMs: number): void {
    if (this.#running?.id !== snapshotId) return;
    this.#running = undefined;
    this.#index.discardAside(this.#workerId);
    this.counters.snapshotFailures += 1;
    this.#want(reason, nowMs);
  }

  tick(nowMs: number): void {
    if (this.#running !== undefined && this.#running.deadlineMs <= nowMs) {
      this.fail(this.#running.id, 'the snapshot did not arrive in time', nowMs);
    }
  }

  /** `lastDeltaSeq` of the first beat: at 0 there is nothing that could be missing. */
  joined(lastDeltaSeq: number, nowMs: number): void {
    if (lastDeltaSeq > 0) this.#want('joined', nowMs);
  }

  #want(reason: string, nowMs: number): void {
    this.#wanted = reason;
    const pauseMs = this.#attempts === 0 ? 0 : 500 * 2 ** Math.min(this.#attempts, 16);
    this.#notBeforeMs = nowMs + Math.min(pauseMs, this.#options.maxResyncPauseMs);
  }

  #apply(delta: KvDelta, nowMs: number): void {
    if (delta.seq <= this.#lastSeq) {
      this.counters.duplicates += 1;
      return;
    }
    if (delta.seq !== this.#lastSeq + 1) {
      this.counters.gaps += 1;
      this.#want(`deltas ${this.#lastSeq + 1} to ${delta.seq - 1} are missing`, nowMs);
      return;
    }
    for (const op of delta.ops) this.#index.apply(this.#workerId, op);
    this.#lastSeq = delta.seq;
  }

  #buffer(running: RunningSnapshot, delta: KvDelta, nowMs: number): void {
    running.buffer.push(delta);
    running.bufferedKeys += keysOf(delta.ops);
    const { maxBufferedDeltas, maxBufferedKeys } = this.#options;
    if (running.buffer.length > maxBufferedDeltas || running.bufferedKeys > maxBufferedKeys) {
      this.fail(running.id, 'too many deltas came during the snapshot', nowMs);
    }
  }

  #swap(running: RunningSnapshot, nowMs: number): void {
    this.#running = undefined;
    this.counters.snapshots += 1;
    this.#index.swapIn(this.#workerId);
    this.#lastSeq = running.seq;
    const later = running.buffer.filter((delta) => delta.seq > running.seq);
    for (const delta of later.sort((a, b) => a.seq - b.seq)) {
      if (this.#wanted === undefined) this.#apply(delta, nowMs);
    }
  }

  /**
   * The first tier in which the worker's account is another than the index; undefined when they
   * agree.
   */
  #difference(states: readonly TierState[]): string | undefined {
    const ranks = new Set([...this.#index.ranksOf(this.#workerId), ...states.map((s) => s.rank)]);
    for (const rank of ranks) {
      for (const tier of tiers) {
        const state = states.find((entry) => entry.rank === rank && entry.tier === tier);
        const ours = this.#index.tierDigest(this.#workerId, rank, tier);
        const theirs = state?.segments ?? 0;
        const what = `rank ${rank} tier ${tier}`;
        if (theirs !== ours.segments) return `${what}: ${ours.segments} segments, not ${theirs}`;
        const comparable =
          state !== undefined && isTier(state.tier) && state.xor.length === KEY_BYTES;
        if (comparable && !sameKey(state.xor, ours.xor)) return `${what}: other segments`;
      }
    }
    return undefined;
  }
}

function keysOf(ops: readonly KvOp[]): number {
  return ops.reduce((sum, op) => sum + op.keys.length / KEY_BYTES, 0);
}
