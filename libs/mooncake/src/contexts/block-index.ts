import { EMPTY_SET, HolderSets, KeyTable, MAX_KEYS } from '@baton/index';

/** Columns of the table: the set of holders of a block, and how many blocks of engines stand for it. */
const SET = 0;
const REFS = 1;
const COLUMNS = 2;

/** Tiers that an engine speaks of: its own cache, memory, disk. */
export const TIERS = 3;

/** Which tiers of which rank a holder number stands for. */
export interface HolderPlace {
  /** Place of the rank among those of the index; used again after the rank has left. */
  rank: number;
  /** Of its tiers, from 0. */
  tier: number;
}

/**
 * The blocks of one context: which rank holds which block in which tier. A block is named by a chained key of 16 bytes
 * and has a small number, its id; engines' own names for it are kept by their caches, which refer to the id.
 *
 * Memory: 24 bytes for a block and 5 to 11 for finding it, whoever holds it.
 */
export class BlockIndex {
  readonly #table = new KeyTable(COLUMNS);
  readonly #sets = new HolderSets();
  readonly #maxBlocks: number;
  /** By holder number. */
  readonly #places: (HolderPlace | undefined)[] = [];
  readonly #freeHolders: number[] = [];

  /** @param maxBlocks beyond it {@link isFull}; at most what a table of keys holds. */
  constructor(maxBlocks: number) {
    this.#maxBlocks = Math.min(maxBlocks, MAX_KEYS);
  }

  /** Different blocks that some engine has or remembers. */
  get blocks(): number {
    return this.#table.size;
  }

  get isFull(): boolean {
    return this.#table.size >= this.#maxBlocks;
  }

  get sizeBytes(): number {
    return this.#table.sizeBytes + this.#sets.sizeBytes;
  }

  /** Ids are below this one. */
  get idLimit(): number {
    return this.#table.idLimit;
  }

  /** There are numbers for the tiers of one rank more. */
  get hasHolders(): boolean {
    const unused = HolderSets.maxHolders - this.#places.length;
    return this.#freeHolders.length + unused >= TIERS;
  }

  /** A number for a tier of a rank; there must be one. */
  takeHolder(place: HolderPlace): number {
    const holder = this.#freeHolders.pop() ?? this.#places.length;
    this.#places[holder] = place;
    return holder;
  }

  /** Nobody finds anything through this number any more; it stays taken. */
  hideHolder(holder: number): void {
    this.#places[holder] = undefined;
  }

  /** The number is free again; no block may have it any more. */
  freeHolder(holder: number): void {
    this.#places[holder] = undefined;
    this.#freeHolders.push(holder);
  }

  placeOf(holder: number): HolderPlace | undefined {
    return this.#places[holder];
  }

  /** Ids of the blocks with the first `count` keys, at most {@link BATCH_KEYS}, or -1; valid until the next call. */
  findMany(keys: DataView, count: number): Int32Array {
    return this.#table.findMany(keys, 0, count);
  }

  /** Writes a block's key to `at`. */
  write(id: number, into: DataView, at: number): void {
    this.#table.write(id, into, at);
  }

  /** Id of the block with this key, for one engine's block more that stands for it. @throws RangeError when full. */
  acquire(key: DataView, at: number): number {
    const id = this.#table.add(key, at);
    this.#table.set(id, REFS, this.#table.get(id, REFS) + 1);
    return id;
  }

  /** One engine's block less stands for it. */
  release(id: number): void {
    const refs = this.#table.get(id, REFS) - 1;
    this.#table.set(id, REFS, refs);
    if (refs > 0) return;
    this.#sets.release(this.#table.get(id, SET));
    this.#table.set(id, SET, EMPTY_SET);
    this.#table.remove(id);
  }

  isHeld(id: number, holder: number): boolean {
    return this.#sets.has(this.#table.get(id, SET), holder);
  }

  /** The holder does not have the block yet. */
  add(id: number, holder: number): void {
    this.#table.set(id, SET, this.#sets.add(this.#table.get(id, SET), holder));
  }

  /** The holder has the block. */
  remove(id: number, holder: number): void {
    this.#table.set(id, SET, this.#sets.remove(this.#table.get(id, SET), holder));
  }

  /** Number of the set of a block's holders; equal numbers are equal sets, {@link EMPTY_SET} is nobody. */
  setOf(id: number): number {
    return this.#table.get(id, SET);
  }

  /** The holders of a set, valid until something changes. */
  holders(set: number): Uint16Array {
    return this.#sets.members(set);
  }
}
