import type { LegCall } from '../engine-protocol.ts';

/** Read by vLLM's server, which has the rank do it or refuses a number that it has not (seen with 0.32.0). */
export const VLLM_RANK_HEADER = 'x-data-parallel-rank';

export function atVllmRank(call: LegCall, rank: number): LegCall {
  return { ...call, headers: { ...call.headers, [VLLM_RANK_HEADER]: String(rank) } };
}
