/** A prompt that is being computed, as the planner sees it. */
export interface PrefillCandidate {
  /** Tokens whose KV exists; a whole number of segments, or where the last piece ended. */
  position: number;
  /** First position that this prefill does not compute. */
  end: number;
  /** Name of the segment that begins at a position; undefined where no whole segment does. */
  segmentAt(position: number): string | undefined;
}

export interface PrefillPiece<C> {
  candidate: C;
  from: number;
  /** Exclusive. */
  to: number;
}

/**
 * Which pieces of which prompts the next step computes, `candidates` in order of arrival.
 *
 * The oldest prompt gets one segment in every step, so that none waits for ever; what is left of the budget goes to the
 * prompt with the least left to compute, then to the next. A piece ends where its segment ends or with the prompt, and
 * the last one may exceed the budget by less than a segment. A segment that another prompt computes in this step is not
 * computed twice: its sibling finds it in the cache afterwards.
 */
export function planPrefill<C extends PrefillCandidate>(
  candidates: readonly C[],
  budgetTokens: number,
  segmentTokens: number,
): PrefillPiece<C>[] {
  const pieces: PrefillPiece<C>[] = [];
  const cursors = new Map(candidates.map((candidate) => [candidate, candidate.position]));
  const claimed = new Set<string>();
  let left = budgetTokens;
  const take = (candidate: C): boolean => {
    const from = cursors.get(candidate) ?? candidate.end;
    if (left <= 0 || from >= candidate.end) return false;
    const segment = candidate.segmentAt(from);
    if (segment !== undefined && claimed.has(segment)) return false;
    if (segment !== undefined) claimed.add(segment);
    const to = Math.min(from - (from % segmentTokens) + segmentTokens, candidate.end);
    pieces.push({ candidate, from, to });
    cursors.set(candidate, to);
    left -= to - from;
    return true;
  };
  const oldest = candidates[0];
  if (oldest !== undefined) take(oldest);
  const remaining = (candidate: C): number => candidate.end - candidate.position;
  for (const candidate of [...candidates].sort((a, b) => remaining(a) - remaining(b))) {
    while (take(candidate));
  }
  return pieces;
}
