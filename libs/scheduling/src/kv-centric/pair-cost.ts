import { canMoveKv, canPrefill } from '@baton/cluster';
import { coveredUntil, type HeldRun, type RankMatch } from '@baton/index';
import { Tier } from '@baton/kv';
import {
  reusableSegments,
  type Choice,
  type CostTerms,
  type FleetView,
  type LegChoice,
  type PlanQuery,
  type PullChoice,
  type RankView,
} from '../policy.ts';
import type { KvCentricParameters } from './parameters.ts';

export interface Candidate {
  choice: Choice;
  terms: CostTerms;
  totalMs: number;
}

/** The prompt's way to its KV on one rank: what is there, what is pulled, what is computed. */
interface Preparation {
  leg: LegChoice;
  pull: PullChoice | undefined;
  queueMs: number;
  fetchMs: number;
  prefillMs: number;
}

/** A rank from which a prefix can be pulled. */
interface PullSource {
  rank: RankView;
  runs: readonly HeldRun[];
  allowed: readonly Tier[];
}

/** Costs of one query against one fleet. */
export class PairCost {
  readonly #query: PlanQuery;
  readonly #fleet: FleetView;
  readonly #parameters: KvCentricParameters;
  readonly #reusable: number;
  readonly #poolRate: number;
  readonly #sources: readonly PullSource[];
  readonly #prepared = new Map<RankView, Preparation>();
  readonly #heldBy = new Map<RankView, RankMatch>();

  constructor(query: PlanQuery, fleet: FleetView, parameters: KvCentricParameters) {
    this.#query = query;
    this.#fleet = fleet;
    this.#parameters = parameters;
    this.#reusable = reusableSegments(query.promptTokens, query.segmentTokens);
    this.#poolRate = poolPrefillRate(fleet) || parameters.prefillTokensPerSec;
    this.#sources = this.#pullSources();
  }

  /** Blocks that the request takes at decode, output included; never more than the rank has. */
  decodeBlocks(rank: RankView): number {
    const { maxOutputTokens, promptTokens } = this.#query;
    const { reservedOutputTokens } = this.#parameters;
    const output =
      maxOutputTokens > 0 ? Math.min(maxOutputTokens, reservedOutputTokens) : reservedOutputTokens;
    const blocks = Math.ceil((promptTokens + output) / rank.facts.layout.blockTokens);
    return Math.min(blocks, rank.facts.kvCapacityBlocks);
  }

  promptBlocks(rank: RankView): number {
    return Math.ceil(this.#query.promptTokens / rank.facts.layout.blockTokens);
  }

  /** Prompt tokens that the rank would compute if it ran the whole request with what it holds. */
  lackingTokens(rank: RankView): number {
    const held = this.#held(rank).memorySegments;
    return this.#query.promptTokens - Math.min(held, this.#reusable) * this.#query.segmentTokens;
  }

  /** Prompt tokens whose KV would go from one worker to another. */
  movedTokens({ mode, decode, pull }: Choice): number {
    const { promptTokens, segmentTokens } = this.#query;
    const pulled = (pull?.segments ?? 0) * segmentTokens;
    if (mode === 'aggregated') return pulled;
    return pulled + promptTokens - decode.heldSegments * segmentTokens;
  }

  aggregated(decode: RankView): Candidate {
    const preparation = this.#prepare(decode, false);
    const terms = {
      queueMs: preparation.queueMs,
      fetchMs: preparation.fetchMs,
      prefillMs: preparation.prefillMs,
      handoverMs: 0,
      decodeLoadMs: this.#decodeLoadMs(decode),
    };
    const leg = { ...preparation.leg, kvBlocks: this.decodeBlocks(decode) };
    return candidate('aggregated', leg, leg, undefined, terms);
  }

  pair(prefill: RankView, decode: RankView): Candidate {
    let preparation = this.#prepared.get(prefill);
    if (preparation === undefined) {
      preparation = this.#prepare(prefill, true);
      this.#prepared.set(prefill, preparation);
    }
    const wholeSegments = Math.floor(this.#query.promptTokens / this.#query.segmentTokens);
    const held = Math.min(this.#held(decode).memorySegments, wholeSegments);
    const decodeLeg: LegChoice = {
      workerId: decode.facts.workerId,
      rank: decode.rank,
      heldSegments: held,
      prefillTokens: 0,
      kvBlocks: this.decodeBlocks(decode),
    };
    const terms = {
      queueMs: preparation.queueMs,
      fetchMs: preparation.fetchMs,
      prefillMs: preparation.prefillMs,
      handoverMs: this.#handoverMs(prefill, decode, held, preparation.prefillMs),
      decodeLoadMs: this.#decodeLoadMs(decode),
    };
    return candidate('disaggregated', preparation.leg, decodeLeg, preparation.pull, terms);
  }

  #held(rank: RankView): RankMatch {
    let held = this.#heldBy.get(rank);
    if (held === undefined) {
      held = this.#query.match.rank(rank.facts.workerId, rank.rank);
      this.#heldBy.set(rank, held);
    }
    return held;
  }

  #prepare(rank: RankView, mayPull: boolean): Preparation {
    const { segmentTokens, promptTokens } = this.#query;
    const { hbmSegments, memorySegments } = this.#held(rank);
    const held = Math.min(memorySegments, this.#reusable);
    const fromDram = Math.max(0, held - hbmSegments) * rank.facts.layout.segmentBytes;
    const pull = mayPull ? this.#bestPull(rank, held) : undefined;
    const ready = held + (pull?.choice.segments ?? 0);
    const prefillTokens = promptTokens - ready * segmentTokens;
    return {
      leg: {
        workerId: rank.facts.workerId,
        rank: rank.rank,
        heldSegments: held,
        prefillTokens,
        kvBlocks: this.promptBlocks(rank),
      },
      pull: pull?.choice,
      queueMs: this.#prefillMs(rank, rank.load.prefillTokens),
      fetchMs: durationMs(fromDram, this.#parameters.dramBytesPerSec) + (pull?.costMs ?? 0),
      prefillMs: this.#prefillMs(rank, prefillTokens),
    };
  }

  /**
   * The pull that saves most against computing the same segments; undefined when none saves
   * anything.
   */
  #bestPull(rank: RankView, held: number): { choice: PullChoice; costMs: number } | undefined {
    if (!this.#fleet.transfersPossible || !rank.facts.capabilities.pullPrefix) return undefined;
    let best: { choice: PullChoice; costMs: number; savedMs: number } | undefined;
    const { segmentTokens } = this.#query;
    for (const { rank: source, runs, allowed } of this.#sources) {
      if (source.facts.workerId === rank.facts.workerId) continue;
      const segments = Math.min(coveredUntil(runs, held, allowed), this.#reusable) - held;
      if (segments < 1 || !canMoveKv(source.facts.layout, rank.facts.layout)) continue;
      const bytes = segments * source.facts.layout.segmentBytes;
      const link = this.#fleet.links.bytesPerSec(source.facts.workerId, rank.facts.workerId);
      const costMs = this.#parameters.pullLatencyMs + durationMs(bytes, link);
      const savedMs = this.#prefillMs(rank, segments * segmentTokens) - costMs;
      if (savedMs <= 0 || (best !== undefined && savedMs <= best.savedMs)) continue;
      const choice = {
        sourceWorker: source.facts.workerId,
        firstSegment: held,
        segments,
      };
      best = { choice, costMs, savedMs };
    }
    return best;
  }

  #pullSources(): PullSource[] {
    const { match, excluded } = this.#query;
    const sources: PullSource[] = [];
    for (const rank of this.#fleet.ranks) {
      const { workerId, capabilities } = rank.facts;
      const serves = rank.state === 'ready' || rank.state === 'draining';
      const runs = serves && !excluded.has(workerId) ? match.runsOf(workerId, rank.rank) : [];
      const allowed = capabilities.exportPrefix ? [Tier.HBM, Tier.DRAM] : [Tier.DRAM];
      if (runs.length > 0) sources.push({ rank, runs, allowed });
    }
    return sources;
  }

  /** What the handover adds to the first token of the stream after prefill has ended. */
  #handoverMs(prefill: RankView, decode: RankView, held: number, prefillMs: number): number {
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
    return handoverLatencyMs + Math.max(lastMs, allMs - prefillMs);
  }

  #decodeLoadMs(decode: RankView): number {
    return decode.load.streams * this.#parameters.decodeStreamMs;
  }

  /** A decode worker computes too few prompt tokens to measure its rate: it takes the pool's. */
  #prefillMs(rank: RankView, tokens: number): number {
    const measured = canPrefill(rank.facts) ? (rank.reported?.prefillTokensPerSec ?? 0) : 0;
    return durationMs(tokens, measured > 0 ? measured : this.#poolRate);
  }
}

/**
 * Mean of what prefill workers measured, else of what the others did; 0 when nobody has measured.
 */
function poolPrefillRate(fleet: FleetView): number {
  const rates = (ranks: readonly RankView[]): number[] =>
    ranks.map((rank) => rank.reported?.prefillTokensPerSec ?? 0).filter((rate) => rate > 0);
  const own = rates(fleet.ranks.filter((rank) => canPrefill(rank.facts)));
  const known = own.length > 0 ? own : rates(fleet.ranks);
  return known.length === 0 ? 0 : known.reduce((sum, rate) => sum + rate, 0) / known.length;
}

function candidate(
  mode: Choice['mode'],
  prefill: LegChoice,
  decode: LegChoice,
  pull: PullChoice | undefined,
  terms: CostTerms,
): Candidate {
  const predictedTtftMs = terms.queueMs + terms.fetchMs + terms.prefillMs + terms.handoverMs;
  const choice = { mode, prefill, decode, pull, predictedTtftMs };
  return { choice, terms, totalMs: predictedTtftMs + terms.decodeLoadMs };
}

/** Milliseconds that an amount takes at a rate per second. */
function durationMs(amount: number, perSec: number): number {
  return (amount / perSec) * 1000;
}
