import type { TierState, WorkerBeat } from '@baton/cluster';
import { SegmentIndex, type IndexLimits } from '@baton/index';
import type { Effect } from './effects.ts';
import type { KvDelta, SnapshotChunk } from './inputs.ts';
import type { CoreOptions } from './options.ts';
import { tierAccounts, type TierAccount } from './tier-accounts.ts';
import { WorkerSync, type SyncCounters } from './worker-sync.ts';

export interface SyncView {
  /** True when the index has applied everything that was heard of the worker. */
  synced: boolean;
  /** True when the index had to evict some of its entries: what it holds is not all known. */
  incomplete: boolean;
  lastDeltaSeq: number;
  /** Keys of changes that wait for a snapshot's end or for their turn. */
  waitingKeys: number;
  counters: SyncCounters;
}

export interface KnowledgeCounters {
  /** Messages of workers that are not known, or no longer. */
  strayMessages: number;
}

/** The index and how it follows every worker. Few snapshots run at a time. */
export class Knowledge {
  readonly index: SegmentIndex;
  readonly counters: KnowledgeCounters = { strayMessages: 0 };
  readonly #options: CoreOptions;
  readonly #workers = new Map<string, WorkerSync>();
  /** Workers by what is to be done for them, in the order in which it came up. */
  readonly #wanting = new Set<string>();
  readonly #running = new Set<string>();
  readonly #working = new Set<string>();
  #snapshotCount = 0;
  #isSweepNext = false;

  constructor(options: CoreOptions) {
    this.#options = options;
    this.index = new SegmentIndex(options);
  }

  get limits(): IndexLimits {
    const { maxReplicas, maxRanks } = this.#options;
    return { maxReplicas, maxRanks };
  }

  /** True when {@link Knowledge.work} has something to do. */
  get hasWork(): boolean {
    return this.#working.size > 0 || !this.index.sweep(0);
  }

  /** A new worker or incarnation: whatever was known of it is void. */
  joined(beat: WorkerBeat, nowMs: number): void {
    const { workerId } = beat.worker;
    this.forget(workerId);
    const sync = new WorkerSync(workerId, beat.epoch, this.index, this.#options);
    this.#workers.set(workerId, sync);
    sync.joined(beat.lastDeltaSeq, nowMs);
    this.renewed(beat, nowMs);
  }

  renewed(beat: WorkerBeat, nowMs: number): void {
    const { workerId, hybrid, approximate } = beat.worker;
    this.index.setHybrid(workerId, hybrid === true);
    // What the index has of one of which nobody tells is the conductor's own guess.
    if (approximate === true) return;
    this.#with(workerId, (sync) => sync.beat(beat.lastDeltaSeq, beat.tiers, nowMs));
  }

  /**
   * Deltas of a worker that has not said its facts yet are dropped; its first beat tells what was
   * missed.
   */
  delta(delta: KvDelta, nowMs: number): void {
    this.#with(delta.workerId, (sync) => {
      sync.delta(delta, nowMs);
      if (sync.waitingKeys > 0 && this.#waitingKeys(sync) > this.#options.maxBufferedKeys) {
        sync.overflow(nowMs);
      }
    });
  }

  chunk(chunk: SnapshotChunk, nowMs: number): void {
    this.#with(chunk.workerId, (sync) => sync.chunk(chunk, nowMs));
  }

  snapshotFailed(workerId: string, snapshotId: number, reason: string, nowMs: number): void {
    this.#with(workerId, (sync) => sync.fail(snapshotId, reason, nowMs));
  }

  /** A beat of an incarnation that is over. */
  staleBeat(workerId: string): void {
    this.#with(workerId, (sync) => void (sync.counters.stale += 1));
  }

  /** A message of this worker could not be read; what was in it will be missed, and that heals. */
  unreadable(workerId: string): void {
    this.#with(workerId, (sync) => void (sync.counters.decodeFailures += 1));
  }

  forget(workerId: string): void {
    this.#workers.delete(workerId);
    for (const set of [this.#wanting, this.#running, this.#working]) set.delete(workerId);
    this.index.dropWorker(workerId);
  }

  /** One step of what waits: changes of one worker, or room of dropped entries that is won back. */
  work(nowMs: number): void {
    const [next] = this.#working;
    this.#isSweepNext = !this.#isSweepNext;
    if (next === undefined || (this.#isSweepNext && !this.index.sweep(0))) {
      this.index.sweep(this.#options.maxKeysPerStep);
      return;
    }
    this.#working.delete(next);
    this.#with(next, (sync) => sync.work(nowMs));
  }

  tick(nowMs: number): void {
    for (const workerId of this.#running) this.#with(workerId, (sync) => sync.tick(nowMs));
    this.#refill(nowMs);
    this.work(nowMs);
  }

  /** Asks for snapshots that are wanted, as far as the limit allows. */
  requestSnapshots(nowMs: number): Effect[] {
    const effects: Effect[] = [];
    for (const workerId of this.#wanting) {
      if (this.#running.size >= this.#options.maxConcurrentSnapshots) break;
      this.#with(workerId, (sync) => {
        const resync = sync.wantedAt(nowMs);
        if (resync === undefined) return;
        this.#snapshotCount += 1;
        sync.start(this.#snapshotCount, resync, nowMs);
        effects.push({ type: 'resync', workerId, ...resync });
        effects.push({ type: 'requestSnapshot', workerId, snapshotId: this.#snapshotCount });
      });
    }
    return effects;
  }

  view(workerId: string): SyncView | undefined {
    const sync = this.#workers.get(workerId);
    if (sync === undefined) return undefined;
    const { counters } = sync;
    return {
      synced: sync.isSynced,
      incomplete: this.index.isIncomplete(workerId),
      lastDeltaSeq: sync.lastSeq,
      waitingKeys: sync.waitingKeys,
      counters: { ...counters, resyncs: { ...counters.resyncs } },
    };
  }

  accounts(workerId: string, states: readonly TierState[]): TierAccount[] {
    return tierAccounts(this.index, workerId, states);
  }

  /** Asks a worker again for what was evicted, one worker at a time and only where all of it fits. */
  #refill(nowMs: number): void {
    const { maxReplicas, maxRanks, refillBelow } = this.#options;
    const { replicas, ranks, evictedReplicas, refusedStores } = this.index.stats();
    if (evictedReplicas + refusedStores === 0) return;
    const all = [...this.#workers];
    if (all.some(([, sync]) => sync.isRefilling)) return;
    const next = all.find(([workerId, sync]) => {
      if (!this.index.isIncomplete(workerId) || !sync.mayRefill(nowMs)) return false;
      const known = new Set(this.index.ranksOf(workerId));
      const newRanks = sync.claimedRanks.filter((rank) => !known.has(rank)).length;
      const fits = replicas + sync.claimedSegments <= refillBelow * maxReplicas;
      return fits && ranks + newRanks <= maxRanks;
    });
    if (next !== undefined) this.#with(next[0], (sync) => sync.refill(nowMs));
  }

  /** Of all workers; only those that have work or a snapshot running keep any. */
  #waitingKeys(current: WorkerSync): number {
    let sum = 0;
    for (const workerId of new Set([...this.#running, ...this.#working])) {
      const sync = this.#workers.get(workerId);
      if (sync !== current) sum += sync?.waitingKeys ?? 0;
    }
    return sum + current.waitingKeys;
  }

  #with(workerId: string, act: (sync: WorkerSync) => void): void {
    const sync = this.#workers.get(workerId);
    if (sync === undefined) {
      this.counters.strayMessages += 1;
      return;
    }
    act(sync);
    setMembership(this.#wanting, workerId, sync.isWanting);
    setMembership(this.#running, workerId, sync.isRunning);
    setMembership(this.#working, workerId, sync.hasWork);
  }
}

function setMembership(set: Set<string>, member: string, isIn: boolean): void {
  if (isIn) set.add(member);
  else set.delete(member);
}
