import type { KvDelta, SnapshotChunk } from './inputs.ts';
import type { CoreOptions } from './options.ts';
import { opsCost, unpinned } from './op-queue.ts';

/** A snapshot under way: which of its chunks have come, and the deltas that came meanwhile. */
export class SnapshotRun {
  readonly id: number;
  /** The last delta that the snapshot contains; known with its first chunk. */
  seq = 0;
  readonly #options: CoreOptions;
  readonly #endMs: number;
  #silentUntilMs: number;
  /** Which chunks have come; empty before the first. */
  #seen: boolean[] = [];
  #missing = 0;
  #cost = 0;
  readonly #buffer: KvDelta[] = [];
  #bufferedCost = 0;

  constructor(id: number, options: CoreOptions, nowMs: number) {
    this.id = id;
    this.#options = options;
    this.#silentUntilMs = nowMs + options.snapshotTimeoutMs;
    this.#endMs = nowMs + options.maxSnapshotMs;
  }

  /** True when nothing was heard for too long, or it takes too long altogether. */
  isOverdue(nowMs: number): boolean {
    return nowMs >= this.#silentUntilMs || nowMs >= this.#endMs;
  }

  get isComplete(): boolean {
    return this.#seen.length > 0 && this.#missing === 0;
  }

  /** Whether the chunk is new; else that it has come before, or why the snapshot is of no use. */
  take(chunk: SnapshotChunk, nowMs: number): 'new' | 'repeated' | { fault: string } {
    const { maxSnapshotChunks, maxSnapshotKeys, snapshotTimeoutMs } = this.#options;
    if (this.#seen.length === 0) {
      if (chunk.count < 1 || chunk.count > maxSnapshotChunks) {
        return { fault: `a snapshot of ${chunk.count} chunks` };
      }
      this.#seen = new Array<boolean>(chunk.count).fill(false);
      this.#missing = chunk.count;
      this.seq = chunk.seq;
    }
    const fits = chunk.index >= 0 && chunk.index < this.#seen.length;
    if (!fits || chunk.count !== this.#seen.length || chunk.seq !== this.seq) {
      return { fault: 'chunks of the snapshot contradict each other' };
    }
    if (this.#seen[chunk.index] === true) return 'repeated';
    this.#seen[chunk.index] = true;
    this.#missing -= 1;
    this.#cost += opsCost(chunk.ops);
    if (this.#cost > maxSnapshotKeys) return { fault: 'the snapshot is too large' };
    this.#silentUntilMs = nowMs + snapshotTimeoutMs;
    return 'new';
  }

  /** Keys of buffered deltas. */
  get bufferedCost(): number {
    return this.#bufferedCost;
  }

  /** False when there is no room for it. */
  buffer(delta: KvDelta): boolean {
    if (this.#buffer.length >= this.#options.maxBufferedDeltas) return false;
    this.#buffer.push({ ...delta, ops: delta.ops.map(unpinned) });
    this.#bufferedCost += opsCost(delta.ops);
    return true;
  }

  /** Deltas that the snapshot does not contain, in order. */
  later(): KvDelta[] {
    return this.#buffer.filter(({ seq }) => seq > this.seq).sort((a, b) => a.seq - b.seq);
  }
}
