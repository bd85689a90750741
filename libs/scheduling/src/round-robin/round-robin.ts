import type { LegPick, LegPolicy, PlanQuery, Leg, RankView } from '../policy.ts';
import { Rotation } from '../rotation.ts';

/** Each rank in its turn, whatever it holds or has to do. */
export class RoundRobin implements LegPolicy {
  readonly name = 'round-robin';
  readonly #rotation = new Rotation();

  pick(_query: PlanQuery, _leg: Leg, ranks: readonly RankView[]): LegPick {
    const index = this.#rotation.next(ranks);
    return { index, scores: ranks.map(() => ({ terms: {}, cost: 0 })) };
  }
}
