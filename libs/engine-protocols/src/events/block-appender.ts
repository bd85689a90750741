import { Flag, rootOf } from './block-columns.ts';
import type { BlockColumns } from './block-columns.ts';
import { NAME_WORDS } from './block-name.ts';
import type { ChainRoots } from './chain-roots.ts';
import type { EventBatch, EventRecord } from './event-batch.ts';
import type { GroupCopies } from './group-copies.ts';
import type { BlockSource, KeyMaker } from './key-maker.ts';
import type { KeyOutput } from './key-output.ts';
import type { SegmentStore } from './segment-slots.ts';

export interface BlockAppenderOptions {
  columns: BlockColumns;
  segments: SegmentStore;
  roots: ChainRoots;
  keys: KeyMaker;
  output: KeyOutput;
}

/**
 * What nearly every stored block is: one that nobody has spoken of, after one whose place is known, in an engine with
 * full attention only. Naming it, describing it, giving it its place and counting its first copy are one step here, in
 * one loop over the blocks of an event; that it comes to the same as the steps by themselves is what the property tests
 * see to.
 */
export class BlockAppender {
  /** The block or root that the next one comes after, when a run has ended. */
  tip = 0;
  /** Keeps reads ahead from being optimised away. */
  #touched = 0;
  readonly #columns: BlockColumns;
  readonly #segments: SegmentStore;
  readonly #roots: ChainRoots;
  readonly #keys: KeyMaker;
  readonly #output: KeyOutput;
  readonly #source: BlockSource;

  constructor({ columns, segments, roots, keys, output }: BlockAppenderOptions) {
    this.#columns = columns;
    this.#segments = segments;
    this.#roots = roots;
    this.#keys = keys;
    this.#output = output;
    this.#source = {
      tokens: new Uint32Array(0),
      from: 0,
      length: 0,
      media: undefined,
    };
  }

  /**
   * Takes the first blocks of an event, at most `most`, after a resolved block or a root. Returns how many those are
   * for which one step is enough.
   */
  appendRun(
    batch: EventBatch,
    record: EventRecord,
    group: GroupCopies,
    tier: number,
    parent: number,
    most: number,
  ): number {
    const columns = this.#columns;
    const { names, segmentTokens } = columns;
    columns.reserve(most);
    group.reserve(columns.capacity);
    const source = this.#source;
    source.tokens = batch.tokens;
    source.from = record.firstToken;
    source.length = record.blockTokens;
    const bit = 1 << tier;
    this.tip = parent;
    let start = columns.startAfter(parent);
    let run = start === 0 ? bit : bit & (columns.run[parent] as number);
    this.#touched = names.touch(batch.names, record.firstName * NAME_WORDS, most);
    for (let i = 0; i < most; i += 1) {
      if (this.#segments.isFull) return i;
      const at = (record.firstName + i) * NAME_WORDS;
      const id = names.ensure(
        batch.names[at] as number,
        batch.names[at + 1] as number,
        batch.names[at + 2] as number,
        batch.names[at + 3] as number,
        batch.kinds[record.firstName + i] as number,
      );
      if (!names.wasAdded) return i;
      columns.begin(id);
      const end = start + source.length;
      if (end > segmentTokens) return i;
      this.#hang(id, end, run);
      group.tiers[id] = bit;
      if (end < segmentTokens) this.#keys.keepInside(id, this.tip, start, source);
      else this.#end(id, start, run, tier);
      source.from += source.length;
      this.tip = id;
      start = end === segmentTokens ? 0 : end;
      if (start === 0) run = bit;
    }
    return most;
  }

  #hang(id: number, end: number, run: number): void {
    const columns = this.#columns;
    columns.attach(id, this.tip);
    if (this.tip < 0) this.#roots.attach(rootOf(this.tip));
    columns.set(id, Flag.RESOLVED);
    columns.end[id] = end;
    columns.refs[id] = 1;
    columns.run[id] = run;
  }

  #end(id: number, start: number, run: number, tier: number): void {
    this.#keys.make(this.tip, start, this.#source);
    const slot = this.#segments.acquire(this.#keys.key, 0);
    this.#columns.slot[id] = slot;
    this.#keys.isKeyOf(id);
    if (run !== 0 && this.#segments.hold(slot, tier)) {
      this.#output.put(true, tier, this.#segments, slot);
    }
  }
}
