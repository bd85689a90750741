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
export { simulate } from './simulate.ts';
export type { SimulationOptions } from './fleet/options.ts';
