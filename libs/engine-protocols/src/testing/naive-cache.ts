import { keyHex, rootKey, segmentKeys, unpackKeys } from '@baton/kv';
import type { KeyScope } from '@baton/kv';

/** What a block is: the scope of its chain or the block before it, and its tokens. */
export interface NaiveContent {
  parent: string | KeyScope;
  tokens: readonly number[];
}

interface NaiveBlock {
  content: NaiveContent | undefined;
  /** By tier. */
  copies: Map<number, number>;
}

/**
 * An engine's cache without any cleverness: all that is known of each block by name, and everything that follows worked
 * out anew each time it is asked for.
 */
export class NaiveCache {
  readonly #segmentTokens: number;
  readonly #blocks = new Map<string, NaiveBlock>();

  constructor(segmentTokens: number) {
    this.#segmentTokens = segmentTokens;
  }

  /** One copy more of a block; without content only its name is told. */
  store(name: string, tier: number, content?: NaiveContent): void {
    const block = this.#block(name);
    block.content ??= content;
    block.copies.set(tier, (block.copies.get(tier) ?? 0) + 1);
  }

  remove(name: string, tier: number): void {
    const copies = this.#blocks.get(name)?.copies;
    const left = (copies?.get(tier) ?? 0) - 1;
    if (left > 0) copies?.set(tier, left);
    else copies?.delete(tier);
    this.#forget();
  }

  clear(tier: number): void {
    for (const { copies } of this.#blocks.values()) copies.delete(tier);
    this.#forget();
  }

  /** Hex keys of the segments held in a tier, sorted. */
  held(tier: number): string[] {
    const keys = new Set<string>();
    for (const name of this.#blocks.keys()) {
      const key = this.segmentKey(name);
      if (key === undefined) continue;
      const blocks = this.#chain(name) ?? [];
      let tokens = 0;
      let isHeld = true;
      for (const block of blocks.toReversed()) {
        if (tokens === this.#segmentTokens) break;
        tokens += block.content?.tokens.length ?? 0;
        isHeld &&= block.copies.has(tier);
      }
      if (isHeld) keys.add(key);
    }
    return [...keys].sort();
  }

  /** Blocks with a copy whose content is not known back to the start of their chain. */
  get unresolved(): number {
    return [...this.#blocks].filter(([name, { copies }]) => copies.size > 0 && !this.#chain(name))
      .length;
  }

  /** Hex key of the segment that a block ends. */
  segmentKey(name: string): string | undefined {
    const chain = this.#chain(name);
    const root = chain?.[0]?.content?.parent;
    if (!chain || typeof root !== 'object') return undefined;
    const tokens = chain.flatMap(({ content }) => [...(content?.tokens ?? [])]);
    if (tokens.length % this.#segmentTokens !== 0) return undefined;
    const key = unpackKeys(segmentKeys(rootKey(root), tokens, this.#segmentTokens)).at(-1);
    return key && keyHex(key);
  }

  /** From the chain's first block to this one; undefined when one in between is not known. */
  #chain(name: string): NaiveBlock[] | undefined {
    const chain: NaiveBlock[] = [];
    for (let at: string | KeyScope = name; typeof at === 'string';) {
      const block = this.#blocks.get(at);
      if (!block?.content) return undefined;
      chain.unshift(block);
      at = block.content.parent;
    }
    return chain;
  }

  #block(name: string): NaiveBlock {
    const block = this.#blocks.get(name) ?? { content: undefined, copies: new Map() };
    this.#blocks.set(name, block);
    return block;
  }

  /** What has no copy and nothing after it is not known any more. */
  #forget(): void {
    for (let isDone = false; !isDone;) {
      const parents = new Set([...this.#blocks.values()].map(({ content }) => content?.parent));
      const idle = [...this.#blocks].filter(
        ([name, { copies }]) => copies.size === 0 && !parents.has(name),
      );
      for (const [name] of idle) this.#blocks.delete(name);
      isDone = idle.length === 0;
    }
  }
}
