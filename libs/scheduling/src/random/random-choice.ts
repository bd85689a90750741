import type { Leg, LegPick, LegPolicy, PlanQuery, RankView } from '../policy.ts';
import type { Random } from '../random.ts';

/** Any rank, each as likely as the others. */
export class RandomChoice implements LegPolicy {
  readonly name = 'random';
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  pick(_query: PlanQuery, _leg: Leg, ranks: readonly RankView[]): LegPick {
    const index = randomIndex(this.#random, ranks.length);
    return { index, scores: ranks.map(() => ({ terms: {}, cost: 0 })) };
  }
}

/** One of so many positions. */
export function randomIndex(random: Random, count: number): number {
  return Math.floor(random() * count);
}
