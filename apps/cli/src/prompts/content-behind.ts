import type { TraceRequest } from '@baton/sim';
import { blockLength } from './prompt-tree.ts';

/** What requests that part have in common behind the break, by the names of their blocks' own content. */
export interface ContentBehind {
  /** Requests that part here and whose line has content_ids; the others are not looked at. */
  known: number;
  /** The first run of blocks that is the same in most of them; undefined where there is none. */
  run: { fromToken: number; blocks: number; requests: number } | undefined;
  /** Blocks before that run that most of them have, each at another place. */
  reorderedBlocks: number;
  /** Tokens of run and reordered blocks that a cache without limit computes, less one copy of each. */
  reusableTokens: number;
}

/** Share of the requests that has to have a block. */
const MOST = 0.5;
/** A run goes on while so many of those with which it began are in it. */
const STAYING = 0.8;
/** Blocks behind a break in which a run has to begin. */
const MAX_GAP_BLOCKS = 64;

export interface BreakPlace {
  /** Blocks that are shared. */
  depth: number;
  differingBlocks: number;
  blockTokens: number;
}

/** @param requests that part at the place and go on behind it */
export function contentBehind(
  requests: readonly TraceRequest[],
  { depth, differingBlocks, blockTokens }: BreakPlace,
): ContentBehind | undefined {
  const known = requests.filter(({ contentIds }) => contentIds !== undefined);
  if (known.length === 0) return undefined;
  const least = known.length * MOST;
  let at = depth + differingBlocks;
  let members = mostCommon(known, at);
  while (members.length < least && at < depth + MAX_GAP_BLOCKS) members = mostCommon(known, ++at);
  const found = members.length >= least;
  const end = found ? at : depth + MAX_GAP_BLOCKS;
  const moved = reordered(known, { from: depth, to: end }, blockTokens);
  if (!found) {
    return { known: known.length, run: undefined, ...moved };
  }
  const fromToken = at * blockTokens;
  const staying = members.length * STAYING;
  let { reusableTokens } = moved;
  let last = members;
  for (; members.length > 0 && members.length >= staying; members = mostCommon(last, ++at)) {
    reusableTokens += copies(members, at) * tokensAt(members, at, blockTokens);
    last = members;
  }
  const run = { fromToken, blocks: at - fromToken / blockTokens, requests: last.length };
  return { known: known.length, run, reorderedBlocks: moved.reorderedBlocks, reusableTokens };
}

/** Those of the requests that have the content which most have at this position. */
function mostCommon(requests: readonly TraceRequest[], at: number): TraceRequest[] {
  const byContent = new Map<number, TraceRequest[]>();
  for (const request of requests) {
    const content = request.contentIds?.[at];
    if (content === undefined) continue;
    const same = byContent.get(content);
    if (same === undefined) byContent.set(content, [request]);
    else same.push(request);
  }
  return [...byContent.values()].reduce(
    (most, same) => (same.length > most.length ? same : most),
    [],
  );
}

/** How often a block of one content was computed, but for once. */
function copies(requests: readonly TraceRequest[], at: number): number {
  return new Set(requests.map(({ blocks }) => blocks[at])).size - 1;
}

function tokensAt(requests: readonly TraceRequest[], at: number, blockTokens: number): number {
  return blockLength(requests[0]?.promptTokens ?? 0, at, blockTokens);
}

/** Contents that most requests have somewhere in a stretch, though not at the same place. */
function reordered(
  requests: readonly TraceRequest[],
  { from, to }: { from: number; to: number },
  blockTokens: number,
): { reorderedBlocks: number; reusableTokens: number } {
  const seen = new Map<number, { requests: number; blocks: Set<number>; tokens: number }>();
  for (const { contentIds = [], blocks, promptTokens } of requests) {
    const own = new Set<number>();
    contentIds.slice(from, to).forEach((content, i) => {
      const entry = seen.get(content) ?? {
        ...{ requests: 0, blocks: new Set<number>() },
        tokens: blockLength(promptTokens, from + i, blockTokens),
      };
      seen.set(content, entry);
      if (!own.has(content)) entry.requests++;
      own.add(content);
      entry.blocks.add(blocks[from + i] ?? -1);
    });
  }
  const common = [...seen.values()].filter((entry) => entry.requests >= requests.length * MOST);
  return {
    reorderedBlocks: common.length,
    reusableTokens: common.reduce((sum, { blocks, tokens }) => sum + (blocks.size - 1) * tokens, 0),
  };
}
