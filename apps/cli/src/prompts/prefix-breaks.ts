import type { TraceRequest } from '@baton/sim';
import type { PromptNode, PromptTree } from './prompt-tree.ts';

/** A place up to which many prompts are the same, and where they part although they go on. */
export interface PrefixBreak {
  /** The last block that they share; the root where they share nothing. */
  node: PromptNode;
  /** Blocks until they have parted: 1 where the next block is another one in nearly each of them. */
  differingBlocks: number;
  /** The last of these blocks, for those that part: each is that of few requests. */
  parting: ReadonlySet<PromptNode>;
  /** Requests that part and go on behind the blocks that differ. */
  requests: number;
  /** Their prompt tokens behind the blocks that differ. */
  tokensBehind: number;
  /**
   * Of these the ones that even a cache without limit computes, each block once: if what is behind were the same, up to
   * one copy of it could be reused instead.
   */
  computedTokens: number;
}

/** A block is one of many when it has at most this share of the requests that go on. */
const RARE_SHARE = 0.05;
/** Share of the requests that go on which have to part: some of many applications, or most of one. */
const SOME = 0.1;
const MOST = 0.5;
/** Where a few things are shuffled, as five tools are, requests part over some blocks; over more it is no one place. */
const MAX_DIFFERING_BLOCKS = 8;

/** The breaks of a log, in the tree's order. @param minRequests that have to part at one */
export function prefixBreaks({ root, nodes }: PromptTree, minRequests: number): PrefixBreak[] {
  const amid = new Set<PromptNode>();
  return [root, ...nodes].flatMap((node) => {
    // Those that part over several blocks do so once.
    const found = amid.has(node) ? undefined : breakAt(node, minRequests);
    for (let i = 1, level = nextOf([node]); i < (found?.differingBlocks ?? 0); i++) {
      for (const one of level) amid.add(one);
      level = nextOf(level);
    }
    return found ?? [];
  });
}

function breakAt(node: PromptNode, minRequests: number): PrefixBreak | undefined {
  let level = nextOf([node]);
  const found = partedIn(node, level, 1, minRequests);
  if (found !== undefined || node.going < minRequests) return found;
  // Where most go the same way, they have not parted yet.
  const most = level.reduce((requests, child) => Math.max(requests, child.requests), 0);
  if (most > node.going * MOST) return undefined;
  for (let blocks = 2; blocks <= MAX_DIFFERING_BLOCKS; blocks++) {
    // A few applications part, and each of them breaks on its own.
    const own = level.some((one) => partedIn(one, nextOf([one]), 1, minRequests) !== undefined);
    if (own) return undefined;
    level = nextOf(level);
    const late = partedIn(node, level, blocks, minRequests);
    if (late !== undefined) return late;
  }
  return undefined;
}

/** The break at a node if enough of those that go on are, so many blocks behind it, one of many. */
function partedIn(
  node: PromptNode,
  level: readonly PromptNode[],
  differingBlocks: number,
  minRequests: number,
): PrefixBreak | undefined {
  const going = sum(level, (one) => one.going);
  const parting = level.filter((one) => one.going <= Math.max(1, going * RARE_SHARE));
  const requests = sum(parting, (one) => one.going);
  const share = differingBlocks === 1 ? SOME : MOST;
  if (requests < minRequests || requests < going * share) return undefined;
  return {
    ...{ node, differingBlocks, requests, parting: new Set(parting) },
    tokensBehind: sum(parting, (one) => one.askedBehind),
    computedTokens: sum(parting, (one) => one.computedBehind),
  };
}

function nextOf(level: readonly PromptNode[]): PromptNode[] {
  return level.flatMap(({ children }) => [...children.values()]);
}

/** Positions of the requests that part at each break. */
export function partingRequests(
  { root }: PromptTree,
  breaks: readonly PrefixBreak[],
  requests: readonly TraceRequest[],
): Map<PrefixBreak, number[]> {
  const ofBlock = new Map<PromptNode, PrefixBreak>();
  for (const found of breaks) for (const node of found.parting) ofBlock.set(node, found);
  const result = new Map<PrefixBreak, number[]>(breaks.map((found) => [found, []]));
  requests.forEach(({ blocks }, index) => {
    let node: PromptNode | undefined = root;
    // Whoever ends in a block that differs does not go on behind it.
    for (const block of blocks.slice(0, -1)) {
      node = node?.children.get(block);
      const found = node === undefined ? undefined : ofBlock.get(node);
      if (found !== undefined) result.get(found)?.push(index);
    }
  });
  return result;
}

function sum(nodes: readonly PromptNode[], of: (node: PromptNode) => number): number {
  return nodes.reduce((total, node) => total + of(node), 0);
}
