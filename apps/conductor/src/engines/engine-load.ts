import type { RankLoad } from '@baton/cluster';
import type { EngineMetrics } from '@baton/engine-protocols';

/**
 * The load of each rank, as an agent would report it. vLLM says neither how many prompt tokens wait in it nor how fast it
 * is: that is learned from its answers.
 *
 * @param report number of the look at which the engine said it
 */
export function loadsOf(
  { ranks }: EngineMetrics,
  kvCapacityBlocks: number,
  report: number,
): RankLoad[] {
  return ranks.map(({ running, waiting, kvUsage }, rank) => ({
    rank,
    runningSequences: running,
    waitingSequences: waiting,
    pendingPrefillTokens: 0,
    kvUsedBlocks: Math.round(kvUsage * kvCapacityBlocks),
    prefillTokensPerSec: 0,
    decodeTokensPerSec: 0,
    dramBytesPerSec: 0,
    ssdBytesPerSec: 0,
    report,
  }));
}

/** As agents count, as far as the engine's metrics tell. */
export function countersOf({ nixl, promptTokens }: EngineMetrics): Record<string, number> {
  return {
    ...(promptTokens !== undefined && {
      computedTokens: promptTokens.computed,
      reusedTokens: promptTokens.reused,
      receivedTokens: promptTokens.received,
    }),
    ...(nixl !== undefined && {
      pullsCompleted: nixl.transfers,
      pullsFailed: nixl.failedTransfers,
      bytesIn: nixl.bytes,
    }),
  };
}
