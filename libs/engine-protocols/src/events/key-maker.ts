import { KEY_BYTES } from '@baton/kv';
import type { MediaItem } from '@baton/kv';
import { Flag, NO_PARENT, rootOf } from './block-columns.ts';
import type { BlockColumns } from './block-columns.ts';
import { LONG_BYTES } from './block-name.ts';
import type { ChainRoots } from './chain-roots.ts';
import type { KeyHasher } from './key-source.ts';
import type { SegmentStore } from './segment-slots.ts';
import { TokenSlots } from './token-slots.ts';

/** Tokens and media of one block. The arrays are not kept. */
export interface BlockSource {
  tokens: Uint32Array;
  from: number;
  length: number;
  /** Media that begin in it, by their offset in it. */
  media: readonly MediaItem[] | undefined;
}

export interface KeyMakerOptions {
  columns: BlockColumns;
  segments: SegmentStore;
  roots: ChainRoots;
  hasher: KeyHasher;
}

/**
 * Computes the keys of segments from the tokens and media of their blocks, and keeps those of the blocks before the
 * last. In a run of blocks, each after the one before, the hasher has what it needs already.
 */
export class KeyMaker {
  /** Where a key is left. */
  readonly key = new DataView(new ArrayBuffer(KEY_BYTES));
  readonly tokens = new TokenSlots();
  readonly #bytes = new Uint8Array(this.key.buffer);
  readonly #columns: BlockColumns;
  readonly #segments: SegmentStore;
  readonly #roots: ChainRoots;
  readonly #hasher: KeyHasher;
  readonly #media = new Map<number, readonly MediaItem[]>();
  /** The block up to whose end the hasher has the tokens of its segment, and what that segment comes after. */
  #filled: number = NO_PARENT;
  #filledAfter: number = NO_PARENT;
  /** The block whose key the hasher has as the parent of the next one. */
  #keyed: number = NO_PARENT;

  constructor({ columns, segments, roots, hasher }: KeyMakerOptions) {
    this.#columns = columns;
    this.#segments = segments;
    this.#roots = roots;
    this.#hasher = hasher;
  }

  /** To be called before each run of blocks: others may have used the hasher. */
  beginRun(): void {
    this.#filled = NO_PARENT;
    this.#keyed = NO_PARENT;
  }

  mediaOf(id: number): readonly MediaItem[] {
    return this.#media.get(id) ?? [];
  }

  keepMedia(id: number, media: readonly MediaItem[] | undefined): void {
    if (!media?.length) return;
    this.#media.set(id, media);
    this.#columns.set(id, Flag.HAS_MEDIA);
  }

  forgetMedia(id: number): void {
    if (this.#columns.has(id, Flag.HAS_MEDIA)) this.#media.delete(id);
  }

  /** Keeps the tokens of a resolved block inside of a segment, and has them at hand for the next one. */
  keepInside(id: number, parent: number, start: number, source: BlockSource): void {
    const { tokens, from, length } = source;
    this.#columns.slot[id] = this.tokens.put(tokens, from, length);
    if (start === 0) this.#filledAfter = parent;
    else if (parent !== this.#filled) return;
    this.#hasher.setTokens(start, tokens, from, length);
    this.#filled = id;
  }

  /** Key of the segment that a block of this content ends. */
  make(parent: number, start: number, source: BlockSource): void {
    this.#hasher.setTokens(start, source.tokens, source.from, source.length);
    this.#complete(start, parent, moved(source.media, start));
  }

  /** Key of the segment that a block ends whose tokens are kept. */
  makeFromSlot(id: number, parent: number, start: number, length: number): void {
    this.tokens.copyTo(this.#hasher, start, this.#columns.slot[id] as number, length);
    const media = this.#columns.has(id, Flag.HAS_MEDIA) ? this.mediaOf(id) : undefined;
    this.#complete(start, parent, moved(media, start));
  }

  /** The key that was just made is that of the segment which this block ends. */
  isKeyOf(id: number): void {
    this.#keyed = id;
  }

  /** True when the key is the block's name. */
  isNameOf(id: number): boolean {
    const { names } = this.#columns;
    return (
      names.kind(id) === LONG_BYTES &&
      ([0, 1, 2, 3] as const).every((word) => names.word(id, word) === this.key.getUint32(word * 4))
    );
  }

  /** With the tokens from `start` on in the hasher: sees that those before are there too, and computes. */
  #complete(start: number, parent: number, media: readonly MediaItem[] | undefined): void {
    const isFilled = start > 0 && parent === this.#filled && this.#media.size === 0;
    if (isFilled && media === undefined) {
      this.#setParent(this.#filledAfter);
      this.#hasher.key(this.#bytes, 0);
    } else this.#completeFromSlots(start, parent, media);
    this.#filled = NO_PARENT;
    this.#keyed = NO_PARENT;
  }

  #completeFromSlots(
    start: number,
    parent: number,
    lastMedia: readonly MediaItem[] | undefined,
  ): void {
    const columns = this.#columns;
    let media = lastMedia;
    let before = parent;
    for (let at = start; at > 0;) {
      const from = columns.startAfter(columns.parent[before] as number);
      this.tokens.copyTo(this.#hasher, from, columns.slot[before] as number, at - from);
      if (columns.has(before, Flag.HAS_MEDIA)) {
        media = [...(media ?? []), ...(moved(this.mediaOf(before), from) ?? [])];
      }
      before = columns.parent[before] as number;
      at = from;
    }
    this.#setParent(before);
    this.#hasher.key(this.#bytes, 0, media);
  }

  /** The next key is that of a segment after this block or root. */
  #setParent(before: number): void {
    if (before === this.#keyed) return;
    if (before < 0) this.#hasher.setParent(this.#roots.at(rootOf(before)).key, 0);
    else {
      this.#segments.write(this.#columns.slot[before] as number, this.key, 0);
      this.#hasher.setParent(this.#bytes, 0);
    }
  }
}

/** Media by their offset from a place that is so much earlier. */
function moved(
  media: readonly MediaItem[] | undefined,
  by: number,
): readonly MediaItem[] | undefined {
  if (!media?.length) return undefined;
  return media.map(({ offset, id }) => ({ offset: offset + by, id }));
}
