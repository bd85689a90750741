import { KEY_BYTES, keyHex } from '@baton/kv';

/** One cached segment. `payload` is what the KV memory knows about where it is. */
export interface CachedSegment<P> {
  readonly key: Uint8Array;
  readonly parent: CachedSegment<P> | undefined;
  /** Place in its chain, from 0. */
  readonly index: number;
  readonly payload: P;
}

interface Node<P> extends CachedSegment<P> {
  readonly hex: string;
  readonly parent: Node<P> | undefined;
  children: number;
  /** Sequences that run through this segment. */
  pins: number;
  usedAt: number;
}

/**
 * Which segments the engine's own cache holds: a forest of chains, least recently used leaves leave first.
 *
 * Bookkeeping only; it neither knows tokens nor touches KV. A pin holds a whole path from the chain's start, so that a
 * pinned segment never loses its parents, and a segment with cached children is no leaf.
 */
export class PrefixCache<P> {
  readonly #nodes = new Map<string, Node<P>>();
  readonly #leaves = new Set<Node<P>>();
  #unpinned = 0;
  #clock = 0;

  get size(): number {
    return this.#nodes.size;
  }

  /** Segments that repeated {@link evictLeaf} could remove. */
  get evictable(): number {
    return this.#unpinned;
  }

  get(key: Uint8Array): CachedSegment<P> | undefined {
    return this.#nodes.get(keyHex(key));
  }

  /** @throws RangeError when the key is cached already or the parent is not. */
  insert(parent: CachedSegment<P> | undefined, key: Uint8Array, payload: P): CachedSegment<P> {
    const hex = keyHex(key);
    const above = parent === undefined ? undefined : this.#own(parent);
    if (key.length !== KEY_BYTES || this.#nodes.has(hex)) {
      throw new RangeError(`segment ${hex} cannot be inserted`);
    }
    const node: Node<P> = {
      key,
      hex,
      parent: above,
      index: above === undefined ? 0 : above.index + 1,
      payload,
      children: 0,
      pins: 0,
      usedAt: (this.#clock += 1),
    };
    if (above !== undefined) {
      above.children += 1;
      this.#leaves.delete(above);
    }
    this.#nodes.set(hex, node);
    this.#leaves.add(node);
    this.#unpinned += 1;
    return node;
  }

  /** Marks the whole path as just used. */
  touch(segment: CachedSegment<P>): void {
    this.#clock += 1;
    for (let node: Node<P> | undefined = this.#own(segment); node; node = node.parent) {
      node.usedAt = this.#clock;
    }
  }

  /** Pins one more segment of a path whose parents the caller has pinned. */
  pin(segment: CachedSegment<P>): void {
    const node = this.#own(segment);
    if (node.pins === 0) this.#unpinned -= 1;
    node.pins += 1;
  }

  /** Takes a pin from the segment and all its parents. */
  unpinPath(segment: CachedSegment<P>): void {
    for (let node: Node<P> | undefined = this.#own(segment); node; node = node.parent) {
      node.pins -= 1;
      if (node.pins === 0) this.#unpinned += 1;
    }
  }

  /** Removes the least recently used leaf that nobody has pinned; undefined when there is none. */
  evictLeaf(): CachedSegment<P> | undefined {
    let oldest: Node<P> | undefined;
    for (const leaf of this.#leaves) {
      if (leaf.pins === 0 && (oldest === undefined || leaf.usedAt < oldest.usedAt)) oldest = leaf;
    }
    if (oldest === undefined) return undefined;
    this.#nodes.delete(oldest.hex);
    this.#leaves.delete(oldest);
    this.#unpinned -= 1;
    const { parent } = oldest;
    if (parent !== undefined) {
      parent.children -= 1;
      if (parent.children === 0) this.#leaves.add(parent);
    }
    return oldest;
  }

  #own(segment: CachedSegment<P>): Node<P> {
    const node = this.#nodes.get(keyHex(segment.key));
    if (node === undefined || node !== segment) {
      throw new RangeError(`segment ${keyHex(segment.key)} is not cached`);
    }
    return node;
  }
}
