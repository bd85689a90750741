import type { BookedLoad, RankLoad, WorkerFacts, WorkerState } from '@baton/cluster';
import type { Match } from '@baton/index';
import type { LinkRates } from './link-rates.ts';

/** What a decision is about. */
export interface PlanQuery {
  promptTokens: number;
  /** 0 when the client sets no limit. */
  maxOutputTokens: number;
  segmentTokens: number;
  match: Match;
  /** Workers that failed for this request before. */
  excluded: ReadonlySet<string>;
}

/** One rank of one worker, with everything that counts as its load. */
export interface RankView {
  facts: WorkerFacts;
  rank: number;
  state: WorkerState;
  load: BookedLoad;
  /** The engine's last report; undefined before the first. */
  reported: RankLoad | undefined;
}

export interface FleetView {
  /** Ranks of the model's pool, by worker id and rank. */
  ranks: readonly RankView[];
  links: LinkRates;
  /** False while no order can reach an agent: then nothing may depend on moving KV. */
  transfersPossible: boolean;
}

export interface LegChoice {
  workerId: string;
  rank: number;
  /** Leading whole segments that it holds in HBM or DRAM. */
  heldSegments: number;
  /** Prompt tokens to compute there. */
  prefillTokens: number;
  kvBlocks: number;
}

/** A prefix to bring to the prefill worker before it computes. */
export interface PullChoice {
  sourceWorker: string;
  firstSegment: number;
  segments: number;
}

export type PlanMode = 'aggregated' | 'disaggregated';

export interface Choice {
  mode: PlanMode;
  /** The same worker as `decode` in aggregated mode. */
  prefill: LegChoice;
  decode: LegChoice;
  pull?: PullChoice | undefined;
  predictedTtftMs: number;
}

/** Terms of a candidate's cost, ms; what a policy does not compute is 0. */
export interface CostTerms {
  queueMs: number;
  fetchMs: number;
  prefillMs: number;
  handoverMs: number;
  /** Not part of the TTFT: keeps decode workers evenly loaded. */
  decodeLoadMs: number;
}

export interface CandidateRecord {
  mode: PlanMode;
  prefillWorker: string;
  decodeWorker: string;
  terms: CostTerms;
  totalMs: number;
  pull?: PullChoice | undefined;
  /** `tied` lost by rotation only. */
  outcome: 'chosen' | 'tied' | 'slower';
  /**
   * Of a slower one: the term in which it is behind the chosen one most, and how much it is behind
   * in all.
   */
  lostBy?: { term: keyof CostTerms; behindMs: number } | undefined;
}

export interface Explanation {
  policy: string;
  /** Leading prompt tokens that anybody in the fleet holds. */
  matchedTokens: number;
  /** Number of candidates; the list is cut. */
  considered: number;
  /** Cheapest first. */
  candidates: CandidateRecord[];
  /** Workers that were not considered for a leg, and why. */
  ineligible: { workerId: string; reason: string }[];
}

export type Decision =
  | { kind: 'chosen'; choice: Choice; explanation: Explanation }
  | { kind: 'none'; code: 'no_worker' | 'no_capacity'; explanation: Explanation };

/** A way to choose. It may keep state of its own, but the same calls give the same answers. */
export interface Policy {
  readonly name: string;
  decide(query: PlanQuery, fleet: FleetView): Decision;
}

/** Whole segments of a prompt that may be reused: the last prompt token is always computed. */
export function reusableSegments(promptTokens: number, segmentTokens: number): number {
  return Math.max(0, Math.floor((promptTokens - 1) / segmentTokens));
}
