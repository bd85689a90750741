/**
 * The decision: which workers run a request, what KV moves before, and why.
 *
 * A policy gets a query (prompt length and match) and a view of the pool, and gives a choice with
 * its explanation, or a reason why there is none. It books nothing and moves nothing.
 * Invariants: the same calls give the same decisions; a prefill worker never decodes; KV only moves
 * where layouts allow; decode capacity is never exceeded by a choice.
 * Cost: prefill workers times decode workers for each decision.
 *
 * @module
 */
export { kvCentricDefaults } from './kv-centric/parameters.ts';
export type { KvCentricParameters } from './kv-centric/parameters.ts';
export { LinkRates } from './link-rates.ts';
export type { LinkRateOptions } from './link-rates.ts';
export { createPolicy, policyNames } from './policies.ts';
export { reusableSegments } from './policy.ts';
export type {
  CandidateRecord,
  Choice,
  CostTerms,
  Decision,
  Explanation,
  FleetView,
  LegChoice,
  PlanMode,
  PlanQuery,
  Policy,
  PullChoice,
  RankView,
} from './policy.ts';
