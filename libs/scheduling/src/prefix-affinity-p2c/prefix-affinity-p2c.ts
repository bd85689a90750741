import type { Leg, LegPick, LegPolicy, PlacedRank, PlanQuery, RankView } from '../policy.ts';
import { twoOf } from '../power-of-two/power-of-two.ts';
import { PrefixTree } from '../prefix-tree/prefix-tree.ts';
import type { Random } from '../random.ts';
import { isRankOf, rankName } from '../rank-name.ts';
import type { PrefixAffinityParameters } from './parameters.ts';

/** Ray Serve's prefix-aware router: the rank with the prefix, the emptiest tree, or two by chance. */
export class PrefixAffinityP2c implements LegPolicy {
  readonly name = 'prefix-affinity-p2c';
  readonly #parameters: PrefixAffinityParameters;
  readonly #random: Random;
  readonly #tree = new PrefixTree();
  #evictedAtMs: number | undefined;

  constructor(parameters: PrefixAffinityParameters, random: Random) {
    this.#parameters = parameters;
    this.#random = random;
  }

  pick(query: PlanQuery, _leg: Leg, ranks: readonly RankView[]): LegPick {
    const names = ranks.map(({ name }) => name);
    const requests = ranks.map((rank) => rank.load.streams);
    const match = this.#tree.match(query.segmentKeys, new Set(names));
    const matchedTokens = match.segments * query.segmentTokens;
    const treeTokens = names.map((name) => this.#tree.segmentsOf(name) * query.segmentTokens);
    const isMatched = matchedTokens / query.promptTokens >= this.#parameters.matchRateThreshold;
    const spread = Math.max(...requests) - Math.min(...requests);
    const owned = names.map((name) => (match.owners.includes(name) ? matchedTokens : 0));
    let costs: number[];
    let candidates: number[] | undefined;
    let reason: string;
    if (spread > this.#parameters.imbalancedThreshold) {
      costs = requests;
      candidates = twoOf(this.#random, ranks.length);
      reason = 'load is uneven: the better of two';
    } else if (isMatched) {
      costs = owned.map((tokens) => -tokens);
      reason = 'who has the longest match';
    } else {
      costs = treeTokens;
      reason = 'no match that is long enough: who has least in the tree';
    }
    const index = leastRequests(candidates ?? cheapest(costs), requests);
    const scores = requests.map((count, i) => ({
      terms: { matchedTokens: owned[i] ?? 0, treeTokens: treeTokens[i] ?? 0, requests: count },
      cost: costs[i] ?? 0,
    }));
    return { index, scores, reason };
  }

  placed(query: PlanQuery, rank: PlacedRank): void {
    this.#tree.insert(query.segmentKeys, rankName(rank), query.nowMs);
    if (this.#parameters.doEviction !== 0) this.#evict(query);
  }

  forgetWorker(workerId: string): void {
    for (const name of this.#tree.ownerNames) {
      if (isRankOf(workerId, name)) this.#tree.removeOwner(name);
    }
  }

  #evict({ nowMs, segmentTokens }: PlanQuery): void {
    this.#evictedAtMs ??= nowMs;
    if (nowMs - this.#evictedAtMs < this.#parameters.evictionIntervalMs) return;
    this.#evictedAtMs = nowMs;
    const { evictionThresholdTokens, evictionTargetTokens } = this.#parameters;
    for (const name of this.#tree.ownerNames) {
      const tokens = this.#tree.segmentsOf(name) * segmentTokens;
      if (tokens <= evictionThresholdTokens) continue;
      const excess = Math.ceil((tokens - evictionTargetTokens) / segmentTokens);
      this.#tree.evictByLastUse(name, excess);
    }
  }
}

/** Positions of the least cost. */
function cheapest(costs: readonly number[]): number[] {
  const least = Math.min(...costs);
  return costs.flatMap((cost, i) => (cost === least ? [i] : []));
}

/** Of these positions the one with the fewest requests, of equal ones the first. */
function leastRequests(positions: readonly number[], requests: readonly number[]): number {
  return positions.reduce((best, i) => {
    return (requests[i] ?? 0) < (requests[best] ?? 0) ? i : best;
  });
}
