import { layoutObstacle } from '@baton/cluster';
import { eligibleRanks, leastMs, type Eligible } from '../eligibility.ts';
import { MAX_EXPLAINED_CANDIDATES } from '../explanation.ts';
import type {
  CandidateRecord,
  Decision,
  Explanation,
  FleetView,
  PlanQuery,
  Policy,
} from '../policy.ts';
import { defaultsOf } from '../parameters.ts';
import { PairCost, type Candidate } from './pair-cost.ts';
import { kvCentricParameters, type KvCentricParameters } from './parameters.ts';

/**
 * The default policy: prefill and decode worker chosen together by the predicted time to the first
 * token.
 */
export class KvCentric implements Policy {
  readonly name = 'kv-centric';
  readonly #parameters: KvCentricParameters;
  #turn = 0;

  constructor(parameters: KvCentricParameters = defaultsOf(kvCentricParameters)) {
    this.#parameters = parameters;
  }

  decide(query: PlanQuery, fleet: FleetView): Decision {
    const cost = new PairCost(query, fleet, this.#parameters);
    const eligible = eligibleRanks(query, fleet);
    const candidates = this.#candidates(cost, eligible);
    const explanation: Explanation = {
      policy: this.name,
      reasons: [],
      matchedTokens: query.match.knownSegments * query.segmentTokens,
      considered: candidates.length,
      candidates: [],
      ineligible: eligible.ineligible,
    };
    if (candidates.length === 0) {
      return { kind: 'none', code: eligible.isBusy ? 'no_capacity' : 'no_worker', explanation };
    }
    const { chosen, tied } = this.#pick(candidates, cost);
    explanation.candidates = records(candidates, chosen, tied);
    return { kind: 'chosen', choice: chosen.choice, explanation };
  }

  estimateMs(query: PlanQuery, fleet: FleetView, isNow = false): number {
    const cost = new PairCost(query, fleet, this.#parameters);
    return leastMs(query, fleet, isNow, (rank) => cost.workMs(rank));
  }

  #candidates(cost: PairCost, eligible: Eligible): Candidate[] {
    const { prefill, decode, whole, hasPairs, ineligible } = eligible;
    const pairs: Candidate[] = [];
    for (const from of prefill) {
      for (const to of decode) {
        if (from.facts.workerId === to.facts.workerId) continue;
        const obstacle = layoutObstacle(from.facts.layout, to.facts.layout);
        if (obstacle === undefined) pairs.push(cost.pair(from, to));
        else {
          const reason = `KV cannot go to ${to.facts.workerId}: ${obstacle}`;
          ineligible.push({ workerId: from.facts.workerId, reason });
        }
      }
    }
    const limit = hasPairs ? this.#parameters.aggregateBelowTokens : Infinity;
    const alone = whole.filter(
      (rank) => rank.facts.role === 'both' || cost.lackingTokens(rank) <= limit,
    );
    return [...alone.map((rank) => cost.aggregated(rank)), ...pairs];
  }

  /** Of those that cost about the same, the ones that move least get their turn. */
  #pick(
    candidates: Candidate[],
    cost: PairCost,
  ): { chosen: Candidate; tied: readonly Candidate[] } {
    const best = Math.min(...candidates.map((item) => item.totalMs));
    const margin = Math.max(this.#parameters.tieMs, best * this.#parameters.tieShare);
    const tied = candidates.filter((item) => item.totalMs <= best + margin);
    const least = Math.min(...tied.map((item) => cost.movedTokens(item.choice)));
    const nearest = tied.filter((item) => cost.movedTokens(item.choice) === least);
    const chosen = nearest[this.#turn % nearest.length] ?? candidates[0];
    this.#turn += 1;
    if (chosen === undefined) throw new RangeError('there must be a candidate');
    return { chosen, tied };
  }
}

function records(
  candidates: readonly Candidate[],
  chosen: Candidate,
  tied: readonly Candidate[],
): CandidateRecord[] {
  const order = [...candidates].sort((a, b) => a.totalMs - b.totalMs);
  const shown = [chosen, ...order.filter((item) => item !== chosen)];
  return shown.slice(0, MAX_EXPLAINED_CANDIDATES).map((item) => {
    const outcome = item === chosen ? 'chosen' : tied.includes(item) ? 'tied' : 'behind';
    return {
      leg: 'pair',
      mode: item.choice.mode,
      prefillWorker: item.choice.prefill.workerId,
      decodeWorker: item.choice.decode.workerId,
      terms: { ...item.terms },
      cost: item.totalMs,
      pull: item.choice.pull,
      outcome,
      lostBy: outcome === 'behind' ? lostBy(item, chosen) : undefined,
    };
  });
}

function lostBy(item: Candidate, chosen: Candidate): CandidateRecord['lostBy'] {
  const behind = (term: keyof Candidate['terms']): number => item.terms[term] - chosen.terms[term];
  const names = Object.keys(item.terms) as (keyof Candidate['terms'])[];
  const term = names.reduce((worst, name) => (behind(name) > behind(worst) ? name : worst));
  return { term, behind: item.totalMs - chosen.totalMs };
}
