import { heldSegments } from '../held.ts';
import type { Leg, LegPick, LegPolicy, PlanQuery, RankView } from '../policy.ts';
import { Rotation } from '../rotation.ts';
import type { CompositeParameters } from './parameters.ts';

/** Adds what a rank holds of the prompt and how long its queue is into one score. */
export class Composite implements LegPolicy {
  readonly name = 'composite';
  readonly #parameters: CompositeParameters;
  readonly #rotation = new Rotation();

  constructor(parameters: CompositeParameters) {
    this.#parameters = parameters;
  }

  pick(query: PlanQuery, _leg: Leg, ranks: readonly RankView[]): LegPick {
    const { alpha, beta } = this.#parameters;
    const scores = ranks.map((rank) => {
      const hitRatio = (heldSegments(query, rank) * query.segmentTokens) / query.promptTokens;
      const queueSec = rank.queueMs / 1000;
      return { terms: { hitRatio, queueSec }, cost: beta * queueSec - alpha * hitRatio };
    });
    const best = Math.min(...scores.map((score) => score.cost));
    const isBest = (i: number): boolean => scores[i]?.cost === best;
    // Decode ranks have no queue: their requests tell them apart.
    const requests = ranks.map((rank, i) => (isBest(i) ? rank.load.streams : Infinity));
    const fewest = Math.min(...requests);
    return { index: this.#rotation.next(ranks, (i) => requests[i] === fewest), scores };
  }
}
