import { eligibleRanks, leastMs } from '../eligibility.ts';
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
import { Candidates, Weights, type Found } from './candidates.ts';
import { PairCost, type Candidate } from './pair-cost.ts';
import { kvCentricParameters, type KvCentricParameters } from './parameters.ts';

/**
 * The default policy: prefill and decode worker chosen together by the predicted time to the first
 * token.
 */
export class KvCentric implements Policy {
  readonly name = 'kv-centric';
  readonly #parameters: KvCentricParameters;
  readonly #weights = new Weights();
  #turn = 0;
  #last: { query: PlanQuery; fleet: FleetView; cost: PairCost } | undefined;

  constructor(parameters: KvCentricParameters = defaultsOf(kvCentricParameters)) {
    this.#parameters = parameters;
  }

  decide(query: PlanQuery, fleet: FleetView): Decision {
    const cost = this.#costOf(query, fleet);
    const eligible = eligibleRanks(query, fleet);
    const candidates = new Candidates(
      query,
      fleet,
      cost,
      eligible,
      this.#parameters,
      this.#weights,
    );
    const found = candidates.best(this.#turn, MAX_EXPLAINED_CANDIDATES);
    const explanation: Explanation = {
      policy: this.name,
      reasons: [],
      matchedTokens: query.match.knownSegments * query.segmentTokens,
      considered: candidates.count,
      candidates: [],
      ineligible: eligible.ineligible,
    };
    if (found === undefined) {
      return { kind: 'none', code: eligible.isBusy ? 'no_capacity' : 'no_worker', explanation };
    }
    this.#turn += 1;
    explanation.candidates = records(found, cost);
    return { kind: 'chosen', choice: cost.choice(found.chosen), explanation };
  }

  estimateMs(query: PlanQuery, fleet: FleetView, isNow = false): number {
    const cost = this.#costOf(query, fleet);
    return leastMs(query, fleet, isNow, (rank) => cost.workMs(rank));
  }

  /** Estimates and the decision about one query in one fleet share what they have worked out. */
  #costOf(query: PlanQuery, fleet: FleetView): PairCost {
    const last = this.#last;
    if (last?.query === query && last.fleet === fleet) return last.cost;
    const cost = new PairCost(query, fleet, this.#parameters, this.#turn);
    this.#last = { query, fleet, cost };
    return cost;
  }
}

function records({ chosen, others }: Found, cost: PairCost): CandidateRecord[] {
  const record = (item: Candidate, outcome: CandidateRecord['outcome']): CandidateRecord => ({
    leg: 'pair',
    mode: item.prefill === item.decode ? 'aggregated' : 'disaggregated',
    prefillWorker: item.prefill.facts.workerId,
    decodeWorker: item.decode.facts.workerId,
    terms: item.terms,
    cost: item.totalMs,
    pulls: cost.prepare(item.prefill).pulls,
    outcome,
    lostBy: outcome === 'behind' ? lostBy(item, chosen) : undefined,
  });
  return [
    record(chosen, 'chosen'),
    ...others.map(({ candidate, isTied }) => record(candidate, isTied ? 'tied' : 'behind')),
  ];
}

const TERMS = [
  'queueMs',
  'adapterMs',
  'fetchMs',
  'prefillMs',
  'handoverMs',
  'linkMs',
  'decodeLoadMs',
] as const;

function lostBy(item: Candidate, chosen: Candidate): CandidateRecord['lostBy'] {
  const behind = (term: keyof Candidate['terms']): number =>
    (item.terms[term] ?? 0) - (chosen.terms[term] ?? 0);
  const term = TERMS.reduce<(typeof TERMS)[number]>(
    (worst, name) => (behind(name) > behind(worst) ? name : worst),
    TERMS[0],
  );
  return { term, behind: item.totalMs - chosen.totalMs };
}
