import { compareEpochs, type Cluster } from '@baton/cluster';
import type { KeptTurn } from '@baton/scheduling';
import type { PlanRequest } from './inputs.ts';

/** What the request says is kept of the turn before, where its keeper is still the one that it was. */
export function keptTurn(
  { keptTurn: claim, model, promptTokens, excludeWorkers }: PlanRequest,
  cluster: Pick<Cluster, 'get'>,
): KeptTurn | undefined {
  if (claim === undefined || claim.tokens > promptTokens) return undefined;
  const { workerId, epoch, tokens } = claim;
  const record = cluster.get(workerId);
  if (record === undefined || excludeWorkers.includes(workerId)) return undefined;
  if (compareEpochs(record.epoch, epoch) !== 0) return undefined;
  if (record.state !== 'ready' && record.state !== 'draining') return undefined;
  const { layout } = record.facts;
  if (record.facts.model !== model) return undefined;
  // The only connector by which a prefill reads from a decode.
  return layout.connector === 'nixl' ? { workerId, layout, tokens } : undefined;
}
