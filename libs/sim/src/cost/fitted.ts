import { prefillMs, type PrefillCost } from '@baton/scheduling';
import type { EngineCost } from './engine-cost.ts';

/**
 * An engine as measured: its prefill by the terms that a conductor learns, its decode step by the batch. As it is learned,
 * the fixed part of a prefill is one for each prompt, however many steps compute it and whoever shares them.
 */
export interface FittedCost {
  name: string;
  kvBytesPerToken: number;
  chunkTokens: number;
  firstToken: 'prefill' | 'decode';
  prefill: PrefillCost;
  decode: { fixedMs: number; perSequenceMs: number; perKvTokenMs: number };
}

export function fittedCost(fitted: FittedCost): EngineCost {
  const { name, kvBytesPerToken, chunkTokens, firstToken, prefill, decode } = fitted;
  return {
    ...{ name, kvBytesPerToken, chunkTokens, firstToken },
    prefillMs: (newTokens, contextTokens) => prefillMs(prefill, newTokens, contextTokens),
    prefillStepMs: (pieces) =>
      pieces.reduce((sum, { newTokens, contextTokens, isFirst }) => {
        const own = isFirst ? prefill : { ...prefill, fixedMs: 0 };
        return sum + prefillMs(own, newTokens, contextTokens);
      }, 0),
    decodeStepMs: ({ sequences, kvTokens }) =>
      decode.fixedMs + decode.perSequenceMs * sequences + decode.perKvTokenMs * kvTokens,
  };
}
