/**
 * Stand-in engines: look-alikes of inference engines without a model, for tests and runs at scale.
 *
 * Data flow: HTTP → a call → an engine that schedules, pages and names KV as the real one does and takes the time of a
 * cost model → tokens that follow from the KV that was really read → answer; what enters and leaves the cache → KV
 * events on ZMQ. KV goes from engine to engine inside the process.
 * Invariants: equal prompts give equal answers, whichever engines compute them, as long as every KV block that is read
 * is the right one; what a user does wrong is a violation, and what it does not give back is a leak.
 * Cost: about 2 µs for each block of a prompt, a turn of the event loop for each engine step.
 *
 * @module
 */
export { VllmBlockNaming, type BlockNaming } from './cache/block-names.ts';
export { RealClock, VirtualClock } from './engine/clock.ts';
export type { EngineClock } from './engine/clock.ts';
export { defaultCost } from './engine-options.ts';
export type { MooncakeSettings, NixlSettings, StandInSettings } from './engine-options.ts';
export type { Fault, Leg } from './faults/fault.ts';
export { startSglangFleet, startVllmFleet } from './fleet.ts';
export type { FleetOptions, SglangFleetOptions, StandInFleet } from './fleet.ts';
export type { InUse } from './http/sim-routes.ts';
export { SglangPageNaming } from './sglang/page-names.ts';
export { ViolationLog } from './violations.ts';
export type { Violation, ViolationKind } from './violations.ts';
export type { StandIn } from './stand-in.ts';
