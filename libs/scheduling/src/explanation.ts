import { eligibleRanks } from './eligibility.ts';
import type { Explanation, FleetView, PlanQuery } from './policy.ts';

/** Why nobody takes the request now: who cannot, and what of it is held. Nothing is compared. */
export function explainNobody(policy: string, query: PlanQuery, fleet: FleetView): Explanation {
  return {
    policy,
    reasons: [],
    matchedTokens: query.match.knownSegments * query.segmentTokens,
    considered: 0,
    candidates: [],
    ineligible: eligibleRanks(query, fleet).ineligible,
  };
}

/** Candidates of one comparison that an explanation keeps. */
export const MAX_EXPLAINED_CANDIDATES = 16;
