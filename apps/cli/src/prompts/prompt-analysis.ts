import type { TraceRequest } from '@baton/sim';
import { contentBehind, type ContentBehind } from './content-behind.ts';
import { partingRequests, prefixBreaks, type PrefixBreak } from './prefix-breaks.ts';
import { promptTree } from './prompt-tree.ts';
import { sharedStretches, type SharedStretch } from './shared-stretches.ts';

export interface PromptAnalysisOptions {
  blockTokens: number;
  /** Fewer requests that part are no break. */
  minRequests: number;
  /** Most breaks and shared stretches that are listed. */
  top: number;
}

/** What a log says about its prompts' shared prefixes. */
export interface PromptAnalysis {
  requests: number;
  /** Of these the ones with content_ids. */
  requestsWithContent: number;
  blockTokens: number;
  promptTokens: number;
  blocks: number;
  /** Blocks and tokens that are found again in a cache without limit. */
  sharedBlocks: number;
  sharedTokens: number;
  blockHitRatio: number;
  /** Those first that cost most. One may lie behind another: their tokens are not to be added. */
  breaks: BreakReport[];
  /** How many there are, those included that are not listed. */
  breakCount: number;
  sharedPrefixes: SharedStretch[];
}

export interface BreakReport {
  /** Everything before this token is shared. */
  atToken: number;
  /** Blocks over which they part, 1 where all do so at once. */
  differingBlocks: number;
  /** Requests that part here and go on, and in how many different ways. */
  requests: number;
  ways: number;
  /** Their prompt tokens behind the blocks that differ, and those of them that are computed even without a limit. */
  tokensBehind: number;
  computedTokens: number;
  /** Line of the log with the first request that parts here, from 1 on. */
  firstLine: number;
  /** Undefined where no line has content_ids. */
  behind: ContentBehind | undefined;
}

/** Breaks whose requests are looked at: what is behind one costs a pass over its prompts. */
const MAX_LOOKED_AT = 1_000;

/** Pure, in time and memory of the log's blocks. */
export function analysePrompts(
  requests: readonly TraceRequest[],
  { blockTokens, minRequests, top }: PromptAnalysisOptions,
): PromptAnalysis {
  const tree = promptTree(requests, blockTokens);
  const { nodes, root } = tree;
  const blocks = requests.reduce((sum, request) => sum + request.blocks.length, 0);
  const promptTokens = requests.reduce((sum, request) => sum + request.promptTokens, 0);
  const sharedBlocks = blocks - nodes.length;
  const breaks = prefixBreaks(tree, minRequests).sort(
    (a, b) => b.computedTokens - a.computedTokens,
  );
  const lookedAt = breaks.slice(0, MAX_LOOKED_AT);
  const parting = partingRequests(tree, lookedAt, requests);
  const reports = lookedAt.map((found) => {
    const indexes = parting.get(found) ?? [];
    const those = indexes.flatMap((index) => requests[index] ?? []);
    const { node, differingBlocks } = found;
    const behind = contentBehind(those, { depth: node.depth, differingBlocks, blockTokens });
    return reportOf(found, indexes[0] ?? 0, blockTokens, behind);
  });
  return {
    requests: requests.length,
    requestsWithContent: requests.filter(({ contentIds }) => contentIds !== undefined).length,
    ...{ blockTokens, promptTokens, blocks, sharedBlocks },
    sharedTokens: promptTokens - root.computedBehind,
    blockHitRatio: blocks === 0 ? 0 : sharedBlocks / blocks,
    breaks: reports.sort((a, b) => costOf(b) - costOf(a)).slice(0, top),
    breakCount: breaks.length,
    sharedPrefixes: sharedStretches(tree, blockTokens).slice(0, top),
  };
}

/** What is known to be reusable; where that is not known, the most that it can be. */
function costOf({ behind, computedTokens }: BreakReport): number {
  return behind?.reusableTokens ?? computedTokens;
}

function reportOf(
  { node, differingBlocks, requests, parting, tokensBehind, computedTokens }: PrefixBreak,
  first: number,
  blockTokens: number,
  behind: ContentBehind | undefined,
): BreakReport {
  return {
    atToken: node.depth * blockTokens,
    ...{ differingBlocks, requests, ways: parting.size, tokensBehind, computedTokens },
    firstLine: first + 1,
    behind,
  };
}
