/** What an engine says of its load and its cache, of all ranks together. */
export interface EngineMetrics {
  /** When its process began, seconds since 1970; 0 where it does not say. */
  startedAtSec: number;
  running: number;
  waiting: number;
  /** Share of its KV blocks that requests use, 0 to 1; what is only cached counts as free. */
  kvUsage: number;
  /** Undefined where it does not say. */
  cache: EngineCacheConfig | undefined;
  /** Since it began, of NixlConnector; undefined where it has none. */
  nixl: NixlCounters | undefined;
  /** Prompt tokens since it began, by where their KV came from; undefined where it does not say. */
  promptTokens: { computed: number; reused: number; received: number } | undefined;
}

/** Of the side that reads. */
export interface NixlCounters {
  transfers: number;
  failedTransfers: number;
  bytes: number;
}

export interface EngineCacheConfig {
  blockTokens: number;
  /** Of all ranks. */
  blocks: number;
  /** Data-parallel ranks. */
  ranks: number;
  prefixCaching: boolean;
}
