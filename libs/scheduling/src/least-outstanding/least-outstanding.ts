import type { Leg, LegPick, LegPolicy, PlanQuery, RankView } from '../policy.ts';
import { Rotation } from '../rotation.ts';

/** The rank with the fewest requests that are not finished; those with as many take turns. */
export class LeastOutstanding implements LegPolicy {
  readonly name = 'least-outstanding';
  readonly #rotation = new Rotation();

  pick(_query: PlanQuery, _leg: Leg, ranks: readonly RankView[]): LegPick {
    const requests = ranks.map((rank) => rank.load.streams);
    const fewest = Math.min(...requests);
    const index = this.#rotation.next(ranks, (i) => requests[i] === fewest);
    return {
      index,
      scores: requests.map((count) => ({ terms: { requests: count }, cost: count })),
    };
  }
}
