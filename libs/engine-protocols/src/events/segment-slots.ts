import { KEY_BYTES } from '@baton/kv';
import { HOLDINGS } from './engine-tiers.ts';
import { NameTable } from './name-table.ts';
import { SmallCounts } from './small-counts.ts';

/** Counts for each segment: the blocks that end it, then the holders for each holding. */
const REFS = 0;
const STRIDE = 1 + HOLDINGS;

/**
 * Where the segments that blocks end are kept. A store may be shared by the caches of many ranks: `acquire` and
 * `release` count all, the others speak of the own rank.
 */
export type SegmentStore = Pick<
  SegmentSlots,
  'idEnd' | 'isFull' | 'acquire' | 'release' | 'hold' | 'drop' | 'isHeld' | 'write'
>;

/**
 * The segments that known blocks end, each once: blocks of different names can end the same one, e.g. where an engine
 * does not tell what made their hashes differ. A segment is held in a tier while any of its blocks says so.
 */
export class SegmentSlots {
  readonly #table = new NameTable();
  #capacity = this.#table.capacity;
  readonly #counts = new SmallCounts(this.#capacity * STRIDE);

  get idEnd(): number {
    return this.#table.idEnd;
  }

  /** No block that is new can be taken. */
  get isFull(): boolean {
    return false;
  }

  /** Slot of a segment for one block more that ends it. */
  acquire(key: DataView, at: number): number {
    const slot = this.#table.ensure(
      key.getUint32(at),
      key.getUint32(at + 4),
      key.getUint32(at + 8),
      key.getUint32(at + 12),
      0,
    );
    if (this.#table.capacity > this.#capacity) {
      this.#capacity = this.#table.capacity;
      this.#counts.grow(this.#capacity * STRIDE);
    }
    this.#counts.add(slot * STRIDE + REFS);
    return slot;
  }

  /** One block less; nobody holds the segment through it any more. */
  release(slot: number): void {
    if (this.#counts.take(slot * STRIDE + REFS) === 0) this.#table.remove(slot);
  }

  /** True when it was not held in this way before. */
  hold(slot: number, holding: number): boolean {
    return this.#counts.add(slot * STRIDE + 1 + holding) === 1;
  }

  /** True when it is not held in this way any more. */
  drop(slot: number, holding: number): boolean {
    return this.#counts.take(slot * STRIDE + 1 + holding) === 0;
  }

  isHeld(slot: number, holding: number): boolean {
    return this.#counts.get(slot * STRIDE + 1 + holding) > 0;
  }

  write(slot: number, view: DataView, at: number): void {
    view.setUint32(at, this.#table.word(slot, 0));
    view.setUint32(at + 4, this.#table.word(slot, 1));
    view.setUint32(at + 8, this.#table.word(slot, 2));
    view.setUint32(at + KEY_BYTES - 4, this.#table.word(slot, 3));
  }
}
