import type { BookedLoad, RankLoad, WorkerFacts, WorkerState } from '@baton/cluster';
import type { Match } from '@baton/index';
import type { KvLayout } from '@baton/kv';
import type { PrefillCost } from './cost/prefill-cost.ts';
import type { LinkRates } from './link-rates.ts';

/** What a decision is about. */
export interface PlanQuery {
  promptTokens: number;
  /** 0 when the client sets no limit. */
  maxOutputTokens: number;
  segmentTokens: number;
  /** Packed keys of the prompt's whole segments. */
  segmentKeys: Uint8Array;
  match: Match;
  /** What a decode worker has kept of the conversation so far; undefined where none has. */
  keptTurn?: KeptTurn | undefined;
  /** What plans at work will add to what the index knows, as far as it is of this prompt. */
  coming: readonly ComingPrefix[];
  /** Workers that failed for this request before. */
  excluded: ReadonlySet<string>;
  /** Of the client's conversation; empty when it names none. */
  sessionId: string;
  /** How quickly its tokens are to come; undefined where nothing is promised. */
  tbt?: TbtObjective | undefined;
  /** That it asks for; undefined for the base model. */
  adapter?: AdapterDemand | undefined;
  nowMs: number;
}

/** Prompt and answer of a conversation's last turn, which a decode worker keeps for the prefill of the next one. */
export interface KeptTurn {
  workerId: string;
  layout: KvLayout;
  /** Leading tokens of this prompt. */
  tokens: number;
}

/** A LoRA adapter that a request needs on every worker that takes part. */
export interface AdapterDemand {
  /** Why a worker cannot serve it; undefined when it can. */
  obstacle(workerId: string): string | undefined;
  /** Loading it on a worker before it can be used; 0 where it has its place. */
  loadMs(facts: WorkerFacts): number;
}

/** A promised time between two tokens, and what it would be. */
export interface TbtObjective {
  sloMs: number;
  /**
   * Predicted of a rank with this request, when its decode begins; undefined while no step there was
   * measured.
   */
  predictedMs(rank: RankView): number | undefined;
}

/** Leading segments of a prompt that a rank will hold when a prefill that it has been given ends. */
export interface ComingPrefix {
  /** Whose prefill it is. */
  planId: string;
  workerId: string;
  rank: number;
  segments: number;
  /** Until the last of them is there; 0 when it is and only its events are still to come. */
  readyInMs: number;
}

/** One rank of one worker, with everything that counts as its load. */
export interface RankView {
  /** By {@link rankName}. */
  name: string;
  facts: WorkerFacts;
  /** Of its worker's KV layout: equal ones have the same. */
  layoutNumber: number;
  rank: number;
  state: WorkerState;
  load: Readonly<BookedLoad>;
  /** Of that what Baton has not sent. */
  foreign: Readonly<BookedLoad>;
  /** The engine's last report; undefined before the first. */
  reported: RankLoad | undefined;
  /** Until the prefills that it has been given are done. */
  queueMs: number;
  /** Whether it may be given a prefill now; otherwise requests wait, and not in the engine. */
  hasRoom: boolean;
  cost: PrefillCost;
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
  /** Leading whole segments that it takes from its own tiers. */
  heldSegments: number;
  /** Of these the last ones, which it loads from SSD or from tiers of its engine. */
  loadedSegments: number;
  /** Prompt tokens to compute there. */
  prefillTokens: number;
  /** Predicted time of computing them. */
  prefillMs: number;
  /** Predicted time of loading the request's adapter before that; 0 without one. */
  adapterMs: number;
  kvBlocks: number;
}

/** A run of segments to bring to the prefill worker before it computes. */
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
  /** Behind each other without a gap, each from another worker; empty where nothing is pulled. */
  pulls: readonly PullChoice[];
  /**
   * Segments behind those that it holds which the prefill engine reads from the decode worker that has kept the turn
   * before; 0 when it is told of the turn and lacks nothing of it. Undefined when it is not told.
   */
  turnSegments?: number | undefined;
  /** Until the prompt is computed; what its engine gives the first token at. */
  computedInMs: number;
  /** With the handover, where there is one. */
  predictedTtftMs: number;
}

/** Named parts of a candidate's cost, each with its unit in its name where it has one. */
export type CostTerms = Readonly<Record<string, number>>;

export interface CandidateRecord {
  /** What was chosen by this comparison: a pair at once, or one leg by itself. */
  leg: Leg | 'pair';
  mode: PlanMode;
  /** Empty where the comparison was about the other leg. */
  prefillWorker: string;
  decodeWorker: string;
  terms: CostTerms;
  /** The least is chosen; policies that add up scores have them here with a minus. */
  cost: number;
  /** As of the choice. */
  pulls?: readonly PullChoice[] | undefined;
  /** `tied` lost by rotation or chance only. */
  outcome: 'chosen' | 'tied' | 'behind';
  /** Of one that is behind: the term in which most, and how much it is behind in all. */
  lostBy?: { term: string; behind: number } | undefined;
}

export interface Explanation {
  policy: string;
  /** Why it came to this comparison, where the policy has several ways. */
  reasons: string[];
  /** Leading prompt tokens that anybody in the fleet holds. */
  matchedTokens: number;
  /** Number of candidates; the list is cut. */
  considered: number;
  /** Of each leg the chosen one first, then by cost. */
  candidates: CandidateRecord[];
  /** Workers that were not considered for a leg, and why. */
  ineligible: { workerId: string; reason: string }[];
}

export type Decision =
  | { kind: 'chosen'; choice: Choice; explanation: Explanation }
  | { kind: 'none'; code: 'no_worker' | 'no_capacity'; explanation: Explanation };

/** A way to choose both legs. It may keep state of its own; the same calls give the same answers. */
export interface Policy {
  readonly name: string;
  decide(query: PlanQuery, fleet: FleetView): Decision;
  /**
   * Least time that a prefill of it would take somewhere, were all ranks idle.
   *
   * @param isNow only ranks that have room count; Infinity when there is none
   */
  estimateMs(query: PlanQuery, fleet: FleetView, isNow?: boolean): number;
  /** The choice is carried out. */
  placed?(query: PlanQuery, choice: Choice): void;
  forgetWorker?(workerId: string): void;
}

/** `whole` is the only leg of a request that runs on one worker. */
export type Leg = 'prefill' | 'decode' | 'whole';

/** What one rank is worth to a leg. */
export interface LegScore {
  terms: CostTerms;
  /** The least is best. */
  cost: number;
  /** What would be pulled there first. */
  pulls?: readonly PullChoice[] | undefined;
  /** What waiting for that adds to the queue. */
  fetchMs?: number | undefined;
}

export interface LegPick {
  /** Position of the chosen one among the ranks that were offered. */
  index: number;
  /** One for each rank that was offered, for explanation. */
  scores: readonly LegScore[];
  /** In words, where the policy has several ways to choose. */
  reason?: string | undefined;
}

/**
 * A way to choose the rank of one leg. The ranks that it is offered can all run the leg and are never
 * none; `whole` legs and `prefill` legs are theirs to compute, `decode` legs come with their KV.
 */
export interface LegPolicy {
  readonly name: string;
  pick(query: PlanQuery, leg: Leg, ranks: readonly RankView[], fleet: FleetView): LegPick;
  /** The pick is carried out. */
  placed?(query: PlanQuery, rank: PlacedRank): void;
  forgetWorker?(workerId: string): void;
}

export interface PlacedRank {
  workerId: string;
  rank: number;
}
