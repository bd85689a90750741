import type { PromptNode, PromptTree } from './prompt-tree.ts';

/** Blocks in a row that the same requests share. */
export interface SharedStretch {
  fromToken: number;
  toToken: number;
  requests: number;
  /** Tokens of these blocks that are found again in a cache without limit. */
  reusedTokens: number;
  /** Line of the log with the first request that has it, from 1 on. */
  firstLine: number;
}

/** Stretches that at least two requests share, those first that save most; together they are all that is found again. */
export function sharedStretches({ nodes }: PromptTree, blockTokens: number): SharedStretch[] {
  const stretches = new Map<PromptNode, SharedStretch>();
  for (const node of nodes) {
    const { parent, requests, tokens, depth, first } = node;
    if (requests < 2) continue;
    const before = parent === undefined ? undefined : stretches.get(parent);
    const fromToken = (depth - 1) * blockTokens;
    const isSame = before !== undefined && before.requests === requests;
    const stretch = isSame
      ? before
      : { fromToken, toToken: fromToken, requests, reusedTokens: 0, firstLine: first + 1 };
    stretch.toToken += tokens;
    stretch.reusedTokens += (requests - 1) * tokens;
    stretches.set(node, stretch);
  }
  return [...new Set(stretches.values())].sort((a, b) => b.reusedTokens - a.reusedTokens);
}
