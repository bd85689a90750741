/**
 * The conductor's core, without I/O: `createCore(options).step(input, nowMs)` takes one message or
 * a tick and returns what is to be done. It composes index, cluster, scheduling and transfers; the
 * conductor only carries messages.
 *
 * Data flow: beats and deltas → cluster and index; plan requests → match, decision, booking,
 * orders, answer; reports, results and ticks → bookings and leases fall.
 * Invariants: the same inputs at the same times give the same effects; a plan is booked before it
 * is answered; a plan ends once, by report, session or lease, and then nothing of it is booked;
 * after quiet the index is what the agents hold; every collection has a limit in CoreOptions.
 * Cost: a step is linear in what the input touches, and applies or wins back `maxKeysPerStep` keys at
 * most: the rest waits for `work`; a plan costs prefill workers times decode workers.
 *
 * @module
 */
export { Core, createCore } from './core.ts';
export type {
  CoreView,
  EventCounter,
  IndexStatus,
  PlansStatus,
  RankStatus,
  TierStatus,
  WorkerKnowledge,
  WorkerStatus,
} from './core-view.ts';
export type { Effect, PlanAnswer, PlannedLeg, PlanRefusal, PoolView } from './effects.ts';
export type {
  CoreInput,
  KvDelta,
  PlanPhase,
  PlanReport,
  PlanRequest,
  SnapshotChunk,
} from './inputs.ts';
export type { SyncView } from './knowledge.ts';
export { queueings } from './model-settings.ts';
export type { ModelSettings, Queueing, Slo } from './model-settings.ts';
export { defaultCoreOptions } from './options.ts';
export type { CoreOptions } from './options.ts';
export type { PlanRecord, PlanState, PlanTotals } from './plan-book.ts';
export type { OwnSettings, SettingsChange } from './settings-change.ts';
export type { Resync, ResyncCause, SyncCounters } from './worker-sync.ts';
