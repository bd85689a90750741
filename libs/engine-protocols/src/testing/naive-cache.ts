import { keyHex, rootKey, segmentKeys, unpackKeys } from '@baton/kv';
import type { KeyScope } from '@baton/kv';

/** What a block is: the scope of its chain or the block before it, and its tokens. */
export interface NaiveContent {
  parent: string | KeyScope;
  tokens: readonly number[];
}

interface NaiveBlock {
  content: NaiveContent | undefined;
  /** By place, e.g. `full 1` for tier 1 of the full-attention group. */
  copies: Map<string, number>;
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
  store(name: string, place: string, content?: NaiveContent): void {
    const block = this.#block(name);
    block.content ??= content;
    block.copies.set(place, (block.copies.get(place) ?? 0) + 1);
  }

  remove(name: string, place: string): void {
    const copies = this.#blocks.get(name)?.copies;
    const left = (copies?.get(place) ?? 0) - 1;
    if (left > 0) copies?.set(place, left);
    else copies?.delete(place);
    this.#forget();
  }

  clear(place: string): void {
    for (const { copies } of this.#blocks.values()) copies.delete(place);
    this.#forget();
  }

  /** Hex keys of the segments held in a place, sorted. */
  held(place: string): string[] {
    return this.#endsWhere((blocks) => {
      let tokens = 0;
      const segment = blocks.toReversed().filter(({ content }) => {
        tokens += content?.tokens.length ?? 0;
        return tokens <= this.#segmentTokens;
      });
      return segment.every(({ copies }) => copies.has(place));
    });
  }

  /**
   * Hex keys of the segments after which a sequence can be resumed, sorted: their last block is in each of `states`,
   * and in each of `windows` are the last so many tokens and one.
   */
  resumable(states: readonly string[], windows: ReadonlyMap<string, number>): string[] {
    if (states.length + windows.size === 0) return [];
    return this.#endsWhere(
      (blocks) =>
        states.every((place) => blocks.at(-1)?.copies.has(place)) &&
        [...windows].every(([place, window]) => {
          let after = 0;
          return blocks.toReversed().every(({ content, copies }) => {
            const isInside = after < window - 1;
            after += content?.tokens.length ?? 0;
            return !isInside || copies.has(place);
          });
        }),
    );
  }

  /** Blocks with a copy in a full-attention group whose content is not known back to the start of their chain. */
  get unresolved(): number {
    return [...this.#blocks].filter(
      ([name, { copies }]) =>
        [...copies.keys()].some((place) => place.startsWith('full')) && !this.#chain(name),
    ).length;
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

  #endsWhere(isSo: (chain: readonly NaiveBlock[]) => boolean): string[] {
    const keys = new Set<string>();
    for (const name of this.#blocks.keys()) {
      const key = this.segmentKey(name);
      if (key !== undefined && isSo(this.#chain(name) ?? [])) keys.add(key);
    }
    return [...keys].sort();
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
