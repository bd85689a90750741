import type { Epoch, WorkerBeat } from '@baton/cluster';
import { SegmentIndex } from '@baton/index';
import type { Effect } from './effects.ts';
import type { KvDelta, SnapshotChunk } from './inputs.ts';
import type { CoreOptions } from './options.ts';
import { WorkerSync, type SyncCounters } from './worker-sync.ts';

export interface SyncView {
  synced: boolean;
  lastDeltaSeq: number;
  counters: SyncCounters;
}

/** Dropped replicas whose room is won back in one tick: some milliseconds of work. */
const SWEEP_PER_TICK = 20_000;

/** The index and how it follows every worker. Few snapshots run at a time. */
export class Knowledge {
  readonly index: SegmentIndex;
  readonly #options: CoreOptions;
  readonly #workers = new Map<string, WorkerSync>();
  #snapshotCount = 0;

  constructor(options: CoreOptions) {
    this.#options = options;
    this.index = new SegmentIndex(options);
  }

  /** A new worker or incarnation: whatever was known of it is void. */
  joined(beat: WorkerBeat, nowMs: number): void {
    const { workerId } = beat.worker;
    this.forget(workerId);
    const sync = this.#add(workerId, beat.epoch);
    sync.joined(beat.lastDeltaSeq, nowMs);
    sync.beat(beat.lastDeltaSeq, beat.tiers, nowMs);
  }

  renewed(beat: WorkerBeat, nowMs: number): void {
    this.#workers.get(beat.worker.workerId)?.beat(beat.lastDeltaSeq, beat.tiers, nowMs);
  }

  /**
   * Deltas of a worker that has not said its facts yet are dropped; its first beat tells what was
   * missed.
   */
  delta(delta: KvDelta, nowMs: number): void {
    this.#workers.get(delta.workerId)?.delta(delta, nowMs);
  }

  chunk(chunk: SnapshotChunk, nowMs: number): void {
    this.#workers.get(chunk.workerId)?.chunk(chunk, nowMs);
  }

  snapshotFailed(workerId: string, snapshotId: number, nowMs: number): void {
    this.#workers.get(workerId)?.fail(snapshotId, 'the snapshot was not answered', nowMs);
  }

  forget(workerId: string): void {
    this.#workers.delete(workerId);
    this.index.dropWorker(workerId);
  }

  tick(nowMs: number): void {
    for (const sync of this.#workers.values()) sync.tick(nowMs);
    this.index.sweep(SWEEP_PER_TICK);
  }

  /** Asks for snapshots that are wanted, as far as the limit allows. */
  requestSnapshots(nowMs: number): Effect[] {
    const effects: Effect[] = [];
    let running = [...this.#workers.values()].filter((sync) => sync.isRunning).length;
    for (const [workerId, sync] of this.#workers) {
      if (running >= this.#options.maxConcurrentSnapshots) break;
      const reason = sync.wantedAt(nowMs);
      if (reason === undefined) continue;
      this.#snapshotCount += 1;
      sync.start(this.#snapshotCount, nowMs);
      running += 1;
      effects.push({ type: 'resync', workerId, reason });
      effects.push({ type: 'requestSnapshot', workerId, snapshotId: this.#snapshotCount });
    }
    return effects;
  }

  view(workerId: string): SyncView | undefined {
    const sync = this.#workers.get(workerId);
    if (sync === undefined) return undefined;
    return {
      synced: sync.isSynced,
      lastDeltaSeq: sync.lastSeq,
      counters: { ...sync.counters },
    };
  }

  #add(workerId: string, epoch: Epoch): WorkerSync {
    const sync = new WorkerSync(workerId, epoch, this.index, this.#options);
    this.#workers.set(workerId, sync);
    return sync;
  }
}
