import { canMoveKv } from '@baton/cluster';
import { reusableSegments } from './held.ts';
import type { PlanQuery, RankView } from './policy.ts';

/** Fewer are computed rather than read: vLLM's default of `kv_recompute_threshold`. */
const LEAST_READ_TOKENS = 64;

/**
 * Segments behind `held` leading ones that the rank's engine would read from the decode worker that has kept the turn
 * before. 0 when that has nothing more to give: told of it all the same, the engine lets the other one forget the turn.
 * Undefined when it cannot be told.
 */
export function turnSegments(query: PlanQuery, rank: RankView, held: number): number | undefined {
  const { keptTurn, promptTokens, segmentTokens } = query;
  const { workerId, role, layout } = rank.facts;
  if (keptTurn === undefined || role !== 'prefill' || keptTurn.workerId === workerId) {
    return undefined;
  }
  if (!canMoveKv(keptTurn.layout, layout)) return undefined;
  if (keptTurn.tokens - held * segmentTokens < LEAST_READ_TOKENS) return 0;
  const kept = Math.floor(keptTurn.tokens / segmentTokens);
  return Math.max(0, Math.min(kept, reusableSegments(promptTokens, segmentTokens)) - held);
}
