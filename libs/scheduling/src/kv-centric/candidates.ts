import { layoutNumber, layoutObstacle } from '@baton/cluster';
import type { Eligible, Ineligible } from '../eligibility.ts';
import type { FleetView, PlanQuery, RankView } from '../policy.ts';
import { handoverMs, type Candidate, type PairCost } from './pair-cost.ts';
import type { KvCentricParameters } from './parameters.ts';

/** What a search among all pairs has found. */
export interface Found {
  considered: number;
  chosen: Candidate;
  /** The best of the others, by cost; those within the margin are tied. */
  others: { candidate: Candidate; isTied: boolean }[];
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
    this.#totalMs = new Float64Array(size).fill(Infinity);
    this.#movedTokens = new Float64Array(size);
    this.#weighAlone();
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
    let bestMs = Infinity;
    for (const totalMs of this.#totalMs) if (totalMs < bestMs) bestMs = totalMs;
    if (bestMs === Infinity) return undefined;
    const limitMs = bestMs + Math.max(tieMs, bestMs * tieShare);
    let least = Infinity;
    let nearest: number[] = [];
    for (let at = 0; at < this.#totalMs.length; at += 1) {
      const moved = this.#movedTokens[at] as number;
      if ((this.#totalMs[at] as number) > limitMs || moved > least) continue;
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

  #weighAlone(): void {
    this.#alone.forEach((rank, at) => {
      this.#totalMs[at] = this.#cost.computedInMs(rank) + this.#cost.decodeLoadMs(rank);
      this.#movedTokens[at] = this.#cost.pulledTokens(rank);
    });
    this.#count += this.#alone.length;
  }

  #weighPairs(query: PlanQuery, { links }: FleetView, ineligible: Ineligible): void {
    const held = this.#decode.map((rank) => this.#cost.handoverHeld(rank));
    const lacking = held.map((segments) => query.promptTokens - segments * query.segmentTokens);
    const loadMs = this.#decode.map((rank) => this.#cost.decodeLoadMs(rank));
    const layouts = this.#decode.map((rank) => layoutNumber(rank.facts.layout));
    let at = this.#alone.length;
    for (const from of this.#prefill) {
      const { workerId, layout } = from.facts;
      const layoutHere = layoutNumber(layout);
      const readyMs = this.#cost.computedInMs(from);
      const pulled = this.#cost.pulledTokens(from);
      const handover = this.#cost.handoverOf(from);
      const rates = links.from(workerId);
      for (let i = 0; i < this.#decode.length; i += 1, at += 1) {
        const { facts } = this.#decode[i] as RankView;
        if (facts.workerId === workerId) continue;
        const obstacle =
          layouts[i] === layoutHere ? undefined : layoutObstacle(layout, facts.layout);
        if (obstacle !== undefined) {
          const reason = `KV cannot go to ${facts.workerId}: ${obstacle}`;
          ineligible.push({ workerId, reason });
          continue;
        }
        const tokens = lacking[i] as number;
        const rate = rates?.get(facts.workerId) ?? links.defaultBytesPerSec;
        this.#totalMs[at] = readyMs + handoverMs(handover, tokens, rate) + (loadMs[i] as number);
        this.#movedTokens[at] = pulled + tokens;
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
    const totalOf = (at: number): number => this.#totalMs[at] as number;
    let worst = Infinity;
    for (let option = 0; option < this.#totalMs.length; option += 1) {
      const total = totalOf(option);
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
