import { LruList } from '@baton/sim';
import type { BlockName } from './block-names.ts';

export interface BlockPoolOptions {
  /** Physical blocks, the one that vLLM keeps back among them. */
  blocks: number;
  blockTokens: number;
  /** A name loses a physical copy. */
  onRemoved: (name: BlockName) => void;
}

/** vLLM's null block: it is never given out. */
const NULL_BLOCK = 0;

/**
 * The paged KV cache: physical blocks, what is in them, and which names they have. A block that nobody uses keeps its
 * name and content and waits in the order in which blocks came free; whoever needs room takes the one that waits
 * longest. Copies are not folded: two requests that compute the same block make two copies, as in vLLM.
 */
export class BlockPool {
  /** KV of each token of each block. */
  readonly kv: Uint32Array;
  readonly blockTokens: number;
  readonly #uses: Uint32Array;
  readonly #free = new LruList();
  readonly #nameOf = new Map<number, BlockName>();
  readonly #copies = new Map<BlockName, Set<number>>();
  readonly #options: BlockPoolOptions;

  constructor(options: BlockPoolOptions) {
    this.#options = options;
    this.blockTokens = options.blockTokens;
    this.kv = new Uint32Array(options.blocks * options.blockTokens);
    this.#uses = new Uint32Array(options.blocks);
    for (let block = NULL_BLOCK + 1; block < options.blocks; block += 1) this.#free.touch(block);
  }

  /** Blocks that can be given out. */
  get capacity(): number {
    return this.#options.blocks - 1;
  }

  get usedBlocks(): number {
    return this.capacity - this.#free.size;
  }

  /** Blocks that have a name, in use or not. */
  get namedBlocks(): number {
    return this.#nameOf.size;
  }

  /** All names that a block has, in use or not. */
  names(): Set<BlockName> {
    return new Set(this.#copies.keys());
  }

  has(block: number): boolean {
    return Number.isInteger(block) && block > NULL_BLOCK && block < this.#options.blocks;
  }

  /** Physical blocks of the leading names that have one, `limit` at most. */
  lookup(names: readonly BlockName[], limit: number): number[] {
    const blocks: number[] = [];
    for (const name of names.slice(0, limit)) {
      const [block] = this.#copies.get(name) ?? [];
      if (block === undefined) break;
      blocks.push(block);
    }
    return blocks;
  }

  /** Uses the cached blocks and `fresh` more; undefined, and nothing is changed, when there is no room. */
  acquire(cached: readonly number[], fresh: number): number[] | undefined {
    const idle = cached.filter((block) => this.#uses[block] === 0).length;
    if (idle + fresh > this.#free.size) return undefined;
    for (const block of cached) {
      this.#free.remove(block);
      this.#uses[block] = (this.#uses[block] ?? 0) + 1;
    }
    return [...cached, ...Array.from({ length: fresh }, () => this.#takeFree())];
  }

  /** What is in the block is what the name says. */
  name(block: number, name: BlockName): void {
    this.#nameOf.set(block, name);
    const copies = this.#copies.get(name);
    if (copies === undefined) this.#copies.set(name, new Set([block]));
    else copies.add(block);
  }

  /** The last block is the first that will be taken: what hangs on others goes before them. */
  release(blocks: readonly number[]): void {
    for (const block of [...blocks].reverse()) {
      const uses = this.#uses[block] ?? 0;
      if (uses === 0) throw new Error(`block ${block} is given back and nobody uses it`);
      this.#uses[block] = uses - 1;
      if (uses === 1) this.#free.touch(block);
    }
  }

  /** Puts KV of another pool's blocks into these, block by block. */
  copyFrom(other: BlockPool, otherBlocks: readonly number[], blocks: readonly number[]): void {
    const { blockTokens } = this;
    blocks.forEach((block, i) => {
      const at = (otherBlocks[i] ?? NULL_BLOCK) * blockTokens;
      this.kv.set(other.kv.subarray(at, at + blockTokens), block * blockTokens);
    });
  }

  /** Forgets all names; false, and nothing is changed, while a block is in use. */
  clear(): boolean {
    if (this.usedBlocks > 0) return false;
    this.#nameOf.clear();
    this.#copies.clear();
    return true;
  }

  #takeFree(): number {
    const block = this.#free.takeOldest();
    if (block === undefined) throw new Error('no block is free');
    this.#uses[block] = 1;
    const name = this.#nameOf.get(block);
    if (name === undefined) return block;
    this.#nameOf.delete(block);
    const copies = this.#copies.get(name);
    copies?.delete(block);
    if (copies?.size === 0) this.#copies.delete(name);
    this.#options.onRemoved(name);
    return block;
  }
}
