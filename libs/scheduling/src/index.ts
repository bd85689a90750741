/**
 * The decision: which workers run a request, what KV moves before, and why.
 *
 * A policy gets a query (prompt and match) and a view of the pool, and gives a choice with
 * its explanation, or a reason why there is none. It books nothing and moves nothing.
 * Invariants: the same calls give the same decisions; a prefill worker never decodes; KV only moves
 * where layouts allow; decode capacity is never exceeded by a choice.
 * Cost: prefill workers times decode workers for each decision.
 *
 * @module
 */
export { pairs, prefillMs } from './cost/prefill-cost.ts';
export type { PrefillCost } from './cost/prefill-cost.ts';
export { CostBook } from './cost/cost-book.ts';
export type { LearnedCost } from './cost/cost-book.ts';
export { DecodeBook } from './cost/decode-book.ts';
export type { LearnedDecodeCost } from './cost/decode-book.ts';
export { explainNobody } from './explanation.ts';
export { LinkRates } from './link-rates.ts';
export type { LinkRateOptions } from './link-rates.ts';
export { RecentMean } from './output/recent-mean.ts';
export type { Parameter, ParameterTable } from './parameters.ts';
export { createPolicy, policyEntries, policyNames } from './policies.ts';
export type { PolicyName, PolicySelection } from './policies.ts';
export { rankName } from './rank-name.ts';
export { seededRandom } from './random.ts';
export type { Random } from './random.ts';
export type {
  AdapterDemand,
  CandidateRecord,
  Choice,
  ComingPrefix,
  CostTerms,
  Decision,
  Explanation,
  FleetView,
  KeptTurn,
  LegChoice,
  PlanMode,
  PlanQuery,
  Policy,
  PullChoice,
  RankView,
  TbtObjective,
} from './policy.ts';
export { Heap } from './queue/heap.ts';
export { lengthKey, queueOrders, RequestQueue } from './queue/request-queue.ts';
export type { FleetWork, QueueOrder, Waiting } from './queue/request-queue.ts';
export { DecodeWork } from './work/decode-work.ts';
export { pulledSegments } from './held.ts';
export { PrefillWork, type PrefillLine } from './work/prefill-work.ts';
