import { KEY_BYTES, keyAt } from '@baton/kv';
import { argmin } from '../argmin.ts';
import { HashRing, ringPosition } from '../hash-ring.ts';
import type { Leg, LegPick, LegPolicy, PlanQuery, RankView } from '../policy.ts';
import { isRankOf } from '../rank-name.ts';
import type { PrefixHashParameters } from './parameters.ts';

/** The rank that owns the beginning of the prompt on a hash ring, unless it has too much to do. */
export class PrefixHash implements LegPolicy {
  readonly name = 'prefix-hash';
  readonly #parameters: PrefixHashParameters;
  readonly #ring: HashRing;

  constructor(parameters: PrefixHashParameters) {
    this.#parameters = parameters;
    this.#ring = new HashRing(parameters.virtualNodes);
  }

  pick(query: PlanQuery, _leg: Leg, ranks: readonly RankView[]): LegPick {
    const requests = ranks.map((rank) => rank.load.streams);
    const owner = this.#owner(query, ranks);
    const least = argmin(requests);
    const isOwnerFree = owner >= 0 && this.#hasRoom(requests, owner);
    const index = isOwnerFree ? owner : least;
    const scores = requests.map((count, i) => ({
      terms: { requests: count, isOwner: i === owner ? 1 : 0 },
      cost: isOwnerFree && i === owner ? -1 : count,
    }));
    const reason = reasonOf(owner >= 0, isOwnerFree);
    return { index, scores, reason };
  }

  forgetWorker(workerId: string): void {
    this.#ring.remove((name) => isRankOf(workerId, name));
  }

  /** Position of the rank that owns the prompt's beginning; -1 for a prompt without a whole segment. */
  #owner({ segmentKeys, segmentTokens }: PlanQuery, ranks: readonly RankView[]): number {
    const wanted = Math.max(1, Math.round(this.#parameters.prefixTokens / segmentTokens));
    const segments = Math.min(wanted, segmentKeys.length / KEY_BYTES);
    if (segments === 0) return -1;
    const names = ranks.map(({ name }) => name);
    this.#ring.add(names);
    const position = ringPosition(keyAt(segmentKeys, segments - 1));
    const owner = this.#ring.next(position, (name) => names.includes(name));
    return owner === undefined ? -1 : names.indexOf(owner);
  }

  #hasRoom(requests: readonly number[], index: number): boolean {
    const total = requests.reduce((sum, count) => sum + count, 0);
    if (total === 0) return true;
    // The request that is being placed counts in the average.
    const average = (total + 1) / requests.length;
    return (requests[index] ?? 0) <= average * this.#parameters.loadFactor;
  }
}

function reasonOf(hasOwner: boolean, isOwnerFree: boolean): string {
  if (!hasOwner) return 'the prompt has no whole segment: fewest requests';
  return isOwnerFree ? 'owner of the prefix' : 'the owner has too many requests: fewest requests';
}
