import { prefillMs } from './cost/prefill-cost.ts';
import type { ComingPrefix, PlanQuery, PlacedRank, PullChoice, RankView } from './policy.ts';

/** Whole segments of a prompt that may be reused: the last prompt token is always computed. */
export function reusableSegments(promptTokens: number, segmentTokens: number): number {
  return Math.max(0, Math.floor((promptTokens - 1) / segmentTokens));
}

/** Segments that these bring. */
export function pulledSegments(pulls: readonly PullChoice[]): number {
  return pulls.reduce((sum, { segments }) => sum + segments, 0);
}

/** The longest of these prefixes on one rank. */
export function comingSegments(
  coming: readonly ComingPrefix[],
  { workerId, rank }: PlacedRank,
): number {
  let segments = 0;
  for (const prefix of coming) {
    if (prefix.workerId === workerId && prefix.rank === rank && prefix.segments > segments) {
      segments = prefix.segments;
    }
  }
  return segments;
}

/**
 * Leading whole segments that the rank has in memory, or will have when what it was given before is
 * done; at most those that may be reused.
 */
export function heldSegments(query: PlanQuery, view: RankView): number {
  const place = { workerId: view.facts.workerId, rank: view.rank };
  const { memorySegments } = query.match.rank(place.workerId, place.rank);
  const held = Math.max(memorySegments, comingSegments(query.coming, place));
  return Math.min(held, reusableSegments(query.promptTokens, query.segmentTokens));
}

/** Prompt tokens that the rank would compute itself. */
export function lackingTokens(query: PlanQuery, view: RankView): number {
  return query.promptTokens - heldSegments(query, view) * query.segmentTokens;
}

/** Computing the prompt when so many of its leading segments are there. */
export function computeMs(query: PlanQuery, { cost }: RankView, readySegments: number): number {
  const readyTokens = readySegments * query.segmentTokens;
  return prefillMs(cost, query.promptTokens - readyTokens, readyTokens);
}
