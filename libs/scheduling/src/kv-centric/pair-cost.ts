import { canMoveKv } from '@baton/cluster';
import { coveredUntil, type HeldRun, type RankMatch } from '@baton/index';
import { Tier } from '@baton/kv';
import { prefillMs } from '../cost/prefill-cost.ts';
import { decodeBlocks, promptBlocks } from '../eligibility.ts';
import { comingSegments, heldSegments, lackingTokens, reusableSegments } from '../held.ts';
import type {
  Choice,
  FleetView,
  LegChoice,
  LegScore,
  PlanQuery,
  PullChoice,
  RankView,
} from '../policy.ts';
import type { KvCentricParameters } from './parameters.ts';

/** Terms of the predicted time to the first token, ms. */
export type PairTerms = {
  queueMs: number;
  /** What waiting for the prefix adds to the queue. */
  fetchMs: number;
  prefillMs: number;
  handoverMs: number;
  /** Not part of the TTFT: keeps decode workers evenly loaded. */
  decodeLoadMs: number;
};

export interface Candidate {
  choice: Choice;
  terms: PairTerms;
  totalMs: number;
}

/** The prompt's way to its KV on one rank: what is there, what is pulled, what is computed. */
interface Preparation {
  leg: LegChoice;
  pull: PullChoice | undefined;
  queueMs: number;
  fetchMs: number;
}

/** What can be pulled from a rank. */
interface PullSource {
  rank: RankView;
  runs: readonly HeldRun[];
  allowed: readonly Tier[];
  /** Leading segments of which its events have not told yet. */
  untold: number;
}

/** Costs of one query against one fleet. */
export class PairCost {
  readonly #query: PlanQuery;
  readonly #fleet: FleetView;
  readonly #parameters: KvCentricParameters;
  readonly #reusable: number;
  readonly #sources: readonly PullSource[];
  readonly #prepared = new Map<RankView, Preparation>();
  readonly #heldBy = new Map<RankView, RankMatch>();

  constructor(query: PlanQuery, fleet: FleetView, parameters: KvCentricParameters) {
    this.#query = query;
    this.#fleet = fleet;
    this.#parameters = parameters;
    this.#reusable = reusableSegments(query.promptTokens, query.segmentTokens);
    this.#sources = this.#pullSources();
  }

  /** Prompt tokens that the rank would compute if it ran the whole request with what it holds. */
  lackingTokens(rank: RankView): number {
    return lackingTokens(this.#query, rank);
  }

  /** Prompt tokens whose KV would go from one worker to another. */
  movedTokens({ mode, decode, pull }: Choice): number {
    const { promptTokens, segmentTokens } = this.#query;
    const pulled = (pull?.segments ?? 0) * segmentTokens;
    if (mode === 'aggregated') return pulled;
    return pulled + promptTokens - decode.heldSegments * segmentTokens;
  }

  aggregated(rank: RankView): Candidate {
    const { leg, queueMs, fetchMs, pull } = this.#prepare(rank);
    const terms = {
      queueMs,
      fetchMs,
      prefillMs: leg.prefillMs,
      handoverMs: 0,
      decodeLoadMs: this.#decodeLoadMs(rank),
    };
    const whole = { ...leg, kvBlocks: decodeBlocks(this.#query, rank) };
    return candidate('aggregated', whole, whole, pull, terms);
  }

  pair(prefill: RankView, decode: RankView): Candidate {
    const { leg, queueMs, fetchMs, pull } = this.#prepare(prefill);
    const wholeSegments = Math.floor(this.#query.promptTokens / this.#query.segmentTokens);
    const held = Math.min(this.#held(decode).memorySegments, wholeSegments);
    const decodeLeg: LegChoice = {
      workerId: decode.facts.workerId,
      rank: decode.rank,
      heldSegments: held,
      prefillTokens: 0,
      prefillMs: 0,
      kvBlocks: decodeBlocks(this.#query, decode),
    };
    const terms = {
      queueMs,
      fetchMs,
      prefillMs: leg.prefillMs,
      handoverMs: this.#handoverMs(prefill, decode, held, leg.prefillMs),
      decodeLoadMs: this.#decodeLoadMs(decode),
    };
    return candidate('disaggregated', leg, decodeLeg, pull, terms);
  }

  /** What the rank would be busy with, were it idle now. */
  workMs(rank: RankView): number {
    const { leg, fetchMs } = this.#newPreparation({ ...rank, queueMs: 0 });
    return fetchMs + leg.prefillMs;
  }

  /** What a prefill there costs, wherever its KV goes. */
  prefillScore(rank: RankView): LegScore {
    const { leg, queueMs, fetchMs, pull } = this.#prepare(rank);
    const terms = { queueMs, fetchMs, prefillMs: leg.prefillMs };
    return { terms, cost: queueMs + fetchMs + leg.prefillMs, pull };
  }

  /** What decoding there costs, wherever its KV comes from. */
  decodeScore(rank: RankView): LegScore {
    const { promptTokens, segmentTokens } = this.#query;
    const lacking = promptTokens - this.#held(rank).memorySegments * segmentTokens;
    const bytes = Math.max(0, lacking) * rank.facts.layout.bytesPerToken;
    const rate = this.#fleet.links.bytesPerSec('', rank.facts.workerId);
    const terms = { moveMs: durationMs(bytes, rate), decodeLoadMs: this.#decodeLoadMs(rank) };
    return { terms, cost: terms.moveMs + terms.decodeLoadMs };
  }

  #held(rank: RankView): RankMatch {
    let held = this.#heldBy.get(rank);
    if (held === undefined) {
      held = this.#query.match.rank(rank.facts.workerId, rank.rank);
      this.#heldBy.set(rank, held);
    }
    return held;
  }

  #prepare(rank: RankView): Preparation {
    let preparation = this.#prepared.get(rank);
    if (preparation === undefined) {
      preparation = this.#newPreparation(rank);
      this.#prepared.set(rank, preparation);
    }
    return preparation;
  }

  #newPreparation(rank: RankView): Preparation {
    const { segmentTokens, promptTokens } = this.#query;
    const { hbmSegments, memorySegments } = this.#held(rank);
    const held = heldSegments(this.#query, rank);
    const fromDram = Math.max(0, Math.min(held, memorySegments) - hbmSegments);
    const { segmentBytes } = rank.facts.layout;
    const loadMs = durationMs(fromDram * segmentBytes, this.#parameters.dramBytesPerSec);
    const pull = this.#bestPull(rank, held);
    const ready = held + (pull?.choice.segments ?? 0);
    return {
      leg: {
        workerId: rank.facts.workerId,
        rank: rank.rank,
        heldSegments: held,
        prefillTokens: promptTokens - ready * segmentTokens,
        prefillMs: this.#computeMs(rank, ready),
        kvBlocks: promptBlocks(this.#query, rank),
      },
      pull: pull?.choice,
      queueMs: rank.queueMs,
      // A pull goes on while earlier prefills run; loading is the engine's own work.
      fetchMs: loadMs + Math.max(0, (pull?.arrivesInMs ?? 0) - rank.queueMs),
    };
  }

  /** Computing the prompt when so many of its segments are there. */
  #computeMs(rank: RankView, readySegments: number): number {
    const { promptTokens, segmentTokens } = this.#query;
    const ready = readySegments * segmentTokens;
    return prefillMs(rank.cost, promptTokens - ready, ready);
  }

  /**
   * The pull after which the prompt is computed first; undefined when none is of use. Computing costs
   * more per segment the later it comes, a pull the same: so one that pays at all is best taken whole.
   */
  #bestPull(rank: RankView, held: number): { choice: PullChoice; arrivesInMs: number } | undefined {
    if (this.#parameters.pulls === 0 || !this.#fleet.transfersPossible) return undefined;
    if (!rank.facts.capabilities.pullPrefix) return undefined;
    let best: { choice: PullChoice; arrivesInMs: number } | undefined;
    let bestMs = rank.queueMs + this.#computeMs(rank, held);
    for (const source of this.#sources) {
      const { workerId, layout } = source.rank.facts;
      if (workerId === rank.facts.workerId || !canMoveKv(layout, rank.facts.layout)) continue;
      const here = coveredUntil(source.runs, held, source.allowed);
      const end = Math.min(Math.max(here, source.untold), this.#reusable);
      if (end <= held) continue;
      const link = this.#fleet.links.bytesPerSec(workerId, rank.facts.workerId);
      const moveMs = durationMs((end - held) * layout.segmentBytes, link);
      const arrivesInMs = this.#parameters.pullLatencyMs + moveMs;
      const readyMs = Math.max(rank.queueMs, arrivesInMs) + this.#computeMs(rank, end);
      if (readyMs >= bestMs) continue;
      bestMs = readyMs;
      best = {
        choice: { sourceWorker: workerId, firstSegment: held, segments: end - held },
        arrivesInMs,
      };
    }
    return best;
  }

  #pullSources(): PullSource[] {
    const { match, excluded, coming } = this.#query;
    const sources: PullSource[] = [];
    for (const rank of this.#fleet.ranks) {
      const { workerId, capabilities } = rank.facts;
      const serves = rank.state === 'ready' || rank.state === 'draining';
      if (!serves || excluded.has(workerId)) continue;
      const runs = match.runsOf(workerId, rank.rank);
      const there = capabilities.exportPrefix ? coming.filter((one) => one.readyInMs === 0) : [];
      const untold = comingSegments(there, { workerId, rank: rank.rank });
      if (runs.length === 0 && untold === 0) continue;
      const allowed = capabilities.exportPrefix ? [Tier.HBM, Tier.DRAM] : [Tier.DRAM];
      sources.push({ rank, runs, allowed, untold });
    }
    return sources;
  }

  /** What the handover adds to the first token of the stream after prefill has ended. */
  #handoverMs(prefill: RankView, decode: RankView, held: number, computeMs: number): number {
    const { promptTokens, segmentTokens } = this.#query;
    const { bytesPerToken, segmentBytes } = prefill.facts.layout;
    const link = this.#fleet.links.bytesPerSec(prefill.facts.workerId, decode.facts.workerId);
    const allMs = durationMs(
      Math.max(0, promptTokens - held * segmentTokens) * bytesPerToken,
      link,
    );
    const { handoverLatencyMs } = this.#parameters;
    if (!prefill.facts.capabilities.overlapHandover) return handoverLatencyMs + allMs;
    const lastMs = Math.min(allMs, durationMs(segmentBytes, link));
    return handoverLatencyMs + Math.max(lastMs, allMs - computeMs);
  }

  #decodeLoadMs(decode: RankView): number {
    return decode.load.streams * this.#parameters.decodeStreamMs;
  }
}

function candidate(
  mode: Choice['mode'],
  prefill: LegChoice,
  decode: LegChoice,
  pull: PullChoice | undefined,
  terms: PairTerms,
): Candidate {
  const predictedTtftMs = terms.queueMs + terms.fetchMs + terms.prefillMs + terms.handoverMs;
  const choice = { mode, prefill, decode, pull, predictedTtftMs };
  return { choice, terms, totalMs: predictedTtftMs + terms.decodeLoadMs };
}

/** Milliseconds that an amount takes at a rate per second. */
function durationMs(amount: number, perSec: number): number {
  return (amount / perSec) * 1000;
}
