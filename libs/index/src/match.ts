import { tiers, type Tier } from '@baton/kv';

/** Stands for a tier in which a rank holds nothing; ids of holders are below. */
export const NO_HOLDER = 0xffff;

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

/** Consecutive segments with the same holders. */
export interface MatchSpan {
  first: number;
  /** Exclusive. */
  end: number;
  /** Ids of the holders, ascending. */
  holders: Uint16Array;
}

/** A rank that holds something. */
export interface MatchedRank {
  held: RankMatch;
  /** Where its last segment in HBM or DRAM ends, gaps before it or not. */
  reachSegments: number;
  /** Among the ranks of the match. */
  position: number;
  /** Another matched rank of the same worker, where there is one. */
  sibling: MatchedRank | undefined;
}

/** What the fleet holds of a prompt, as of the moment of the match. */
export class Match {
  /** Keys that were asked for. */
  readonly segments: number;
  /** Leading keys that at least one rank holds; nothing is said about later ones. */
  readonly knownSegments: number;
  readonly #ranks: readonly MatchedRank[];
  readonly #spans: readonly MatchSpan[];
  /** Ids that the tiers of each rank have in the spans, in the order of `tiers`; `NO_HOLDER` for none. */
  readonly #holders: Uint16Array;
  /** Made when somebody asks for a single rank. */
  #byWorker: Map<string, MatchedRank> | undefined;

  constructor(
    segments: number,
    knownSegments: number,
    ranks: readonly MatchedRank[],
    spans: readonly MatchSpan[],
    holders: Uint16Array,
  ) {
    this.segments = segments;
    this.knownSegments = knownSegments;
    this.#ranks = ranks;
    this.#spans = spans;
    this.#holders = holders;
  }

  /** Ranks that hold any of the known segments, in the order in which they were met. */
  get ranks(): RankMatch[] {
    return this.#ranks.map(({ held }) => held);
  }

  /** What this rank holds; zeros when it holds nothing of the known segments. */
  rank(workerId: string, rank: number): RankMatch {
    return (
      this.#find(workerId, rank)?.held ?? {
        workerId,
        rank,
        hbmSegments: 0,
        memorySegments: 0,
        localSegments: 0,
      }
    );
  }

  /** Where the last segment ends that this rank holds in HBM or DRAM, gaps before it or not. */
  reachOf(workerId: string, rank: number): number {
    return this.#find(workerId, rank)?.reachSegments ?? 0;
  }

  /** The runs of KV of one rank, by tier and position. */
  runsOf(workerId: string, rank: number): HeldRun[] {
    const found = this.#find(workerId, rank);
    return found === undefined ? [] : this.#runs(found);
  }

  /** Everything that is held of the known segments, rank by rank. */
  get runs(): HeldRun[] {
    return this.#ranks.flatMap((rank) => this.#runs(rank));
  }

  #find(workerId: string, rank: number): MatchedRank | undefined {
    this.#byWorker ??= byWorker(this.#ranks);
    let found = this.#byWorker.get(workerId);
    while (found !== undefined && found.held.rank !== rank) found = found.sibling;
    return found;
  }

  #runs({ held: { workerId, rank }, position }: MatchedRank): HeldRun[] {
    const runs: HeldRun[] = [];
    for (let i = 0; i < tiers.length; i += 1) {
      const tier = tiers[i] as Tier;
      const holder = this.#holders[position * tiers.length + i] as number;
      if (holder === NO_HOLDER) continue;
      let last: HeldRun | undefined;
      for (const { first, end, holders } of this.#spans) {
        if (!includes(holders, holder)) continue;
        if (last !== undefined && last.first + last.count === first) last.count += end - first;
        else runs.push((last = { workerId, rank, tier, first, count: end - first }));
      }
    }
    return runs;
  }
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

/** Workers have few ranks: those of one are in a line. */
function byWorker(ranks: readonly MatchedRank[]): Map<string, MatchedRank> {
  const lines = new Map<string, MatchedRank>();
  for (const matched of ranks) {
    matched.sibling = lines.get(matched.held.workerId);
    lines.set(matched.held.workerId, matched);
  }
  return lines;
}

function includes(sorted: Uint16Array, holder: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < holder) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === holder;
}
