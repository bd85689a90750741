import type { FleetView, Leg, LegPick, LegPolicy, PlanQuery, RankView } from '../policy.ts';
import { Rotation } from '../rotation.ts';
import { PairCost } from './pair-cost.ts';
import type { KvCentricParameters } from './parameters.ts';

/**
 * The part of kv-centric's cost that one leg decides, for use beside another policy: prefill without a
 * thought of where the KV goes, decode by what it lacks and has to do.
 */
export class KvCentricLeg implements LegPolicy {
  readonly name = 'kv-centric';
  readonly #parameters: KvCentricParameters;
  readonly #rotation = new Rotation();
  #turn = 0;

  constructor(parameters: KvCentricParameters) {
    this.#parameters = parameters;
  }

  pick(query: PlanQuery, leg: Leg, ranks: readonly RankView[], fleet: FleetView): LegPick {
    const cost = new PairCost(query, fleet, this.#parameters, this.#turn);
    this.#turn += 1;
    const scores = ranks.map((rank) =>
      leg === 'decode' ? cost.decodeScore(rank) : cost.prefillScore(rank),
    );
    const best = Math.min(...scores.map((score) => score.cost));
    const margin = Math.max(this.#parameters.tieMs, best * this.#parameters.tieShare);
    const index = this.#rotation.next(ranks, (i) => (scores[i]?.cost ?? Infinity) <= best + margin);
    return { index, scores };
  }
}
