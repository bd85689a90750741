import { layoutObstacle } from '@baton/cluster';
import type { Eligible, Ineligible } from '../eligibility.ts';
import { pulledSegments } from '../held.ts';
import type { LinkRates } from '../link-rates.ts';
import type { FleetView, PlanQuery, RankView } from '../policy.ts';
import {
  computedInMs,
  handoverMs,
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

/** Room for what the options of one decision cost, kept from decision to decision. */
export class Weights {
  #totalMs = new Float64Array(0);
  #movedTokens = new Float64Array(0);
  #decode = new DecodeSide(0);

  /** Cleared, for so many options; valid until the next call. */
  take(options: number): { totalMs: Float64Array; movedTokens: Float64Array } {
    if (options > this.#totalMs.length) {
      this.#totalMs = new Float64Array(2 * options);
      this.#movedTokens = new Float64Array(2 * options);
    }
    const totalMs = this.#totalMs.subarray(0, options).fill(Infinity);
    return { totalMs, movedTokens: this.#movedTokens.subarray(0, options) };
  }

  /** For so many decode ranks; valid until the next call. */
  takeDecode(ranks: number): DecodeSide {
    if (ranks > this.#decode.length) this.#decode = new DecodeSide(2 * ranks);
    return this.#decode;
  }
}

/** What the pairs of all prefill ranks have in common, by decode rank. */
class DecodeSide {
  readonly length: number;
  /** Prompt tokens whose KV is not there. */
  readonly lacking: Float64Array;
  readonly loadMs: Float64Array;
  /** By {@link LinkRates.numberOf}. */
  readonly links: Int32Array;

  constructor(length: number) {
    this.length = length;
    this.lacking = new Float64Array(length);
    this.loadMs = new Float64Array(length);
    this.links = new Int32Array(length);
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
  readonly #side: DecodeSide;
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
    this.#side = weights.takeDecode(decode.length);
    const { totalMs, movedTokens } = weights.take(
      this.#alone.length + prefill.length * decode.length,
    );
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
    const others = this.#cheapest(shown - 1, chosen).map((at) => ({
      candidate: this.#candidate(at),
      isTied: (totals[at] as number) <= limitMs,
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
    const { lacking, loadMs, links: numbers } = this.#side;
    const [first] = this.#decode;
    let haveOneLayout = true;
    for (let i = 0; i < this.#decode.length; i += 1) {
      const rank = this.#decode[i] as RankView;
      lacking[i] = query.promptTokens - this.#cost.handoverHeld(rank) * query.segmentTokens;
      loadMs[i] = this.#cost.decodeLoadMs(rank) + this.#cost.adapterMs(rank);
      numbers[i] = links.numberOf(rank.facts.workerId);
      haveOneLayout &&= rank.layoutNumber === first?.layoutNumber;
    }
    this.#prefill.forEach((from, row) => {
      const start = this.#alone.length + row * this.#decode.length;
      this.#weighRow(query, from, links, start);
      this.#count += this.#decode.length;
      const mayPairAll = haveOneLayout && from.layoutNumber === first?.layoutNumber;
      if (!mayPairAll || from.facts.role !== 'prefill') this.#forbid(from, start, ineligible);
    });
  }

  /** All pairs of one prefill rank. */
  #weighRow(query: PlanQuery, from: RankView, links: LinkRates, start: number): void {
    const { lacking, loadMs, links: numbers } = this.#side;
    const prepared = this.#cost.prepare(from);
    const handover = this.#cost.handoverOf(from);
    const { bytesPerToken, linkShare } = handover;
    const readyInMs = computedInMs(prepared);
    const pulled = pulledTokens(prepared, query);
    const rates = links.ratesFrom(from.facts.workerId);
    const totalMs = this.#totalMs;
    const movedTokens = this.#movedTokens;
    const count = this.#decode.length;
    let msPerByte = 1_000 / links.rateIn(undefined, -1);
    for (let i = 0; i < count; i += 1) {
      const tokens = lacking[i] as number;
      if (rates !== undefined) msPerByte = 1_000 / links.rateIn(rates, numbers[i] as number);
      const allMs = tokens * bytesPerToken * msPerByte;
      const leftMs = handoverMs(handover, allMs, msPerByte);
      totalMs[start + i] = readyInMs + leftMs + allMs * linkShare + (loadMs[i] as number);
      movedTokens[start + i] = pulled + tokens;
    }
  }

  /** Takes out of a row what is no pair, or none that KV can move between. */
  #forbid(from: RankView, start: number, ineligible: Ineligible): void {
    const { workerId, layout } = from.facts;
    let isSaid = false;
    for (let i = 0; i < this.#decode.length; i += 1) {
      const { facts: to, layoutNumber } = this.#decode[i] as RankView;
      const obstacle =
        layoutNumber === from.layoutNumber ? undefined : layoutObstacle(layout, to.layout);
      // Ranks of one worker share the object.
      if (to !== from.facts && obstacle === undefined) continue;
      this.#totalMs[start + i] = Infinity;
      this.#count -= 1;
      // One example says it: between two groups of workers there are as many such pairs as ranks squared.
      if (obstacle === undefined || isSaid) continue;
      isSaid = true;
      ineligible.push({ workerId, reason: `KV cannot go to ${to.workerId}: ${obstacle}` });
    }
  }

  #candidate(at: number): Candidate {
    const alone = this.#alone[at];
    if (alone !== undefined) return this.#cost.candidate(alone, alone);
    const pair = at - this.#alone.length;
    const prefill = this.#prefill[Math.floor(pair / this.#decode.length)] as RankView;
    return this.#cost.candidate(prefill, this.#decode[pair % this.#decode.length] as RankView);
  }

  /** The cheapest ones without the chosen one, in order, at most so many. */
  #cheapest(most: number, chosen: number): number[] {
    const kept: number[] = [];
    const totals = this.#totalMs;
    let worst = Infinity;
    for (let option = 0; option < totals.length; option += 1) {
      const total = totals[option] as number;
      if (total >= worst || option === chosen) continue;
      let at = Math.min(kept.length, most - 1);
      for (; at > 0 && (totals[kept[at - 1] as number] as number) > total; at -= 1) {
        kept[at] = kept[at - 1] as number;
      }
      kept[at] = option;
      if (kept.length === most) worst = totals[kept[most - 1] as number] as number;
    }
    return kept;
  }
}

function pulledTokens({ pulls }: Preparation, { segmentTokens }: PlanQuery): number {
  return pulledSegments(pulls) * segmentTokens;
}
