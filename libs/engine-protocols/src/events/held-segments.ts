import { Flag } from './block-columns.ts';
import type { BlockColumns } from './block-columns.ts';
import { ALL_TIERS, ENGINE_TIERS } from './engine-tiers.ts';
import type { GroupCopies } from './group-copies.ts';
import { holdingOf } from './key-output.ts';
import type { KeyOutput } from './key-output.ts';
import type { SegmentStore } from './segment-slots.ts';

export interface HeldSegmentsOptions {
  columns: BlockColumns;
  segments: SegmentStore;
  output: KeyOutput;
}

/**
 * Which segments are held in which tier: those of which every block has a copy there, in every group of full attention.
 * Each block knows in which tiers it and all before it in its segment are held, so that a change costs no more than the
 * blocks behind it in the same segment.
 */
export class HeldSegments {
  /** Groups that all have to hold a block. */
  full: readonly GroupCopies[] = [];
  readonly #columns: BlockColumns;
  readonly #segments: SegmentStore;
  readonly #output: KeyOutput;
  readonly #stack: number[] = [];

  constructor({ columns, segments, output }: HeldSegmentsOptions) {
    this.#columns = columns;
    this.#segments = segments;
    this.#output = output;
  }

  /** Tiers in which a block is held. */
  tiersOf(id: number): number {
    const [first] = this.full;
    if (first === undefined) return 0;
    let tiers = first.tiers[id] as number;
    for (let i = 1; i < this.full.length; i += 1) tiers &= this.full[i]?.tiers[id] ?? 0;
    return tiers;
  }

  /** Copies of a block came or went, or its place became known. */
  update(id: number): void {
    const columns = this.#columns;
    if (!columns.has(id, Flag.RESOLVED)) return;
    const stack = this.#stack;
    for (let block: number | undefined = id; block !== undefined; block = stack.pop()) {
      const parent = columns.parent[block] as number;
      const isFirst = columns.startAfter(parent) === 0;
      const run = this.tiersOf(block) & (isFirst ? ALL_TIERS : (columns.run[parent] as number));
      const changed = run ^ (columns.run[block] as number);
      if (changed === 0) continue;
      columns.run[block] = run;
      if (columns.end[block] === columns.segmentTokens) this.#announce(block, run, changed);
      else {
        for (
          let child = columns.firstChild(block);
          child >= 0;
          child = columns.nextSibling(child)
        ) {
          if (columns.has(child, Flag.RESOLVED)) stack.push(child);
        }
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

  #announce(id: number, run: number, changed: number): void {
    const slot = this.#columns.slot[id] as number;
    for (let tier = 0; tier < ENGINE_TIERS; tier += 1) {
      if ((changed & (1 << tier)) === 0) continue;
      const isStore = (run & (1 << tier)) !== 0;
      const isNews = isStore ? this.#segments.hold(slot, tier) : this.#segments.drop(slot, tier);
      if (isNews) this.#output.put(isStore, tier, this.#segments, slot);
    }
  }
}
