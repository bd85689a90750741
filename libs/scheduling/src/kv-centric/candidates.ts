import { layoutNumber, layoutObstacle, type WorkerFacts } from '@baton/cluster';
import type { Eligible, Ineligible } from '../eligibility.ts';
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
  considered: number;
  chosen: Candidate;
  /** The best of the others, by cost; those within the margin are tied. */
  others: { candidate: Candidate; isTied: boolean }[];
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
    for (let at = 0; at < totals.length; at += 1) bestMs = Math.min(bestMs, totals[at] as number);
    if (bestMs === Infinity) return undefined;
    const limitMs = bestMs + Math.max(tieMs, bestMs * tieShare);
    let least = Infinity;
    let nearest: number[] = [];
    for (let at = 0; at < totals.length; at += 1) {
      if ((totals[at] as number) > limitMs) continue;
      const moved = movedTokens[at] as number;
      if (moved > least) continue;
      if (moved < least) nearest = [];
      least = moved;
      nearest.push(at);
    }
    const chosen = nearest[turn % nearest.length] as number;
    const others = this.#cheapest(shown, chosen).map((at) => ({
      candidate: this.#candidate(at),
      isTied: (this.#totalMs[at] as number) <= limitMs,
    }));
    return { considered: this.#count, chosen: this.#candidate(chosen), others };
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
    const totalMs = this.#totalMs;
    const movedTokens = this.#movedTokens;
    const decode = this.#decode.map((rank) => rank.facts);
    const lacking = this.#decode.map(
      (rank) => query.promptTokens - this.#cost.handoverHeld(rank) * query.segmentTokens,
    );
    const loadMs = this.#decode.map((rank) => this.#cost.decodeLoadMs(rank));
    const layouts = decode.map((facts) => layoutNumber(facts.layout));
    const numbers = decode.map((facts) => links.numberOf(facts.workerId));
    let at = this.#alone.length;
    for (const from of this.#prefill) {
      const { workerId, layout } = from.facts;
      const layoutHere = layoutNumber(layout);
      const prepared = this.#cost.prepare(from);
      const readyMs = computedInMs(prepared);
      const pulled = pulledTokens(prepared, query);
      const handover = this.#cost.handoverOf(from);
      const rates = links.ratesFrom(workerId);
      for (let i = 0; i < decode.length; i += 1, at += 1) {
        const to = decode[i] as WorkerFacts;
        // Ranks of one worker share the object.
        if (to === from.facts) continue;
        if (layouts[i] !== layoutHere) {
          const obstacle = layoutObstacle(layout, to.layout);
          if (obstacle !== undefined) {
            const reason = `KV cannot go to ${to.workerId}: ${obstacle}`;
            ineligible.push({ workerId, reason });
            continue;
          }
        }
        const tokens = lacking[i] as number;
        const rate = links.rateIn(rates, numbers[i] as number);
        totalMs[at] = readyMs + handoverMs(handover, tokens, rate) + (loadMs[i] as number);
        movedTokens[at] = pulled + tokens;
        this.#count += 1;
      }
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
