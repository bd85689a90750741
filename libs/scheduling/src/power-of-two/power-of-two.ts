import type { Leg, LegPick, LegPolicy, PlanQuery, RankView } from '../policy.ts';
import { randomIndex } from '../random/random-choice.ts';
import type { Random } from '../random.ts';
import { kvUsage } from '../rank-load.ts';

/** Two different ranks by chance, and of those the one with less load. */
export class PowerOfTwo implements LegPolicy {
  readonly name = 'power-of-two';
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  pick(_query: PlanQuery, _leg: Leg, ranks: readonly RankView[]): LegPick {
    const [first, second] = twoOf(this.#random, ranks.length);
    const usages = [first, second].map((i) => kvUsage(ranks[i] as RankView));
    // A share and a count cannot be compared: where one report is missing, both are counted.
    const isReported = usages.every((usage) => usage !== undefined);
    const loads = ranks.map((rank) => {
      return isReported ? (kvUsage(rank) ?? 0) : rank.load.streams;
    });
    const index = (loads[first] ?? 0) <= (loads[second] ?? 0) ? first : second;
    const scores = loads.map((load, i) => {
      const isDrawn = i === first || i === second ? 1 : 0;
      const terms = isReported ? { isDrawn, kvUsageShare: load } : { isDrawn, requests: load };
      return { terms, cost: load };
    });
    return { index, scores, reason: `by ${isReported ? 'KV usage' : 'requests'} of two` };
  }
}

/** Two different positions of `count`, in the order in which they were drawn; the same for one. */
export function twoOf(random: Random, count: number): [first: number, second: number] {
  const first = randomIndex(random, count);
  if (count === 1) return [first, first];
  return [first, (first + 1 + randomIndex(random, count - 1)) % count];
}
