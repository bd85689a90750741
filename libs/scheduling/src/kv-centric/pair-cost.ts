import { canMoveKv } from '@baton/cluster';
import { coveredUntil, type HeldRun } from '@baton/index';
import { Tier, type KvLayout } from '@baton/kv';
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
  /** Not part of the TTFT: what the handover takes from others on its link. */
  linkMs: number;
  /** Not part of the TTFT: keeps decode workers evenly loaded. */
  decodeLoadMs: number;
};

/** A pair that was weighed; twice the same rank where it does it alone. */
export interface Candidate {
  prefill: RankView;
  decode: RankView;
  terms: PairTerms;
  totalMs: number;
}

/** The prompt's way to its KV on one rank: what is there, what is pulled, what is computed. */
export interface Preparation {
  leg: LegChoice;
  pulls: readonly PullChoice[];
  queueMs: number;
  fetchMs: number;
  /** What the rank would be busy with, were it idle now. */
  workMs: number;
}

/** Until the prompt is computed, from now on. */
export function computedInMs({ queueMs, fetchMs, leg }: Preparation): number {
  return queueMs + fetchMs + leg.prefillMs;
}

interface Pull {
  parts: PullChoice[];
  /** Where the last of them ends. */
  end: number;
  arrivesInMs: number;
}

/** What can be pulled from a rank. */
interface PullSource {
  workerId: string;
  layout: KvLayout;
  layoutNumber: number;
  /** Of its links. */
  rates: Float64Array | undefined;
  runs: readonly HeldRun[];
  allowed: readonly Tier[];
  /** Leading segments of which its events have not told yet. */
  untold: number;
  /** Where its prefix ends, without a gap from the start; what it holds behind a gap counts by `runs`. */
  end: number;
  hasMore: boolean;
  /** Where its last segment ends, gaps before it or not. */
  reach: number;
}

const NOTHING: readonly PullChoice[] = [];

/** Of all that hold a prefix, so many are weighed, those that hold most first. */
const MAX_SOURCES = 8;

/** Costs of one query against one fleet. */
export class PairCost {
  readonly #query: PlanQuery;
  readonly #fleet: FleetView;
  readonly #parameters: KvCentricParameters;
  readonly #reusable: number;
  readonly #sources: readonly PullSource[];
  /** Where the last segment ends that any of them has, and that may be reused. */
  readonly #reach: number;
  readonly #prepared = new Map<RankView, Preparation>();

  /** @param turn picks among those from whom the same can be pulled */
  constructor(query: PlanQuery, fleet: FleetView, parameters: KvCentricParameters, turn: number) {
    this.#query = query;
    this.#fleet = fleet;
    this.#parameters = parameters;
    this.#reusable = reusableSegments(query.promptTokens, query.segmentTokens);
    this.#sources = this.#pullSources(turn);
    this.#reach = Math.min(this.#sources[0]?.reach ?? 0, this.#reusable);
  }

  /** Prompt tokens that the rank would compute if it ran the whole request with what it holds. */
  lackingTokens(rank: RankView): number {
    return lackingTokens(this.#query, rank);
  }

  /** Leading whole segments that need not be handed over to it. */
  handoverHeld(decode: RankView): number {
    const whole = Math.floor(this.#query.promptTokens / this.#query.segmentTokens);
    return Math.min(this.#memorySegments(decode), whole);
  }

  candidate(prefill: RankView, decode: RankView): Candidate {
    const { leg, queueMs, fetchMs } = this.prepare(prefill);
    const { handoverMs, linkMs } = this.#move(prefill, decode);
    const decodeLoadMs = this.decodeLoadMs(decode);
    const terms = { queueMs, fetchMs, prefillMs: leg.prefillMs, handoverMs, linkMs, decodeLoadMs };
    const predictedTtftMs = queueMs + fetchMs + leg.prefillMs + handoverMs;
    return { prefill, decode, terms, totalMs: predictedTtftMs + linkMs + decodeLoadMs };
  }

  choice({ prefill, decode, terms }: Candidate): Choice {
    const prepared = this.prepare(prefill);
    const { leg, pulls } = prepared;
    const readyInMs = computedInMs(prepared);
    const times = { computedInMs: readyInMs, predictedTtftMs: readyInMs + terms.handoverMs };
    const kvBlocks = decodeBlocks(this.#query, decode);
    if (prefill === decode) {
      const whole = { ...leg, kvBlocks };
      return { mode: 'aggregated', prefill: whole, decode: whole, pulls, ...times };
    }
    const decodeLeg: LegChoice = {
      workerId: decode.facts.workerId,
      rank: decode.rank,
      heldSegments: this.handoverHeld(decode),
      prefillTokens: 0,
      prefillMs: 0,
      kvBlocks,
    };
    return { mode: 'disaggregated', prefill: leg, decode: decodeLeg, pulls, ...times };
  }

  #move(prefill: RankView, decode: RankView): Pick<PairTerms, 'handoverMs' | 'linkMs'> {
    if (prefill === decode) return { handoverMs: 0, linkMs: 0 };
    const { promptTokens, segmentTokens } = this.#query;
    const lacking = promptTokens - this.handoverHeld(decode) * segmentTokens;
    const rate = this.#fleet.links.bytesPerSec(prefill.facts.workerId, decode.facts.workerId);
    const handover = this.handoverOf(prefill);
    const allMs = lacking * handover.bytesPerToken * (1_000 / rate);
    return {
      handoverMs: handoverMs(handover, allMs, 1_000 / rate),
      linkMs: allMs * handover.linkShare,
    };
  }

  /** What the rank would be busy with, were it idle now. */
  workMs(rank: RankView): number {
    return this.prepare(rank).workMs;
  }

  /** What a prefill there costs, wherever its KV goes. */
  prefillScore(rank: RankView): LegScore {
    const { leg, queueMs, fetchMs, pulls } = this.prepare(rank);
    const terms = { queueMs, fetchMs, prefillMs: leg.prefillMs };
    return { terms, cost: queueMs + fetchMs + leg.prefillMs, pulls, fetchMs };
  }

  /** What decoding there costs, wherever its KV comes from. */
  decodeScore(rank: RankView): LegScore {
    const { promptTokens, segmentTokens } = this.#query;
    const lacking = promptTokens - this.#memorySegments(rank) * segmentTokens;
    const bytes = Math.max(0, lacking) * rank.facts.layout.bytesPerToken;
    const rate = this.#fleet.links.bytesPerSec('', rank.facts.workerId);
    const terms = { moveMs: durationMs(bytes, rate), decodeLoadMs: this.decodeLoadMs(rank) };
    return { terms, cost: terms.moveMs + terms.decodeLoadMs };
  }

  #memorySegments({ facts, rank }: RankView): number {
    return this.#query.match.rank(facts.workerId, rank).memorySegments;
  }

  prepare(rank: RankView): Preparation {
    let preparation = this.#prepared.get(rank);
    if (preparation === undefined) {
      preparation = this.#newPreparation(rank);
      this.#prepared.set(rank, preparation);
    }
    return preparation;
  }

  #newPreparation(rank: RankView): Preparation {
    const { segmentTokens, promptTokens } = this.#query;
    const { hbmSegments, memorySegments } = this.#query.match.rank(rank.facts.workerId, rank.rank);
    const held = heldSegments(this.#query, rank);
    const fromDram = Math.max(0, Math.min(held, memorySegments) - hbmSegments);
    const { segmentBytes } = rank.facts.layout;
    const loadMs = durationMs(fromDram * segmentBytes, this.#parameters.dramBytesPerSec);
    const aloneMs = this.#computeMs(rank, held);
    const pull = this.#bestPull(rank, held, aloneMs, rank.queueMs);
    const whenIdle = rank.queueMs === 0 ? pull : this.#bestPull(rank, held, aloneMs, 0);
    const readyOf = (one: Pull | undefined): number => one?.end ?? held;
    const ready = readyOf(pull);
    const prefillMs = pull === undefined ? aloneMs : this.#computeMs(rank, ready);
    const idleMs =
      whenIdle === undefined
        ? aloneMs
        : whenIdle.arrivesInMs + this.#computeMs(rank, readyOf(whenIdle));
    return {
      leg: {
        workerId: rank.facts.workerId,
        rank: rank.rank,
        heldSegments: held,
        prefillTokens: promptTokens - ready * segmentTokens,
        prefillMs,
        kvBlocks: promptBlocks(this.#query, rank),
      },
      pulls: pull?.parts ?? NOTHING,
      queueMs: rank.queueMs,
      // A pull goes on while earlier prefills run; loading is the engine's own work.
      fetchMs: loadMs + Math.max(0, (pull?.arrivesInMs ?? 0) - rank.queueMs),
      workMs: loadMs + idleMs,
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
  #bestPull(rank: RankView, held: number, aloneMs: number, queueMs: number): Pull | undefined {
    if (this.#parameters.pulls === 0 || !this.#fleet.transfersPossible) return undefined;
    if (!rank.facts.capabilities.pullPrefix) return undefined;
    const { workerId, layout } = rank.facts;
    const { links } = this.#fleet;
    const link = links.numberOf(workerId);
    let best: Pull | undefined;
    let bestMs = queueMs + aloneMs;
    let computedFor = -1;
    let computeMs = 0;
    for (const source of this.#sources) {
      const end = Math.min(this.#endOf(source, held), this.#reusable);
      if (end <= held || source.workerId === workerId) continue;
      if (source.layoutNumber !== rank.layoutNumber && !canMoveKv(source.layout, layout)) continue;
      const rate = links.rateIn(source.rates, link);
      const moveMs = durationMs((end - held) * layout.segmentBytes, rate);
      const arrivesInMs = this.#parameters.pullLatencyMs + moveMs;
      if (end !== computedFor) computeMs = this.#computeMs(rank, end);
      computedFor = end;
      let readyMs = Math.max(queueMs, arrivesInMs) + computeMs;
      const isFarthest = end >= this.#reach;
      if (readyMs >= bestMs && isFarthest) continue;
      const pull = { parts: [partOf(source, held, end)], end, arrivesInMs };
      if (!isFarthest) readyMs = this.#extend(pull, rank, queueMs, readyMs);
      if (readyMs >= bestMs) continue;
      bestMs = readyMs;
      best = pull;
    }
    return best;
  }

  /**
   * Has others go on where a pull ends, as long as the prompt is computed sooner for it. Parts are taken to come one after
   * the other. Returns when the prompt would be computed.
   */
  #extend(pull: Pull, rank: RankView, queueMs: number, readyMs: number): number {
    const { workerId, layout } = rank.facts;
    const { links } = this.#fleet;
    let bestMs = readyMs;
    while (pull.end < this.#reusable) {
      const next = this.#farthest(rank, pull.end);
      if (next === undefined) break;
      const { source, end } = next;
      const rate = links.rateIn(source.rates, links.numberOf(workerId));
      const moveMs = durationMs((end - pull.end) * layout.segmentBytes, rate);
      const arrivesInMs = pull.arrivesInMs + moveMs;
      const nextMs = Math.max(queueMs, arrivesInMs) + this.#computeMs(rank, end);
      if (nextMs >= bestMs) break;
      bestMs = nextMs;
      pull.parts.push(partOf(source, pull.end, end));
      pull.end = end;
      pull.arrivesInMs = arrivesInMs;
    }
    return bestMs;
  }

  /** Who can bring most from a segment on. */
  #farthest(rank: RankView, from: number): { source: PullSource; end: number } | undefined {
    const { workerId, layout } = rank.facts;
    let farthest: { source: PullSource; end: number } | undefined;
    for (const source of this.#sources) {
      const end = Math.min(this.#endOf(source, from), this.#reusable);
      if (end <= (farthest?.end ?? from) || source.workerId === workerId) continue;
      if (source.layoutNumber !== rank.layoutNumber && !canMoveKv(source.layout, layout)) continue;
      farthest = { source, end };
    }
    return farthest;
  }

  /** How far a source can bring a prompt of which so many segments are there. */
  #endOf({ runs, allowed, end, untold, hasMore }: PullSource, held: number): number {
    const here = hasMore ? coveredUntil(runs, held, allowed) : end;
    return Math.max(here, untold);
  }

  /** Those that hold as much take turns at being the first, however many others there are. */
  #pullSources(turn: number): PullSource[] {
    if (this.#parameters.pulls === 0 || !this.#fleet.transfersPossible) return [];
    const { match, excluded } = this.#query;
    const byReach = new Map<number, RankView[]>();
    for (const rank of this.#fleet.ranks) {
      const { facts, state } = rank;
      if ((state !== 'ready' && state !== 'draining') || excluded.has(facts.workerId)) continue;
      const reach = Math.max(match.reachOf(facts.workerId, rank.rank), this.#untold(rank));
      if (reach === 0) continue;
      const equal = byReach.get(reach);
      if (equal === undefined) byReach.set(reach, [rank]);
      else equal.push(rank);
    }
    const sources: PullSource[] = [];
    for (const [reach, equal] of [...byReach].sort(([one], [other]) => other - one)) {
      const count = Math.min(equal.length, MAX_SOURCES - sources.length);
      for (let i = 0; i < count; i += 1) {
        sources.push(this.#pullSource(equal[(turn + i) % equal.length] as RankView, reach));
      }
    }
    return sources;
  }

  /** What can be pulled though its events have not told of it yet, in leading segments. */
  #untold({ facts: { workerId, capabilities }, rank }: RankView): number {
    const { coming } = this.#query;
    if (coming.length === 0 || !capabilities.exportPrefix) return 0;
    const there = coming.filter((one) => one.readyInMs === 0);
    return comingSegments(there, { workerId, rank });
  }

  #pullSource(view: RankView, reach: number): PullSource {
    const { facts, rank, layoutNumber } = view;
    const { workerId, layout, capabilities } = facts;
    const runs = this.#query.match.runsOf(workerId, rank);
    const allowed = capabilities.exportPrefix ? [Tier.HBM, Tier.DRAM] : [Tier.DRAM];
    const end = coveredUntil(runs, 0, allowed);
    return {
      workerId,
      layout,
      layoutNumber,
      rates: this.#fleet.links.ratesFrom(workerId),
      runs,
      allowed,
      untold: this.#untold(view),
      end,
      hasMore: runs.some((run) => run.first + run.count > end),
      reach,
    };
  }

  /** What is the same for all handovers of a rank. */
  handoverOf(prefill: RankView): Handover {
    const { layout, capabilities } = prefill.facts;
    return {
      latencyMs: this.#parameters.handoverLatencyMs,
      bytesPerToken: layout.bytesPerToken,
      segmentBytes: layout.segmentBytes,
      linkShare: this.#parameters.linkShare,
      hiddenMs: capabilities.overlapHandover ? this.prepare(prefill).leg.prefillMs : 0,
    };
  }

  decodeLoadMs(decode: RankView): number {
    return decode.load.streams * this.#parameters.decodeStreamMs;
  }
}

/** What handovers of one prefill cost, but for whom they go to. */
export interface Handover {
  latencyMs: number;
  bytesPerToken: number;
  segmentBytes: number;
  /** Of the time that it keeps the link, so much counts. */
  linkShare: number;
  /** Time in which segments leave while prefill still computes; 0 where they cannot. */
  hiddenMs: number;
}

/**
 * What a handover adds to the first token of the stream after prefill has ended: of the time that all of
 * it takes what prefill does not hide; the last segment cannot leave before its end.
 */
export function handoverMs(
  { latencyMs, segmentBytes, hiddenMs }: Handover,
  allMs: number,
  msPerByte: number,
): number {
  return latencyMs + Math.max(Math.min(allMs, segmentBytes * msPerByte), allMs - hiddenMs);
}

function partOf({ workerId }: PullSource, firstSegment: number, end: number): PullChoice {
  return { sourceWorker: workerId, firstSegment, segments: end - firstSegment };
}

/** Milliseconds that an amount takes at a rate per second. */
function durationMs(amount: number, perSec: number): number {
  return (amount / perSec) * 1000;
}
