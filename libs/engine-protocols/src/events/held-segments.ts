import { Flag } from './block-columns.ts';
import type { BlockColumns } from './block-columns.ts';
import { ALL_TIERS, holdingOf } from './engine-tiers.ts';
import type { GroupCopies } from './group-copies.ts';
import type { KeyOutput } from './key-output.ts';
import type { SegmentStore } from './segment-slots.ts';

/**
 * Which segments are held in which tier: those of which every block has a copy there, in every group of full attention.
 * Each block knows in which tiers it and all before it in its segment are held, so that a change costs no more than the
 * blocks behind it in the same segment.
 */
export class HeldSegments {
  #full: readonly GroupCopies[] = [];
  /** Nearly always there is one group only. */
  #first: GroupCopies | undefined;
  readonly #columns: BlockColumns;
  readonly #segments: SegmentStore;
  readonly #output: KeyOutput;
  readonly #stack: number[] = [];

  constructor(columns: BlockColumns, segments: SegmentStore, output: KeyOutput) {
    this.#columns = columns;
    this.#segments = segments;
    this.#output = output;
  }

  /** Groups that all have to hold a block. */
  get full(): readonly GroupCopies[] {
    return this.#full;
  }

  /** The one that alone has to; undefined when there are others. */
  get only(): GroupCopies | undefined {
    return this.#full.length === 1 ? this.#first : undefined;
  }

  setFull(groups: readonly GroupCopies[]): void {
    this.#full = groups;
    this.#first = groups[0];
  }

  /** Tiers in which a block is held. */
  tiersOf(id: number): number {
    if (this.#first === undefined) return 0;
    let tiers = this.#first.tiers[id] as number;
    for (let i = 1; i < this.#full.length; i += 1) tiers &= this.#full[i]?.tiers[id] ?? 0;
    return tiers;
  }

  /** Copies of a resolved block came or went, or its place became known. */
  update(id: number): void {
    if (!this.#refresh(id)) return;
    const columns = this.#columns;
    const stack = this.#stack;
    for (let block: number | undefined = id; block !== undefined; block = stack.pop()) {
      for (let child = columns.firstChild(block); child >= 0; child = columns.nextSibling(child)) {
        if (columns.has(child, Flag.RESOLVED) && this.#refresh(child)) stack.push(child);
      }
    }
  }

  /** A tier is empty: nobody is told, since one message says it all. */
  clear(tier: number): void {
    const { run } = this.#columns;
    for (let id = 0; id < this.#columns.names.idEnd; id += 1) {
      if (((run[id] as number) & (1 << tier)) === 0) continue;
      run[id] = (run[id] as number) & ~(1 << tier);
      if (this.#columns.endsSegment(id)) {
        this.#segments.drop(this.#columns.slot[id] as number, holdingOf(tier, false));
      }
    }
  }

  /** True when those behind it in its segment have to be looked at too. */
  #refresh(id: number): boolean {
    const columns = this.#columns;
    const parent = columns.parent[id] as number;
    const isFirst = columns.startAfter(parent) === 0;
    const run = this.tiersOf(id) & (isFirst ? ALL_TIERS : (columns.run[parent] as number));
    const changed = run ^ (columns.run[id] as number);
    if (changed === 0) return false;
    columns.run[id] = run;
    if (columns.end[id] !== columns.segmentTokens) return true;
    const slot = columns.slot[id] as number;
    this.#output.update(this.#segments, slot, run, changed, false);
    return false;
  }
}
