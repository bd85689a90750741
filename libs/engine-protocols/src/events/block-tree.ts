import { BlockColumns, Flag, NO_PARENT } from './block-columns.ts';
import { NAME_WORDS } from './block-name.ts';
import { BlockAppender } from './block-appender.ts';
import { BlockContent } from './block-content.ts';
import { ChainRoots } from './chain-roots.ts';
import { ENGINE_TIERS, HBM_BIT } from './engine-tiers.ts';
import type { EventBatch, EventRecord } from './event-batch.ts';
import type { GroupCopies } from './group-copies.ts';
import { HeldSegments } from './held-segments.ts';
import { KeyMaker } from './key-maker.ts';
import type { KeyOutput } from './key-output.ts';
import type { KeySource } from './key-source.ts';
import { MAX_NAMES } from './name-table.ts';
import { ResumePoints } from './resume-points.ts';
import { SegmentSlots } from './segment-slots.ts';
import type { SegmentStore } from './segment-slots.ts';

export interface BlockTreeOptions {
  keys: KeySource;
  /** Where segments are kept; a store of its own when absent. */
  segments: SegmentStore | undefined;
  segmentTokens: number;
  hashesAreKeys: boolean;
  hybrid: boolean;
  maxBlocks: number;
  output: KeyOutput;
}

/** Blocks that are looked at for one that can go, when there is no room. */
const EVICTION_STEPS = 64;

/**
 * The blocks of one engine's cache: names, content, copies, and what of segments follows from them. Room is bounded:
 * when it is used up, blocks that are in no engine's HBM make place, first come first, and then new ones are refused.
 */
export class BlockTree {
  readonly columns: BlockColumns;
  readonly segments: SegmentStore;
  readonly roots: ChainRoots;
  readonly content: BlockContent;
  readonly keys: KeyMaker;
  readonly held: HeldSegments;
  readonly resumePoints: ResumePoints | undefined;
  /** Blocks with copies whose place is not known. */
  unresolvedBlocks = 0;
  /** The block that the next one will hang on; it does not make room for that. */
  tip = NO_PARENT;
  /** Blocks whose copies were forgotten to make room. */
  evicted = 0;
  #groups: readonly GroupCopies[] = [];
  /** Blocks with a copy, by group and tier. */
  readonly #copies = new Float64Array(ENGINE_TIERS);
  readonly #maxBlocks: number;
  readonly #suspects: number[] = [];
  readonly #appender: BlockAppender;
  readonly #canAppend: boolean;
  #hand = 0;

  constructor(options: BlockTreeOptions) {
    const { output, segmentTokens, hybrid } = options;
    this.#maxBlocks = Math.min(options.maxBlocks, MAX_NAMES);
    this.columns = new BlockColumns(segmentTokens, hybrid);
    this.segments = options.segments ?? new SegmentSlots();
    this.roots = new ChainRoots(options.keys);
    const { columns, segments, roots } = this;
    this.keys = new KeyMaker({
      columns,
      segments,
      roots,
      hasher: options.keys.hasher,
    });
    const { keys } = this;
    this.#appender = new BlockAppender({
      columns,
      segments,
      roots,
      keys,
      output,
    });
    this.#canAppend = !hybrid && !options.hashesAreKeys;
    this.held = new HeldSegments(columns, segments, output);
    if (hybrid) this.resumePoints = new ResumePoints(columns, segments, output);
    this.content = new BlockContent({
      columns,
      segments,
      roots,
      keys,
      hashesAreKeys: options.hashesAreKeys,
      onResolved: (id) => this.#onResolved(id),
      tellsAllResolved: hybrid,
      onDetached: (parent) => void this.#suspects.push(parent),
    });
  }

  get groups(): readonly GroupCopies[] {
    return this.#groups;
  }

  /** All groups, and what they are: what follows from their copies is looked at again. */
  setGroups(groups: readonly GroupCopies[]): void {
    this.#groups = groups;
    this.held.setFull(groups.filter(({ role }) => role === 'full'));
    for (const group of groups) group.reserve(this.columns.capacity);
    this.unresolvedBlocks = 0;
    for (let id = 0; id < this.columns.names.idEnd; id += 1) {
      if (!this.columns.has(id, Flag.LIVE)) continue;
      if (this.columns.has(id, Flag.RESOLVED)) this.held.update(id);
      else if (this.#isHeldUnresolved(id)) this.unresolvedBlocks += 1;
    }
    this.resumePoints?.setGroups(groups.filter(({ role }) => role !== 'full'));
  }

  /** Id of a name of a batch; -1 when it is not known. */
  find({ names, kinds }: EventBatch, index: number): number {
    const at = index * NAME_WORDS;
    return this.columns.names.find(
      names[at] as number,
      names[at + 1] as number,
      names[at + 2] as number,
      names[at + 3] as number,
      kinds[index] as number,
    );
  }

  /** As {@link find}, and adds what is not known; -1 when there is no room. */
  ensure(batch: EventBatch, index: number): number {
    const { columns } = this;
    if (columns.names.size >= this.#maxBlocks || this.segments.isFull) {
      const known = this.find(batch, index);
      if (known >= 0) return known;
      if (this.segments.isFull || !this.#evict()) return -1;
    }
    const { names, kinds } = batch;
    const at = index * NAME_WORDS;
    const { capacity } = columns;
    const id = columns.ensure(
      names[at] as number,
      names[at + 1] as number,
      names[at + 2] as number,
      names[at + 3] as number,
      kinds[index] as number,
    );
    if (columns.capacity > capacity) {
      for (const group of this.#groups) group.reserve(columns.capacity);
    }
    return id;
  }

  /**
   * Takes as many of the first blocks of an event as can be taken in one step each, after a resolved block or a root;
   * the last of them becomes the tip.
   */
  append(
    batch: EventBatch,
    record: EventRecord,
    group: GroupCopies,
    parent: number,
    tier: number,
  ): number {
    this.tip = parent;
    const room = this.#maxBlocks - this.columns.names.size;
    const most = Math.min(record.nameCount, room);
    if (!this.#canAppend || group !== this.held.only || most <= 0) return 0;
    const count = this.#appender.appendRun(batch, record, group, tier, parent, most);
    this.#copies[tier] = (this.#copies[tier] as number) + count;
    this.tip = this.#appender.tip;
    return count;
  }

  /** One copy more; false when there was one in this tier before. */
  addCopy(group: GroupCopies, id: number, tier: number): boolean {
    const { columns } = this;
    const isResolved = columns.has(id, Flag.RESOLVED);
    const wasHeld = !isResolved && this.#isHeldUnresolved(id);
    if (!group.add(id, tier)) return false;
    columns.refs[id] = (columns.refs[id] as number) + 1;
    columns.unset(id, Flag.PINNED);
    this.#copies[tier] = (this.#copies[tier] as number) + 1;
    if (group.role !== 'full') this.resumePoints?.touch(id);
    else if (isResolved) this.held.update(id);
    else if (!wasHeld) this.unresolvedBlocks += 1;
    return true;
  }

  /** One copy less; false when there was none. */
  takeCopy(group: GroupCopies, id: number, tier: number): boolean {
    if (!group.has(id, tier)) return false;
    if (group.take(id, tier)) this.#lostTier(group, id, tier);
    return true;
  }

  /** Keeps a block alive for the moment. */
  hold(id: number): void {
    this.columns.refs[id] = (this.columns.refs[id] as number) + 1;
  }

  unhold(id: number): void {
    this.columns.refs[id] = (this.columns.refs[id] as number) - 1;
    this.release(id);
  }

  /** Frees a block that nothing keeps, and those before it that it alone has kept. */
  release(id: number): void {
    for (let block = id; block >= 0 && this.columns.isIdle(block);) {
      this.resumePoints?.forget(block);
      const parent = this.content.forget(block);
      this.columns.remove(block);
      block = parent;
    }
  }

  /** To be called when an event is done: frees what it has left over, and settles resume points. */
  settle(): void {
    for (let id = this.#suspects.pop(); id !== undefined; id = this.#suspects.pop()) {
      if (id >= 0 && this.columns.has(id, Flag.LIVE)) this.release(id);
    }
    this.resumePoints?.settle();
  }

  /** No copy is in any other tier. */
  isOnlyIn(tier: number): boolean {
    return this.#copies.every((count, other) => other === tier || count === 0);
  }

  /** Forgets all copies in a tier, telling nobody. */
  clear(tier: number): void {
    this.#copies[tier] = 0;
    this.held.clear(tier);
    this.resumePoints?.clear(tier);
    for (let id = 0; id < this.columns.names.idEnd; id += 1) {
      if (!this.columns.has(id, Flag.LIVE)) continue;
      const wasHeld = this.#isHeldUnresolved(id);
      for (const group of this.#groups) {
        if (group.clear(id, tier)) this.columns.refs[id] = (this.columns.refs[id] as number) - 1;
      }
      if (wasHeld && !this.#isHeldUnresolved(id)) this.unresolvedBlocks -= 1;
      this.release(id);
    }
  }

  /** Takes everything out of a store of segments that outlives it; the tree is of no use after that. */
  leave(): void {
    for (let tier = 0; tier < ENGINE_TIERS; tier += 1) this.held.clear(tier);
    for (let id = 0; id < this.columns.names.idEnd; id += 1) {
      if (this.columns.endsSegment(id)) this.segments.release(this.columns.slot[id] as number);
    }
  }

  #lostTier(group: GroupCopies, id: number, tier: number): void {
    const { columns } = this;
    columns.refs[id] = (columns.refs[id] as number) - 1;
    this.#copies[tier] = (this.#copies[tier] as number) - 1;
    if (group.role !== 'full') this.resumePoints?.touch(id);
    else if (columns.has(id, Flag.RESOLVED)) this.held.update(id);
    else if (!this.#isHeldUnresolved(id)) this.unresolvedBlocks -= 1;
  }

  #isHeldUnresolved(id: number): boolean {
    if (this.columns.has(id, Flag.RESOLVED)) return false;
    for (const { tiers } of this.held.full) if (tiers[id] !== 0) return true;
    return false;
  }

  #onResolved(id: number): void {
    for (const { tiers } of this.held.full) {
      if (tiers[id] === 0) continue;
      this.unresolvedBlocks -= 1;
      break;
    }
    this.held.update(id);
    this.resumePoints?.resolved(id);
  }

  /** Forgets the copies of a block that is in nobody's HBM, until there is room for another one. */
  #evict(): boolean {
    for (let step = 0; step < EVICTION_STEPS; step += 1) {
      this.#hand = this.#hand + 1 < this.columns.names.idEnd ? this.#hand + 1 : 0;
      const id = this.#hand;
      if (id === this.tip || !this.columns.has(id, Flag.LIVE)) continue;
      let tiers = 0;
      for (const group of this.#groups) tiers |= group.tiers[id] as number;
      if (tiers === 0 || (tiers & HBM_BIT) !== 0) continue;
      this.#dropCopies(id);
      this.evicted += 1;
      this.release(id);
      if (this.columns.names.size < this.#maxBlocks) return true;
    }
    return false;
  }

  #dropCopies(id: number): void {
    for (const group of this.#groups) {
      for (let tier = 0; group.tiers[id] !== 0; tier += 1) {
        if (group.clear(id, tier)) this.#lostTier(group, id, tier);
      }
    }
  }
}
