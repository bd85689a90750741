import type { Tier } from '@baton/kv';

/** What one rank holds of a prompt, in whole segments from the first one on, without a gap. */
export interface RankMatch {
  workerId: string;
  rank: number;
  hbmSegments: number;
  /**
   * As the engine can use it with its agent's help: in HBM from the start, then on in DRAM without
   * a way back up.
   */
  memorySegments: number;
  /** Each in any tier. */
  localSegments: number;
}

/** Consecutive segments in one tier of one rank, not necessarily from the prompt's start. */
export interface HeldRun {
  workerId: string;
  rank: number;
  tier: Tier;
  first: number;
  count: number;
}

export interface Match {
  /** Keys that were asked for. */
  segments: number;
  /** Leading keys that at least one rank holds; nothing is said about later ones. */
  knownSegments: number;
  /** Ranks that hold any of the known segments, by worker id and rank. */
  ranks: readonly RankMatch[];
  /** Everything that is held of the known segments, by worker id, rank, tier and position. */
  runs: readonly HeldRun[];
}

const NOTHING = { hbmSegments: 0, memorySegments: 0, localSegments: 0 };

/** What this rank holds; zeros when the match does not name it. */
export function rankMatch(match: Match, workerId: string, rank: number): RankMatch {
  return (
    match.ranks.find((entry) => entry.workerId === workerId && entry.rank === rank) ?? {
      workerId,
      rank,
      ...NOTHING,
    }
  );
}

/**
 * The end (exclusive) of what these runs of one rank cover without a gap from segment `from` on, when
 * only some tiers count. Equal to `from` when that one is not covered.
 */
export function coveredUntil(
  runs: readonly HeldRun[],
  from: number,
  allowed: readonly Tier[],
): number {
  let end = from;
  for (;;) {
    const next = runs.find(
      (run) => run.first <= end && run.first + run.count > end && allowed.includes(run.tier),
    );
    if (next === undefined) return end;
    end = next.first + next.count;
  }
}

/** The runs of one rank. */
export function runsOf(match: Match, workerId: string, rank: number): HeldRun[] {
  return match.runs.filter((run) => run.workerId === workerId && run.rank === rank);
}
