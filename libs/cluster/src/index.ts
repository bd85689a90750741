/**
 * The fleet as the conductor sees it: workers with incarnation, lease, state and load, and what
 * live plans have claimed.
 *
 * Beats come in, records and pools come out; bookings are taken with a decision and fall with a
 * report, a lease or a worker. Invariants: an older incarnation never changes anything; booked sums
 * are never negative and zero when no plan lives; workers of a pool share tokenization and segment
 * size, or stay out with a reason.
 * Cost: linear in the number of workers for pools, constant for a booking.
 *
 * @module
 */
export { Bookings } from './bookings.ts';
export type { BookedLoad, Booking, RankAccount } from './bookings.ts';
export { Cluster } from './cluster.ts';
export type { BeatOutcome, ClusterLimits, Pool, WorkerRecord } from './cluster.ts';
export { holdsAdapter } from './pool-adapters.ts';
export type { PoolAdapter } from './pool-adapters.ts';
export { canMoveKv, enginesMoveKv, layoutNumber, layoutObstacle } from './layout-compatibility.ts';
export { canDecode, canPrefill, compareEpochs } from './worker.ts';
export { sampleBeat, sampleFacts } from './testing/worker-sample.ts';
export type {
  AgentCounters,
  Capabilities,
  Epoch,
  RankLoad,
  Role,
  TierState,
  WorkerAdapters,
  WorkerBeat,
  WorkerFacts,
  WorkerState,
} from './worker.ts';
