import type { Match } from '@baton/index';
import type { ModelSettings } from './model-settings.ts';
import type { SettingsChange } from './settings-change.ts';

/** Everything that bounds or times the core. */
export interface CoreOptions extends ModelSettings {
  /** Part of every plan id, so that ids of two conductors, or of two lives of one, differ. */
  instanceId: string;
  /** Of policies that choose by chance. */
  seed: number;
  /** Of models that are treated otherwise, by name. */
  models: Readonly<Record<string, SettingsChange>>;
  /** A rank is given the next prefill when it has this much left: what the way to the engine takes. */
  dispatchAheadMs: number;
  /** Expected between an answer and the start of the engine's work. */
  dispatchDelayMs: number;
  /** Longest wait for room that the order of the queue may cause, as far as the fleet can keep up. */
  waitBoundMs: number;
  /**
   * What a promised time between tokens is held against: the decode that is predicted for when the
   * request's own begins, or that of now.
   */
  decodeLoad: 'predicted' | 'current';
  /** Of workers that have measured nothing. */
  prefillTokensPerSec: number;
  /** Wraps each look-up of a prompt in the index, e.g. to time it. */
  aroundMatch?: ((match: () => Match) => Match) | undefined;
  /** A plan of which nothing is heard for this long is given up. */
  planLeaseMs: number;
  /** Longest wait of a request; then it is refused. */
  maxWaitMs: number;
  maxWaiting: number;
  /** Wait that a refused client is told. */
  retryAfterMs: number;
  maxLivePlans: number;
  /** Plans that have ended and are kept for explanation. */
  keptPlans: number;
  maxWorkers: number;
  minLeaseMs: number;
  maxLeaseMs: number;
  maxReplicas: number;
  maxRanks: number;
  handoverTimeoutMs: number;
  pullTimeoutMs: number;
  /** Of a link over which nothing has gone yet. */
  linkBytesPerSec: number;
  maxLinks: number;
  /** Loading a LoRA adapter into an engine where none was measured. */
  adapterLoadMs: number;
  /** Longest silence before and between the chunks of a snapshot. */
  snapshotTimeoutMs: number;
  /** However steadily its chunks come, a snapshot is given up after this long. */
  maxSnapshotMs: number;
  maxConcurrentSnapshots: number;
  maxSnapshotChunks: number;
  maxSnapshotKeys: number;
  /** Deltas of one worker that wait for the end of its snapshot. */
  maxBufferedDeltas: number;
  /** Keys of all workers' changes that wait for a snapshot's end or for their turn. */
  maxBufferedKeys: number;
  /** Keys that one step applies or wins back; what is more waits for the next. */
  maxKeysPerStep: number;
  /** Longest pause between two snapshots of a worker that does not come to agree. */
  maxResyncPauseMs: number;
  /**
   * A worker whose entries were evicted is asked for all of them again when they would fit in this
   * share of `maxReplicas`. Between it and the whole, where evicting begins, nothing is done: else one
   * worker's return would evict the next.
   */
  refillBelow: number;
  /** Shortest time between two such snapshots of one worker. */
  refillPauseMs: number;
}

export const defaultCoreOptions: Omit<CoreOptions, 'instanceId'> = {
  policy: 'kv-centric',
  models: {},
  seed: 1,
  queue: 'shortest',
  dispatchAheadMs: 20,
  dispatchDelayMs: 10,
  waitBoundMs: 60_000,
  slo: { ttftBaseMs: Infinity, ttftPerTokenMs: 0, tbtMs: Infinity },
  decodeLoad: 'predicted',
  prefillTokensPerSec: 2000,
  planLeaseMs: 5000,
  maxWaitMs: 60_000,
  maxWaiting: 1024,
  retryAfterMs: 1000,
  maxLivePlans: 8192,
  keptPlans: 256,
  maxWorkers: 1024,
  minLeaseMs: 500,
  maxLeaseMs: 60_000,
  maxReplicas: 5_000_000,
  maxRanks: 1024,
  handoverTimeoutMs: 120_000,
  pullTimeoutMs: 10_000,
  linkBytesPerSec: 500e6,
  maxLinks: 4096,
  // 160 MB, as of rank 64 for a model of 8B parameters, from a disk that reads 800 MB a second.
  adapterLoadMs: 200,
  snapshotTimeoutMs: 5000,
  maxSnapshotMs: 60_000,
  maxConcurrentSnapshots: 4,
  maxSnapshotChunks: 4096,
  maxSnapshotKeys: 16_000_000,
  maxBufferedDeltas: 16_384,
  maxBufferedKeys: 4_000_000,
  maxKeysPerStep: 4096,
  maxResyncPauseMs: 30_000,
  refillBelow: 0.9,
  refillPauseMs: 60_000,
};
