/** What an engine says of its load and its cache. */
export interface EngineMetrics {
  /** When its process began, seconds since 1970; 0 where it does not say. */
  startedAtSec: number;
  /** Of each data-parallel rank by its number; one at least. */
  ranks: readonly RankMetrics[];
  /** Undefined where it does not say. */
  cache: EngineCacheConfig | undefined;
  /** Since it began, of NixlConnector; undefined where it has none. */
  nixl: NixlCounters | undefined;
  /** Prompt tokens since it began, by where their KV came from; undefined where it does not say. */
  promptTokens: { computed: number; reused: number; received: number } | undefined;
  /** Absent where it takes no adapters, or none was used yet. */
  adapters?: AdapterMetrics | undefined;
}

/** Adapters as the engine has them in use. */
export interface AdapterMetrics {
  /** So many can be in a batch, and have a place beside the weights. */
  slots: number;
  /** Those that requests use. */
  used: readonly string[];
  /** When that was said, seconds since 1970. */
  atSec: number;
}

export interface RankMetrics {
  running: number;
  waiting: number;
  /** Share of its KV blocks that requests use, 0 to 1; what is only cached counts as free. */
  kvUsage: number;
}

/** Of the side that reads. */
export interface NixlCounters {
  transfers: number;
  failedTransfers: number;
  bytes: number;
  /** That transfers took, those at the same time counted each. */
  seconds: number;
}

export interface EngineCacheConfig {
  blockTokens: number;
  /** Of one rank. */
  blocks: number;
  prefixCaching: boolean;
}

/** By the ranks that can be asked one by one; all taken together where the engine chooses among them itself. */
export function rankwise(metrics: EngineMetrics, askedRanks: number): EngineMetrics {
  const { ranks, cache } = metrics;
  if (ranks.length === askedRanks) return metrics;
  const sum = (of: (rank: RankMetrics) => number): number =>
    ranks.reduce((total, rank) => total + of(rank), 0);
  return {
    ...metrics,
    ranks: [
      {
        running: sum(({ running }) => running),
        waiting: sum(({ waiting }) => waiting),
        kvUsage: sum(({ kvUsage }) => kvUsage) / ranks.length,
      },
    ],
    cache: cache && { ...cache, blocks: cache.blocks * ranks.length },
  };
}
