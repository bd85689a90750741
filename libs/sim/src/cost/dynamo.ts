import type { DecodeBatch, EngineCost, PromptPiece } from './engine-cost.ts';

/** KV of a token where nothing else is said. */
const KV_BYTES_PER_TOKEN = 131_072;

function prefillMs(newTokens: number): number {
  return 4.209989e-7 * newTokens * newTokens + 0.01518344 * newTokens + 16.50142;
}

/**
 * The engine of Dynamo's own simulator (version 1.6.1), fitted from its output with a residual below 10⁻⁶ ms: a prefill
 * step costs by its new tokens alone, whatever their context, a decode step by how full the KV cache is.
 */
export const dynamo: EngineCost = {
  name: 'dynamo',
  kvBytesPerToken: KV_BYTES_PER_TOKEN,
  chunkTokens: 8_192,
  firstToken: 'decode',
  prefillMs,
  prefillStepMs(pieces: readonly PromptPiece[]): number {
    return prefillMs(pieces.reduce((sum, { newTokens }) => sum + newTokens, 0));
  },
  decodeStepMs({ kvTokens, kvCapacityTokens }: DecodeBatch): number {
    const use = kvTokens / kvCapacityTokens;
    return -25.74 * use * use + 54.01 * use + 5.74;
  },
};
