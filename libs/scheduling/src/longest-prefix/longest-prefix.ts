import { heldSegments } from '../held.ts';
import type { Leg, LegPick, LegPolicy, PlanQuery, RankView } from '../policy.ts';
import { Rotation } from '../rotation.ts';

/** The rank that holds most of the prompt, whatever it has to do; those that hold as much take turns. */
export class LongestPrefix implements LegPolicy {
  readonly name = 'longest-prefix';
  readonly #rotation = new Rotation();

  pick(query: PlanQuery, _leg: Leg, ranks: readonly RankView[]): LegPick {
    const held = ranks.map((rank) => heldSegments(query, rank));
    const most = Math.max(...held);
    const index = this.#rotation.next(ranks, (i) => held[i] === most);
    const scores = held.map((segments) => {
      const heldTokens = segments * query.segmentTokens;
      return { terms: { heldTokens }, cost: -heldTokens };
    });
    return { index, scores };
  }
}
