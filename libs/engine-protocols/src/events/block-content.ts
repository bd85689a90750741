import type { MsgpackWriter } from './msgpack-writer.ts';
import type { MediaItem } from '@baton/kv';
import { Flag, rootOf } from './block-columns.ts';
import type { BlockColumns } from './block-columns.ts';
import { LONG_BYTES } from './block-name.ts';
import type { ChainRoots } from './chain-roots.ts';
import type { BlockSource, KeyMaker } from './key-maker.ts';
import type { SegmentStore } from './segment-slots.ts';

/** What became of the description of a block. */
export const Described = {
  /** Its place is known, and its segment's key where it ends one. */
  RESOLVED: 0,
  /** It waits for a block before it to become known. */
  PENDING: 1,
  /** It contradicts what is known, and is as unknown as before. */
  CONFLICT: 2,
} as const;

export interface BlockContentOptions {
  columns: BlockColumns;
  segments: SegmentStore;
  roots: ChainRoots;
  keys: KeyMaker;
  /** Names of blocks are the keys of the segments that they end; one that is not is a conflict. */
  hashesAreKeys: boolean;
  /** A block's place is known from now on. Not called for one that nobody holds or hangs on, unless asked for. */
  onResolved(id: number): void;
  tellsAllResolved: boolean;
  /** A block or root has lost a child that turned out not to fit; perhaps nothing keeps it any more. */
  onDetached(parent: number): void;
}

/**
 * What is inside of blocks: follows chains of parents, and folds blocks into segments. Blocks whose parents are not
 * known wait until they are.
 */
export class BlockContent {
  /** Described blocks that wait for those before them. */
  pending = 0;
  readonly #options: BlockContentOptions;
  readonly #columns: BlockColumns;
  readonly #keys: KeyMaker;
  readonly #stack: number[] = [];

  constructor(options: BlockContentOptions) {
    this.#options = options;
    this.#columns = options.columns;
    this.#keys = options.keys;
  }

  /** Says what a block is: the one of this content after `parent`, a block or a root. */
  describe(id: number, parent: number, source: BlockSource): number {
    const columns = this.#columns;
    if (columns.has(id, Flag.DESCRIBED | Flag.ASSUMED))
      return this.#describeKnown(id, parent, source);
    if (this.#isBefore(id, parent)) return Described.CONFLICT;
    this.#attach(id, parent, source.length, source.media);
    if (parent >= 0 && !columns.has(parent, Flag.RESOLVED)) {
      columns.slot[id] = this.#keys.tokens.put(source.tokens, source.from, source.length);
      return Described.PENDING;
    }
    if (!this.#resolve(id, source)) return Described.CONFLICT;
    this.#resolveChildren(id);
    return Described.RESOLVED;
  }

  /** As {@link describe} for a block that ends a segment whose key is told, at `at` of `keys`. */
  describeByKey(id: number, parent: number, length: number, keys: DataView, at: number): number {
    const columns = this.#columns;
    if (columns.has(id, Flag.DESCRIBED)) return this.#compare(id, parent, length);
    const isPending = parent >= 0 && !columns.has(parent, Flag.RESOLVED);
    const end = columns.startAfter(parent) + length;
    if (isPending || columns.has(id, Flag.ASSUMED) || end !== columns.segmentTokens) {
      return Described.CONFLICT;
    }
    this.#attach(id, parent, end, undefined);
    columns.slot[id] = this.#options.segments.acquire(keys, at);
    this.#resolved(id);
    this.#resolveChildren(id);
    return Described.RESOLVED;
  }

  /** Takes a name that nothing else is known of for the segment key that it is, where names are keys. */
  assume(id: number): void {
    const { names } = this.#columns;
    const isKnown = this.#columns.has(id, Flag.DESCRIBED | Flag.RESOLVED);
    if (!this.#options.hashesAreKeys || isKnown || names.kind(id) !== LONG_BYTES) return;
    const { key } = this.#keys;
    for (const word of [0, 1, 2, 3] as const) key.setUint32(word * 4, names.word(id, word));
    this.#columns.end[id] = this.#columns.segmentTokens;
    this.#columns.slot[id] = this.#options.segments.acquire(key, 0);
    this.#columns.set(id, Flag.ASSUMED);
    this.#resolved(id);
    this.#resolveChildren(id);
  }

  /** Forgets what is inside of a block, and returns what it hung on. */
  forget(id: number): number {
    const columns = this.#columns;
    const slot = columns.slot[id] as number;
    if (columns.endsSegment(id)) this.#options.segments.release(slot);
    else if (slot >= 0) this.#keys.tokens.release(slot);
    columns.slot[id] = -1;
    this.#keys.forgetMedia(id);
    if (this.#isPending(id)) this.pending -= 1;
    columns.unset(id, Flag.RESOLVED | Flag.ASSUMED | Flag.HAS_MEDIA);
    const parent = columns.detach(id);
    if (parent < -1) this.#options.roots.detach(rootOf(parent));
    return parent;
  }

  /** Writes the tokens that are kept of a block. */
  writeTokens(id: number, writer: MsgpackWriter): void {
    const columns = this.#columns;
    this.#keys.tokens.writeTo(writer, columns.slot[id] as number, columns.length(id));
  }

  #isPending(id: number): boolean {
    return this.#columns.has(id, Flag.DESCRIBED) && !this.#columns.has(id, Flag.RESOLVED);
  }

  #describeKnown(id: number, parent: number, source: BlockSource): number {
    return this.#columns.has(id, Flag.ASSUMED)
      ? this.#confirm(id, parent, source)
      : this.#compare(id, parent, source.length);
  }

  #compare(id: number, parent: number, length: number): number {
    const columns = this.#columns;
    if (columns.parent[id] !== parent || columns.length(id) !== length) return Described.CONFLICT;
    return columns.has(id, Flag.RESOLVED) ? Described.RESOLVED : Described.PENDING;
  }

  /** True when a block is among those that another one, still waiting, comes after: chains do not go round. */
  #isBefore(id: number, parent: number): boolean {
    if (id === parent) return true;
    if (this.#columns.firstChild(id) < 0) return false;
    for (let before = parent; before >= 0 && this.#isPending(before);) {
      before = this.#columns.parent[before] as number;
      if (before === id) return true;
    }
    return false;
  }

  /** The content of a block that was taken at its word: does its key follow from it? */
  #confirm(id: number, parent: number, source: BlockSource): number {
    const columns = this.#columns;
    const start = columns.startAfter(parent);
    const isResolved = parent < 0 || columns.has(parent, Flag.RESOLVED);
    if (!isResolved || id === parent || start + source.length !== columns.segmentTokens) {
      return Described.CONFLICT;
    }
    this.#keys.make(parent, start, source);
    if (!this.#keys.isNameOf(id)) return Described.CONFLICT;
    columns.attach(id, parent);
    if (parent < 0) this.#options.roots.attach(rootOf(parent));
    columns.unset(id, Flag.ASSUMED);
    return Described.RESOLVED;
  }

  #attach(id: number, parent: number, end: number, media: readonly MediaItem[] | undefined): void {
    const columns = this.#columns;
    columns.attach(id, parent);
    if (parent < 0) this.#options.roots.attach(rootOf(parent));
    columns.end[id] = end;
    this.pending += 1;
    this.#keys.keepMedia(id, media);
  }

  #resolved(id: number): void {
    if (this.#isPending(id)) this.pending -= 1;
    this.#columns.set(id, Flag.RESOLVED);
    if (this.#options.tellsAllResolved || this.#columns.refs[id] !== 0) {
      this.#options.onResolved(id);
    }
  }

  /** Gives a described block its place after its resolved parent; false, and it is unknown again, when it has none. */
  #resolve(id: number, source: BlockSource | undefined): boolean {
    const columns = this.#columns;
    const parent = columns.parent[id] as number;
    const start = columns.startAfter(parent);
    const length = columns.end[id] as number;
    const end = start + length;
    if (end < columns.segmentTokens) {
      if (source) this.#keys.keepInside(id, parent, start, source);
    } else {
      if (end > columns.segmentTokens || !this.#makeKey(id, parent, start, length, source)) {
        this.#options.onDetached(this.forget(id));
        return false;
      }
      const slot = columns.slot[id] as number;
      if (slot >= 0) this.#keys.tokens.release(slot);
      columns.slot[id] = this.#options.segments.acquire(this.#keys.key, 0);
      this.#keys.isKeyOf(id);
    }
    columns.end[id] = end;
    this.#resolved(id);
    return true;
  }

  /** False when the block's name ought to be the key and is not. */
  #makeKey(
    id: number,
    parent: number,
    start: number,
    length: number,
    source: BlockSource | undefined,
  ): boolean {
    if (source) this.#keys.make(parent, start, source);
    else this.#keys.makeFromSlot(id, parent, start, length);
    return !this.#options.hashesAreKeys || this.#keys.isNameOf(id);
  }

  /** Resolves what has waited for a block, and what has waited for that. */
  #resolveChildren(id: number): void {
    const columns = this.#columns;
    if (columns.firstChild(id) < 0) return;
    this.#keys.beginRun();
    const stack = this.#stack;
    stack.push(id);
    for (let block = stack.pop(); block !== undefined; block = stack.pop()) {
      let child = columns.firstChild(block);
      while (child >= 0) {
        const next = columns.nextSibling(child);
        if (!columns.has(child, Flag.RESOLVED) && this.#resolve(child, undefined))
          stack.push(child);
        child = next;
      }
    }
    this.#keys.beginRun();
  }
}
