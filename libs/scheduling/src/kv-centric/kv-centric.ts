import { canDecode, canPrefill, layoutObstacle } from '@baton/cluster';
import type {
  CandidateRecord,
  CostTerms,
  Decision,
  Explanation,
  FleetView,
  PlanQuery,
  Policy,
  RankView,
} from '../policy.ts';
import { PairCost, type Candidate } from './pair-cost.ts';
import { kvCentricDefaults, type KvCentricParameters } from './parameters.ts';

/** Candidates that an explanation keeps. */
export const MAX_EXPLAINED_CANDIDATES = 16;

type Ineligible = Explanation['ineligible'];

/**
 * The default policy: prefill and decode worker chosen together by the predicted time to the first
 * token.
 */
export class KvCentric implements Policy {
  readonly name = 'kv-centric';
  readonly #parameters: KvCentricParameters;
  #turn = 0;

  constructor(parameters: Partial<KvCentricParameters> = {}) {
    this.#parameters = { ...kvCentricDefaults, ...parameters };
  }

  decide(query: PlanQuery, fleet: FleetView): Decision {
    const cost = new PairCost(query, fleet, this.#parameters);
    const ineligible: Ineligible = [];
    const usable = fleet.ranks.filter((rank) => isUsable(rank, query, ineligible));
    const decoders = usable.filter((rank) => canDecode(rank.facts));
    const roomy = decoders.filter((rank) => hasRoom(rank, cost, ineligible));
    const candidates = this.#candidates(cost, fleet, usable, roomy, ineligible);
    const explanation: Explanation = {
      policy: this.name,
      matchedTokens: query.match.knownSegments * query.segmentTokens,
      considered: candidates.length,
      candidates: [],
      ineligible,
    };
    if (candidates.length === 0) {
      const busy = decoders.length > 0 && roomy.length === 0;
      return { kind: 'none', code: busy ? 'no_capacity' : 'no_worker', explanation };
    }
    const { chosen, tied } = this.#pick(candidates, cost);
    explanation.candidates = records(candidates, chosen, tied);
    return { kind: 'chosen', choice: chosen.choice, explanation };
  }

  #candidates(
    cost: PairCost,
    fleet: FleetView,
    usable: readonly RankView[],
    decoders: readonly RankView[],
    ineligible: Ineligible,
  ): Candidate[] {
    const pairs: Candidate[] = [];
    for (const prefill of usable.filter((rank) => canPrefill(rank.facts))) {
      if (!fleet.transfersPossible) break;
      if (cost.promptBlocks(prefill) > prefill.facts.kvCapacityBlocks) {
        ineligible.push({
          workerId: prefill.facts.workerId,
          reason: 'prompt exceeds its KV cache',
        });
        continue;
      }
      for (const decode of decoders) {
        if (prefill.facts.workerId === decode.facts.workerId) continue;
        const obstacle = layoutObstacle(prefill.facts.layout, decode.facts.layout);
        if (obstacle === undefined) pairs.push(cost.pair(prefill, decode));
        else {
          const reason = `KV cannot go to ${decode.facts.workerId}: ${obstacle}`;
          ineligible.push({ workerId: prefill.facts.workerId, reason });
        }
      }
    }
    const limit = pairs.length === 0 ? Infinity : this.#parameters.aggregateBelowTokens;
    const alone = decoders.filter(
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

function isUsable(rank: RankView, query: PlanQuery, ineligible: Ineligible): boolean {
  const { workerId } = rank.facts;
  let reason: string | undefined;
  if (query.excluded.has(workerId)) reason = 'failed for this request before';
  else if (rank.state !== 'ready') reason = rank.state;
  if (reason !== undefined) ineligible.push({ workerId, reason });
  return reason === undefined;
}

/** Room for the whole request's KV and for one more stream. */
function hasRoom(rank: RankView, cost: PairCost, ineligible: Ineligible): boolean {
  const { workerId, kvCapacityBlocks, maxSequences } = rank.facts;
  let reason: string | undefined;
  if (cost.promptBlocks(rank) > kvCapacityBlocks) reason = 'prompt exceeds its KV cache';
  else if (rank.load.kvBlocks + cost.decodeBlocks(rank) > kvCapacityBlocks)
    reason = 'KV cache full';
  else if (rank.load.streams >= maxSequences) reason = 'all sequences taken';
  if (reason !== undefined) ineligible.push({ workerId, reason });
  return reason === undefined;
}

function records(
  candidates: readonly Candidate[],
  chosen: Candidate,
  tied: readonly Candidate[],
): CandidateRecord[] {
  const order = [...candidates].sort((a, b) => a.totalMs - b.totalMs);
  const shown = [chosen, ...order.filter((item) => item !== chosen)];
  return shown.slice(0, MAX_EXPLAINED_CANDIDATES).map((item) => {
    const outcome = item === chosen ? 'chosen' : tied.includes(item) ? 'tied' : 'slower';
    return {
      mode: item.choice.mode,
      prefillWorker: item.choice.prefill.workerId,
      decodeWorker: item.choice.decode.workerId,
      terms: item.terms,
      totalMs: item.totalMs,
      pull: item.choice.pull,
      outcome,
      lostBy: outcome === 'slower' ? lostBy(item, chosen) : undefined,
    };
  });
}

function lostBy(item: Candidate, chosen: Candidate): CandidateRecord['lostBy'] {
  const behind = (term: keyof CostTerms): number => item.terms[term] - chosen.terms[term];
  const names = Object.keys(item.terms) as (keyof CostTerms)[];
  const term = names.reduce((worst, name) => (behind(name) > behind(worst) ? name : worst));
  return { term, behindMs: item.totalMs - chosen.totalMs };
}
