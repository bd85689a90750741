import { KvCentric } from '../kv-centric/kv-centric.ts';
import { kvCentricParameters, type KvCentricParameters } from '../kv-centric/parameters.ts';
import { defaultsOf } from '../parameters.ts';
import type { CandidateRecord, FleetView, PlanQuery, RankView } from '../policy.ts';
import { sampleFleet, sampleRank } from './fleet-sample.ts';

/** Parameters with which no two costs are equal that differ at all. */
export const untied = { tieMs: 0, tieShare: 0 };

export function kvCentric(changes: Partial<KvCentricParameters> = {}): KvCentric {
  return new KvCentric({ ...defaultsOf(kvCentricParameters), ...changes });
}

/** Two decode and two prefill workers, all idle. */
export function twoPairs(): RankView[] {
  return [
    sampleRank('decode-1', 'decode'),
    sampleRank('decode-2', 'decode'),
    sampleRank('prefill-1', 'prefill'),
    sampleRank('prefill-2', 'prefill'),
  ];
}

/** What was compared, by cost, none of it tied: the first one is chosen. */
export function weighed(
  query: PlanQuery,
  ranks: readonly RankView[],
  changes: Partial<FleetView> = {},
  parameters: Partial<KvCentricParameters> = {},
): CandidateRecord[] {
  const policy = kvCentric({ ...untied, ...parameters });
  return policy.decide(query, sampleFleet(ranks, changes)).explanation.candidates;
}
