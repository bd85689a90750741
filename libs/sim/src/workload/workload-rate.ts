import type { EngineCost } from '../cost/engine-cost.ts';
import { LruList } from '../kv/lru-list.ts';
import { TRACE_BLOCK_TOKENS, type TraceRequest } from '../trace/trace-line.ts';

/**
 * Requests per second that keep `workers` busy with prompts for `share` of their time, if no block that was there before
 * had to be computed again, whoever computed it first. Policies that find less have more to do.
 *
 * @param requests a sample of the workload, in blocks of {@link TRACE_BLOCK_TOKENS}
 */
export function workloadRate(
  requests: readonly TraceRequest[],
  cost: EngineCost,
  workers: number,
  share: number,
): number {
  const seen = new LruList();
  let prefillMs = 0;
  for (const { promptTokens, blocks } of requests) {
    const missing = blocks.findIndex((block) => !seen.has(block));
    const held = missing < 0 ? blocks.length : missing;
    // The last token of a prompt is always computed.
    const contextTokens = Math.min(held * TRACE_BLOCK_TOKENS, promptTokens - 1);
    prefillMs += cost.prefillMs(promptTokens - contextTokens, contextTokens);
    for (const block of blocks) seen.touch(block);
  }
  return (share * workers * requests.length) / (prefillMs / 1_000);
}
