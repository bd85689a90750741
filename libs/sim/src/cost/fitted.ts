import { prefillMs, type PrefillCost } from '@baton/scheduling';
import type { EngineCost } from './engine-cost.ts';

/** An engine as measured: its prefill by the terms that a conductor learns, its decode step by the batch. */
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
    prefillStepMs: (pieces) => {
      const varying = { ...prefill, fixedMs: 0 };
      return pieces.reduce(
        (sum, piece) => sum + prefillMs(varying, piece.newTokens, piece.contextTokens),
        prefill.fixedMs,
      );
    },
    decodeStepMs: ({ sequences, kvTokens }) =>
      decode.fixedMs + decode.perSequenceMs * sequences + decode.perKvTokenMs * kvTokens,
  };
}
