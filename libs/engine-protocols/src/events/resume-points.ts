import { Flag } from './block-columns.ts';
import type { BlockColumns } from './block-columns.ts';
import { ALL_TIERS, holdingOf } from './engine-tiers.ts';
import type { GroupCopies } from './group-copies.ts';
import type { KeyOutput } from './key-output.ts';
import type { SegmentStore } from './segment-slots.ts';

/**
 * The ends of segments at which a hybrid model's sequence can be resumed: every sliding-window group holds the blocks
 * that cover its window there, and every state group holds the block that ends there. A group of which neither is known
 * lets nothing be resumed. Blocks are those of the full-attention group; a window group with smaller ones cannot be
 * followed, and lets nothing be resumed either.
 */
export class ResumePoints {
  readonly #columns: BlockColumns;
  readonly #segments: SegmentStore;
  readonly #output: KeyOutput;
  #groups: readonly GroupCopies[] = [];
  /** For each block that ends a segment, the tiers in which one can resume after it. */
  #tiers = new Uint8Array(0);
  /** Tokens from the start of the chain to the end of each resolved block. */
  #depth = new Uint32Array(0);
  readonly #touched: number[] = [];

  constructor(columns: BlockColumns, segments: SegmentStore, output: KeyOutput) {
    this.#columns = columns;
    this.#segments = segments;
    this.#output = output;
  }

  /** The groups beside full attention; what was said with others is looked at again. */
  setGroups(groups: readonly GroupCopies[]): void {
    this.#groups = groups;
    for (let id = 0; id < this.#columns.names.idEnd; id += 1) {
      if (this.#columns.endsSegment(id)) this.#evaluate(id);
    }
  }

  /** A block's place is known. */
  resolved(id: number): void {
    this.#reserve();
    const columns = this.#columns;
    const parent = columns.parent[id] as number;
    const before = parent < 0 ? 0 : (this.#depth[parent] as number);
    const length = (columns.end[id] as number) - columns.startAfter(parent);
    this.#depth[id] = before + length;
    this.#tiers[id] = 0;
    this.touch(id);
  }

  /** The copies of a block in one of these groups came or went. */
  touch(id: number): void {
    if (this.#columns.has(id, Flag.TOUCHED)) return;
    this.#columns.set(id, Flag.TOUCHED);
    this.#touched.push(id);
  }

  /** Looks again at what was touched and at all whose windows reach back to it. */
  settle(): void {
    const columns = this.#columns;
    let reach = 1;
    for (const group of this.#groups) reach = Math.max(reach, group.windowTokens);
    for (const id of this.#touched) {
      if (!columns.has(id, Flag.TOUCHED)) continue;
      columns.unset(id, Flag.TOUCHED);
      if (columns.has(id, Flag.RESOLVED)) this.#evaluateFrom(id, reach);
    }
    this.#touched.length = 0;
  }

  /** A block that ends a segment is about to be forgotten. */
  forget(id: number): void {
    if (id < this.#tiers.length) this.#change(id, 0);
  }

  /** A tier is empty; one message says it all. */
  clear(tier: number): void {
    for (let id = 0; id < this.#tiers.length; id += 1) {
      if (((this.#tiers[id] as number) & (1 << tier)) === 0) continue;
      this.#tiers[id] = (this.#tiers[id] as number) & ~(1 << tier);
      this.#segments.drop(this.#columns.slot[id] as number, holdingOf(tier, true));
    }
  }

  #evaluateFrom(first: number, reach: number): void {
    const columns = this.#columns;
    const end = (this.#depth[first] as number) + reach;
    const stack = [first];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (columns.endsSegment(id)) this.#evaluate(id);
      for (let child = columns.firstChild(id); child >= 0; child = columns.nextSibling(child)) {
        const isNear = columns.has(child, Flag.RESOLVED) && (this.#depth[child] as number) < end;
        if (isNear) stack.push(child);
      }
    }
  }

  #evaluate(id: number): void {
    let tiers = this.#groups.length === 0 ? 0 : ALL_TIERS;
    for (const group of this.#groups) {
      if (group.role === 'state') tiers &= group.tiers[id] as number;
      else if (group.role === 'window') tiers &= this.#windowTiers(id, group);
      else tiers = 0;
    }
    this.#change(id, tiers);
  }

  /** Tiers in which the window before the end of a block is covered: its last window - 1 tokens. */
  #windowTiers(id: number, { windowTokens, blockTokens, tiers }: GroupCopies): number {
    let position = this.#depth[id] as number;
    if (windowTokens < 1 || blockTokens < 1 || position % blockTokens !== 0) return 0;
    const start = Math.max(0, position - (windowTokens - 1));
    let held = ALL_TIERS;
    for (let block = id; position > start && held !== 0;) {
      held &= tiers[block] as number;
      position -= blockTokens;
      if (position <= start) break;
      while (block >= 0 && (this.#depth[block] as number) > position) {
        block = this.#columns.parent[block] as number;
      }
      if (block < 0 || this.#depth[block] !== position) return 0;
    }
    return held;
  }

  #change(id: number, tiers: number): void {
    const changed = tiers ^ (this.#tiers[id] as number);
    if (changed === 0) return;
    this.#tiers[id] = tiers;
    const slot = this.#columns.slot[id] as number;
    this.#output.update(this.#segments, slot, tiers, changed, true);
  }

  #reserve(): void {
    const { capacity } = this.#columns;
    if (this.#tiers.length >= capacity) return;
    const tiers = new Uint8Array(capacity);
    tiers.set(this.#tiers);
    this.#tiers = tiers;
    const depth = new Uint32Array(capacity);
    depth.set(this.#depth);
    this.#depth = depth;
  }
}
