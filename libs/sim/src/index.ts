/**
 * A fleet in virtual time that drives the production core: what a policy would do with a trace, without a GPU.
 *
 * Data flow: requests of a trace arrive at a simulated gateway, which asks the core for plans; simulated engines compute
 * prompts and decode in steps that take what their cost model says; agents move KV over shared links, and tell the core
 * by beats and deltas what their workers hold. What happened to each request becomes a record, and records become
 * figures.
 * Invariants: equal arguments give equal results; a request is settled once; tokens that were computed and reused are
 * the prompt's; a worker's KV never exceeds its HBM; when all is settled nothing is booked, held or under way.
 * Cost: an event for each engine step, whatever the batch, and a plan for each request.
 *
 * @module
 */
export { a800 } from './cost/a800.ts';
export { dynamo } from './cost/dynamo.ts';
export { fittedCost } from './cost/fitted.ts';
export type { DecodeBatch, EngineCost, PromptPiece } from './cost/engine-cost.ts';
export { nobodyHangsUp } from './fleet/nobody-hangs-up.ts';
export type { FleetSize, SimulationOptions } from './fleet/options.ts';
export { LruList } from './kv/lru-list.ts';
export { poolHitRatio } from './report/pool-hit-ratio.ts';
export type { RequestRecord } from './report/request-record.ts';
export { simulationMetrics } from './report/simulation-metrics.ts';
export type { SimulationMetrics, Slos } from './report/simulation-metrics.ts';
export type { LeftBehind, SimulationResult, WorkerResult } from './report/simulation-result.ts';
export { simulate } from './simulate.ts';
export { EventQueue } from './time/event-queue.ts';
export { readTraceLine, TRACE_BLOCK_TOKENS } from './trace/trace-line.ts';
export type { TraceRequest } from './trace/trace-line.ts';
export type { LinkRate } from './transfers/link-network.ts';
export { rackLinks } from './transfers/rack-links.ts';
export { workloadRate } from './workload/workload-rate.ts';
export { workloads } from './workload/workloads.ts';
export type { WorkloadName } from './workload/workloads.ts';
