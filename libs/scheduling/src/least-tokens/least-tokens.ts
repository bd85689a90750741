import type { Leg, LegPick, LegPolicy, PlanQuery, RankView } from '../policy.ts';
import { tokensToDo } from '../rank-load.ts';
import { Rotation } from '../rotation.ts';

/** The rank with the fewest tokens to compute, or for decode to keep; those with as many take turns. */
export class LeastTokens implements LegPolicy {
  readonly name = 'least-tokens';
  readonly #rotation = new Rotation();

  pick(_query: PlanQuery, leg: Leg, ranks: readonly RankView[]): LegPick {
    const tokens = ranks.map((rank) => tokensToDo(leg, rank));
    const fewest = Math.min(...tokens);
    const index = this.#rotation.next(ranks, (i) => tokens[i] === fewest);
    return { index, scores: tokens.map((count) => ({ terms: { tokens: count }, cost: count })) };
  }
}
