/** How long a rank computes prompt tokens: linear in them, and in the pairs (token, earlier token). */
export interface PrefillCost {
  fixedMs: number;
  perTokenMs: number;
  /** Attention: a prompt of n tokens has n²/2 pairs. */
  perPairMs: number;
}

/** Time of `newTokens` after `contextTokens` whose KV is there; 0 for none. */
export function prefillMs(cost: PrefillCost, newTokens: number, contextTokens: number): number {
  if (newTokens <= 0) return 0;
  const { fixedMs, perTokenMs, perPairMs } = cost;
  return fixedMs + perTokenMs * newTokens + perPairMs * pairs(newTokens, contextTokens);
}

/** Pairs of a new token and one before it. */
export function pairs(newTokens: number, contextTokens: number): number {
  const end = newTokens + contextTokens;
  return (end * end - contextTokens * contextTokens) / 2;
}
