import type { EngineCost } from '../cost/engine-cost.ts';

/** Times that can be reckoned in the head: 1 ms for each prompt token, 10 ms for a decode step. */
export const simpleCost: EngineCost = {
  name: 'simple',
  kvBytesPerToken: 100,
  chunkTokens: 1_000,
  firstToken: 'prefill',
  prefillMs: (newTokens) => newTokens,
  prefillStepMs: (pieces) => pieces.reduce((sum, { newTokens }) => sum + newTokens, 0),
  decodeStepMs: () => 10,
};
