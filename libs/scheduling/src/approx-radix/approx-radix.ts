import { KEY_BYTES } from '@baton/kv';
import type { Leg, LegPick, LegPolicy, PlacedRank, PlanQuery, RankView } from '../policy.ts';
import { PrefixTree, type PrefixMatch } from '../prefix-tree/prefix-tree.ts';
import { kvUsage } from '../rank-load.ts';
import { isRankOf, rankName } from '../rank-name.ts';
import type { ApproxRadixParameters } from './parameters.ts';

/** How a request was placed: decides what its placement leaves in the tree. */
type Way = 'imbalanced' | 'matched' | 'unmatched' | 'gone';

const reasons: Readonly<Record<Way, string>> = {
  imbalanced: 'load is uneven: least load',
  matched: 'longest match in the tree',
  unmatched: 'no match that is long enough: least load',
  gone: 'the matched rank is not there: the first',
};

/** SGLang's cache_aware: a tree of what was sent where, as long as load is even. */
export class ApproxRadix implements LegPolicy {
  readonly name = 'approx-radix';
  readonly #parameters: ApproxRadixParameters;
  readonly #tree = new PrefixTree();
  /** Requests that each rank was ever given. */
  readonly #processed = new Map<string, number>();
  readonly #picks = new WeakMap<PlanQuery, { way: Way; match: PrefixMatch | undefined }>();
  #epoch = 0;
  #evictedAtMs: number | undefined;

  constructor(parameters: ApproxRadixParameters) {
    this.#parameters = parameters;
  }

  pick(query: PlanQuery, _leg: Leg, ranks: readonly RankView[]): LegPick {
    const isImbalanced = this.#isImbalanced(ranks);
    const match = isImbalanced ? undefined : this.#tree.match(query.segmentKeys);
    const matchedTokens = (match?.segments ?? 0) * query.segmentTokens;
    const isLong = matchedTokens / query.promptTokens > this.#parameters.cacheThreshold;
    // Of several with the same prefix the source takes one by chance; here it is the last that used it.
    const owner = isLong ? ranks.findIndex((one) => one.name === match?.owners[0]) : -1;
    let way: Way = isImbalanced ? 'imbalanced' : 'unmatched';
    if (isLong) way = owner >= 0 ? 'matched' : 'gone';
    this.#picks.set(query, { way, match });
    const index = isLong ? Math.max(0, owner) : this.#leastLoaded(ranks);
    const scores = ranks.map(({ load: { streams } }, i) => {
      const own = i === owner ? matchedTokens : 0;
      return {
        terms: { matchedTokens: own, requests: streams },
        cost: isLong ? -own : streams,
      };
    });
    return { index, scores, reason: reasons[way] };
  }

  placed(query: PlanQuery, rank: PlacedRank): void {
    const { way, match } = this.#picks.get(query) ?? { way: 'unmatched' };
    const name = rankName(rank);
    const [lastUser] = match?.owners ?? [];
    // To be matched is to be used, also for a rank that is not taken then.
    if (match !== undefined && lastUser !== undefined && (way === 'gone' || lastUser !== name)) {
      const matched = query.segmentKeys.subarray(0, match.segments * KEY_BYTES);
      this.#insert(matched, lastUser);
    }
    if (way !== 'gone') {
      this.#insert(query.segmentKeys, name);
      this.#processed.set(name, (this.#processed.get(name) ?? 0) + 1);
    }
    this.#evict(query);
  }

  /** The tree keeps it, as the source does: its prefixes are evicted in their turn. */
  forgetWorker(workerId: string): void {
    for (const name of this.#processed.keys()) {
      if (isRankOf(workerId, name)) this.#processed.delete(name);
    }
  }

  #insert(keys: Uint8Array, name: string): void {
    this.#epoch += 1;
    this.#tree.insert(keys, name, this.#epoch);
  }

  #isImbalanced(ranks: readonly RankView[]): boolean {
    const requests = ranks.map((rank) => rank.load.streams);
    const [most, least] = [Math.max(...requests), Math.min(...requests)];
    const { balanceAbsThreshold, balanceRelThreshold } = this.#parameters;
    if (most - least > balanceAbsThreshold && most > least * balanceRelThreshold) return true;
    const usages = ranks.map(kvUsage).filter((usage) => usage !== undefined);
    if (usages.length === 0) return false;
    const hottest = Math.max(...usages);
    const { overloadKvUsage, balanceKvUsage } = this.#parameters;
    return hottest > overloadKvUsage || hottest - Math.min(...usages) > balanceKvUsage;
  }

  /** Fewest requests at work, of those fewest ever given, of those the first. */
  #leastLoaded(ranks: readonly RankView[]): number {
    const processed = ranks.map((rank) => this.#processed.get(rank.name) ?? 0);
    return ranks.reduce((best, rank, i) => {
      const more = rank.load.streams - (ranks[best] as RankView).load.streams;
      const later = (processed[i] ?? 0) - (processed[best] ?? 0);
      return more < 0 || (more === 0 && later < 0) ? i : best;
    }, 0);
  }

  #evict({ nowMs, segmentTokens }: PlanQuery): void {
    this.#evictedAtMs ??= nowMs;
    if (nowMs - this.#evictedAtMs < this.#parameters.evictionIntervalMs) return;
    this.#evictedAtMs = nowMs;
    const allowed = Math.floor(this.#parameters.maxTreeTokens / segmentTokens);
    for (const name of this.#tree.ownerNames) {
      this.#tree.evict(name, this.#tree.segmentsOf(name) - allowed);
    }
  }
}
