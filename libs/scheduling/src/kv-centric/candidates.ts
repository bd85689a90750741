import { layoutNumber, layoutObstacle } from '@baton/cluster';
import type { Eligible, Ineligible } from '../eligibility.ts';
import type { LinkRates } from '../link-rates.ts';
import type { FleetView, PlanQuery, RankView } from '../policy.ts';
import {
  computedInMs,
  durationMs,
  unhiddenMs,
  type Candidate,
  type PairCost,
  type Preparation,
} from './pair-cost.ts';
import type { KvCentricParameters } from './parameters.ts';

/** What a search among all pairs has found. */
export interface Found {
  chosen: Candidate;
  /** The best of the others, by cost; those within the margin are tied. */
  others: { candidate: Candidate; isTied: boolean }[];
}

/** What the pairs of all prefill ranks have in common, by decode rank. */
interface DecodeSide {
  /** Prompt tokens whose KV is not there. */
  lacking: number[];
  loadMs: number[];
  /** By {@link LinkRates.numberOf}. */
  links: number[];
}

/** Room for what the options of one decision cost, kept from decision to decision. */
export class Weights {
  #totalMs = new Float64Array(0);
  #movedTokens = new Float64Array(0);

  /** Cleared, for so many options; valid until the next call. */
  take(options: number): { totalMs: Float64Array; movedTokens: Float64Array } {
    if (options > this.#totalMs.length) {
      this.#totalMs = new Float64Array(2 * options);
      this.#movedTokens = new Float64Array(2 * options);
    }
    const totalMs = this.#totalMs.subarray(0, options).fill(Infinity);
    return { totalMs, movedTokens: this.#movedTokens.subarray(0, options) };
  }
}

/**
 * Weighs every pair that KV can move between, and every rank that may run the request alone. Of those that cost about
 * the same, the ones to which least KV has to move get their turn.
 */
export class Candidates {
  readonly #cost: PairCost;
  readonly #parameters: KvCentricParameters;
  readonly #alone: RankView[];
  readonly #prefill: readonly RankView[];
  readonly #decode: readonly RankView[];
  /** Of those who do it alone, then of all pairs, a prefill rank's together; Infinity where there is no pair. */
  readonly #totalMs: Float64Array;
  readonly #movedTokens: Float64Array;
  #count = 0;

  constructor(
    query: PlanQuery,
    fleet: FleetView,
    cost: PairCost,
    { prefill, decode, whole, hasPairs, ineligible }: Eligible,
    parameters: KvCentricParameters,
    weights: Weights,
  ) {
    const limit = hasPairs ? parameters.aggregateBelowTokens : Infinity;
    this.#cost = cost;
    this.#parameters = parameters;
    this.#alone = whole.filter(
      (rank) => rank.facts.role === 'both' || cost.lackingTokens(rank) <= limit,
    );
    this.#prefill = prefill;
    this.#decode = decode;
    const size = this.#alone.length + prefill.length * decode.length;
    const { totalMs, movedTokens } = weights.take(size);
    this.#totalMs = totalMs;
    this.#movedTokens = movedTokens;
    this.#weighAlone(query);
    this.#weighPairs(query, fleet, ineligible);
  }

  get count(): number {
    return this.#count;
  }

  /**
   * @param turn picks among those that are equally good
   * @param shown candidates to tell of, the chosen one included
   */
  best(turn: number, shown: number): Found | undefined {
    const { tieMs, tieShare } = this.#parameters;
    const totals = this.#totalMs;
    const movedTokens = this.#movedTokens;
    let bestMs = Infinity;
    for (let at = 0; at < totals.length; at += 1) {
      const total = totals[at] as number;
      if (total < bestMs) bestMs = total;
    }
    if (bestMs === Infinity) return undefined;
    const limitMs = bestMs + Math.max(tieMs, bestMs * tieShare);
    let least = Infinity;
    let nearest = 0;
    for (let at = 0; at < totals.length; at += 1) {
      const moved = movedTokens[at] as number;
      if ((totals[at] as number) > limitMs || moved > least) continue;
      nearest = moved < least ? 1 : nearest + 1;
      least = moved;
    }
    let chosen = -1;
    for (let left = turn % nearest; left >= 0; left -= 1) {
      do chosen += 1;
      while ((totals[chosen] as number) > limitMs || (movedTokens[chosen] as number) > least);
    }
    const others = this.#cheapest(shown, chosen).map((at) => ({
      candidate: this.#candidate(at),
      isTied: (this.#totalMs[at] as number) <= limitMs,
    }));
    return { chosen: this.#candidate(chosen), others };
  }

  #weighAlone(query: PlanQuery): void {
    this.#alone.forEach((rank, at) => {
      const prepared = this.#cost.prepare(rank);
      this.#totalMs[at] = computedInMs(prepared) + this.#cost.decodeLoadMs(rank);
      this.#movedTokens[at] = pulledTokens(prepared, query);
    });
    this.#count += this.#alone.length;
  }

  #weighPairs(query: PlanQuery, { links }: FleetView, ineligible: Ineligible): void {
    const side: DecodeSide = {
      lacking: this.#decode.map(
        (rank) => query.promptTokens - this.#cost.handoverHeld(rank) * query.segmentTokens,
      ),
      loadMs: this.#decode.map((rank) => this.#cost.decodeLoadMs(rank)),
      links: this.#decode.map(({ facts }) => links.numberOf(facts.workerId)),
    };
    const layouts = this.#decode.map(({ facts }) => layoutNumber(facts.layout));
    this.#prefill.forEach((from, row) => {
      const first = this.#alone.length + row * this.#decode.length;
      this.#weighRow(query, from, side, links, first);
      this.#count += this.#decode.length;
      this.#forbid(from, layouts, first, ineligible);
    });
  }

  /** All pairs of one prefill rank. */
  #weighRow(
    query: PlanQuery,
    from: RankView,
    { lacking, loadMs, links: numbers }: DecodeSide,
    links: LinkRates,
    first: number,
  ): void {
    const prepared = this.#cost.prepare(from);
    const { latencyMs, bytesPerToken, segmentBytes, hiddenMs } = this.#cost.handoverOf(from);
    const soonestMs = computedInMs(prepared) + latencyMs;
    const pulled = pulledTokens(prepared, query);
    const rates = links.ratesFrom(from.facts.workerId);
    const unmeasured = links.rateIn(undefined, -1);
    const totalMs = this.#totalMs;
    const movedTokens = this.#movedTokens;
    for (let i = 0; i < lacking.length; i += 1) {
      const tokens = lacking[i] as number;
      const rate = rates === undefined ? unmeasured : links.rateIn(rates, numbers[i] as number);
      const allMs = durationMs(tokens * bytesPerToken, rate);
      const leftMs = unhiddenMs(allMs, durationMs(segmentBytes, rate), hiddenMs);
      totalMs[first + i] = soonestMs + leftMs + (loadMs[i] as number);
      movedTokens[first + i] = pulled + tokens;
    }
  }

  /** Takes out of a row what is no pair, or none that KV can move between. */
  #forbid(
    { facts }: RankView,
    layouts: readonly number[],
    first: number,
    ineligible: Ineligible,
  ): void {
    const { workerId, layout } = facts;
    const here = layoutNumber(layout);
    let isSaid = false;
    for (let i = 0; i < layouts.length; i += 1) {
      const to = (this.#decode[i] as RankView).facts;
      const obstacle = layouts[i] === here ? undefined : layoutObstacle(layout, to.layout);
      // Ranks of one worker share the object.
      if (to !== facts && obstacle === undefined) continue;
      this.#totalMs[first + i] = Infinity;
      this.#count -= 1;
      // One example says it: between two groups of workers there are as many such pairs as ranks squared.
      if (obstacle === undefined || isSaid) continue;
      isSaid = true;
      ineligible.push({ workerId, reason: `KV cannot go to ${to.workerId}: ${obstacle}` });
    }
  }

  #candidate(at: number): Candidate {
    const alone = this.#alone[at];
    if (alone !== undefined) return this.#cost.aggregated(alone);
    const pair = at - this.#alone.length;
    const prefill = this.#prefill[Math.floor(pair / this.#decode.length)] as RankView;
    return this.#cost.pair(prefill, this.#decode[pair % this.#decode.length] as RankView);
  }

  /** The cheapest ones without the chosen one, in order, at most `count - 1`. */
  #cheapest(count: number, chosen: number): number[] {
    const kept: number[] = [];
    const totals = this.#totalMs;
    const totalOf = (at: number): number => totals[at] as number;
    let worst = Infinity;
    for (let option = 0; option < totals.length; option += 1) {
      const total = totals[option] as number;
      if (total >= worst || option === chosen) continue;
      let at = kept.length;
      while (at > 0 && totalOf(kept[at - 1] as number) > total) at -= 1;
      kept.splice(at, 0, option);
      if (kept.length >= count) kept.pop();
      if (kept.length === count - 1) worst = totalOf(kept[kept.length - 1] as number);
    }
    return kept;
  }
}

function pulledTokens({ pull }: Preparation, { segmentTokens }: PlanQuery): number {
  return (pull?.segments ?? 0) * segmentTokens;
}
