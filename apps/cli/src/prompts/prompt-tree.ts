import type { TraceRequest } from '@baton/sim';

/** A block behind a prefix: all requests that have both meet here. */
export interface PromptNode {
  /** Undefined at the root, which stands for the empty prefix. */
  parent: PromptNode | undefined;
  children: Map<number, PromptNode>;
  /** Blocks of the prefix, this one included. */
  depth: number;
  /** Of this block alone; the last one of a prompt may not be full. */
  tokens: number;
  requests: number;
  /** Those of `requests` that have a block behind this one. */
  going: number;
  /** Position of the first request that had it. */
  first: number;
  /** Tokens of the blocks behind this one, each block once: what a cache without limit computes. */
  computedBehind: number;
  /** The same as often as it was asked for. */
  askedBehind: number;
}

export interface PromptTree {
  root: PromptNode;
  /** All but the root, parents before their children. */
  nodes: PromptNode[];
}

/** The prompts of a log as one tree: a path from the root for each. Its size is that of the different prefixes. */
export function promptTree(requests: readonly TraceRequest[], blockTokens: number): PromptTree {
  const root = newNode(undefined, 0, 0);
  const nodes: PromptNode[] = [];
  requests.forEach(({ blocks, promptTokens }, index) => {
    let node = root;
    root.requests++;
    blocks.forEach((block, at) => {
      const tokens = blockLength(promptTokens, at, blockTokens);
      node.going++;
      let child = node.children.get(block);
      if (child === undefined) {
        child = newNode(node, tokens, index);
        node.children.set(block, child);
        nodes.push(child);
      }
      child.requests++;
      node = child;
    });
  });
  for (const node of nodes.toReversed()) {
    const { parent, tokens, requests: asked } = node;
    if (parent === undefined) continue;
    parent.computedBehind += node.computedBehind + tokens;
    parent.askedBehind += node.askedBehind + tokens * asked;
  }
  return { root, nodes };
}

/** Tokens of the block at a position of a prompt. */
export function blockLength(promptTokens: number, at: number, blockTokens: number): number {
  return Math.min(blockTokens, promptTokens - at * blockTokens);
}

function newNode(parent: PromptNode | undefined, tokens: number, first: number): PromptNode {
  return {
    ...{ parent, tokens, first, children: new Map() },
    depth: parent === undefined ? 0 : parent.depth + 1,
    ...{ requests: 0, going: 0, computedBehind: 0, askedBehind: 0 },
  };
}
