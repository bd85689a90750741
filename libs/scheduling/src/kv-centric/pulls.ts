import { canMoveKv } from '@baton/cluster';
import { coveredUntil, type HeldRun } from '@baton/index';
import { Tier, type KvLayout } from '@baton/kv';
import { comingSegments, computeMs, reusableSegments } from '../held.ts';
import type { FleetView, PlanQuery, PullChoice, RankView } from '../policy.ts';
import type { KvCentricParameters } from './parameters.ts';

/** Segments on their way to a rank, from one holder or from several behind each other. */
export interface Pull {
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

/** Of all that hold a prefix, so many are weighed, those that hold most first. */
const MAX_SOURCES = 8;

/** Who holds what of one prompt, and what bringing it to a rank would take. */
export class PullSources {
  readonly #query: PlanQuery;
  readonly #fleet: FleetView;
  readonly #parameters: KvCentricParameters;
  readonly #reusable: number;
  readonly #sources: readonly PullSource[];
  /** Where the last segment ends that any of them has, and that may be reused. */
  readonly #reach: number;

  /** @param turn picks among those from whom the same can be pulled */
  constructor(query: PlanQuery, fleet: FleetView, parameters: KvCentricParameters, turn: number) {
    this.#query = query;
    this.#fleet = fleet;
    this.#parameters = parameters;
    this.#reusable = reusableSegments(query.promptTokens, query.segmentTokens);
    this.#sources = this.#pullSources(turn);
    this.#reach = Math.min(this.#sources[0]?.reach ?? 0, this.#reusable);
  }

  /**
   * The pull after which the prompt is computed first; undefined when none is of use. Computing costs
   * more per segment the later it comes, a pull the same: so one that pays at all is best taken whole.
   *
   * @param held leading segments that are there without it
   * @param aloneMs of computing all others
   * @param queueMs until its rank can compute
   */
  best(rank: RankView, held: number, aloneMs: number, queueMs: number): Pull | undefined {
    if (this.#parameters.pulls === 0 || !this.#fleet.transfersPossible) return undefined;
    if (!rank.facts.capabilities.pullPrefix) return undefined;
    const { workerId, layout } = rank.facts;
    const { links } = this.#fleet;
    const link = links.numberOf(workerId);
    let best: Pull | undefined;
    let bestMs = queueMs + aloneMs;
    let computedFor = -1;
    let restMs = 0;
    for (const source of this.#sources) {
      const end = Math.min(this.#endOf(source, held), this.#reusable);
      if (end <= held || source.workerId === workerId) continue;
      if (source.layoutNumber !== rank.layoutNumber && !canMoveKv(source.layout, layout)) continue;
      const rate = links.rateIn(source.rates, link);
      const moveMs = durationMs((end - held) * layout.segmentBytes, rate);
      const arrivesInMs = this.#parameters.pullLatencyMs + moveMs;
      if (end !== computedFor) restMs = computeMs(this.#query, rank, end);
      computedFor = end;
      let readyMs = Math.max(queueMs, arrivesInMs) + restMs;
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
      const nextMs = Math.max(queueMs, arrivesInMs) + computeMs(this.#query, rank, end);
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
}

function partOf({ workerId }: PullSource, firstSegment: number, end: number): PullChoice {
  return { sourceWorker: workerId, firstSegment, segments: end - firstSegment };
}

/** Milliseconds that an amount takes at a rate per second. */
export function durationMs(amount: number, perSec: number): number {
  return (amount / perSec) * 1000;
}
