import { KEY_BYTES } from '@baton/kv';
import { Flag, NO_PARENT, rootOf, rootParent } from './block-columns.ts';
import { Described } from './block-content.ts';
import type { BlockSource } from './key-maker.ts';
import type { BlockTree } from './block-tree.ts';
import type { EngineCacheCounters } from './engine-cache-counters.ts';
import { ENGINE_TIERS, engineTierIndex, HBM_INDEX } from './engine-tiers.ts';
import type { EventBatch, EventRecord } from './event-batch.ts';
import type { GroupCopies } from './group-copies.ts';

export interface EventApplierOptions {
  tree: BlockTree;
  counters: EngineCacheCounters;
  hashesAreKeys: boolean;
  expectedBlockTokens: number | undefined;
  maxUnresolvedBlocks: number;
}

/** Applies stores and removals of one batch's events to a tree of blocks. */
export class EventApplier {
  /** Tokens of a block, as the last event of a full-attention group that said it has it. */
  blockTokens: number | undefined;
  readonly #options: EventApplierOptions;
  readonly #tree: BlockTree;
  readonly #counters: EngineCacheCounters;
  readonly #source: BlockSource;

  constructor(options: EventApplierOptions) {
    this.#options = options;
    this.#tree = options.tree;
    this.#counters = options.counters;
    this.#source = { tokens: new Uint32Array(0), from: 0, length: 0, media: undefined };
  }

  store(batch: EventBatch, record: EventRecord, group: GroupCopies): void {
    if (group.role !== 'full') this.#name(batch, record, group, 0);
    else if (record.tokenCount === 0 && record.keysLength === 0) {
      if (record.blockTokens < 0) this.#counters.malformed += 1;
      else this.#name(batch, record, group, 0);
    } else if (!this.#fits(record)) this.#counters.malformed += 1;
    else if (record.tiersLength > 0) this.#restore(batch, record, group);
    else this.#chain(batch, record, group);
  }

  remove(batch: EventBatch, record: EventRecord, group: GroupCopies): void {
    const tree = this.#tree;
    const tier = engineTierIndex(record.tier);
    for (let i = 0; i < record.nameCount; i += 1) {
      const id = tree.find(batch, record.firstName + i);
      if (id < 0 || !tree.takeCopy(group, id, tier)) this.#counters.absent += 1;
      else tree.release(id);
    }
  }

  #fits(record: EventRecord): boolean {
    const { blockTokens, nameCount, tokenCount, extraKeys, keysLength, tiersLength } = record;
    const { expectedBlockTokens, hashesAreKeys } = this.#options;
    const { segmentTokens } = this.#tree.columns;
    if (!Number.isSafeInteger(blockTokens) || blockTokens < 1) return false;
    this.blockTokens = blockTokens;
    if (expectedBlockTokens !== undefined && blockTokens !== expectedBlockTokens) {
      this.#counters.otherBlockSizes += 1;
    }
    if (segmentTokens % blockTokens !== 0) return false;
    if (hashesAreKeys && blockTokens !== segmentTokens) return false;
    if (extraKeys !== undefined && extraKeys.count > 0 && extraKeys.count !== nameCount) {
      return false;
    }
    if (keysLength + tiersLength > 0 && tiersLength !== nameCount) return false;
    // In a snapshot the blocks that end a segment have their key instead of their tokens.
    const keys = keysLength / KEY_BYTES;
    return Number.isInteger(keys) && tokenCount === (nameCount - keys) * blockTokens;
  }

  /** Copies of blocks of which the event says no more than the names. */
  #name(batch: EventBatch, record: EventRecord, group: GroupCopies, first: number): void {
    const tree = this.#tree;
    const tier = engineTierIndex(record.tier);
    for (let i = first; i < record.nameCount; i += 1) {
      const id = tree.ensure(batch, record.firstName + i);
      const isUnresolved = group.role === 'full' && !(id >= 0 && this.#isResolved(id));
      if (isUnresolved) this.#counters.unresolved += 1;
      if (id < 0 || (isUnresolved && !this.#hasRoomForUnresolved())) {
        this.#counters.refused += 1;
        if (id >= 0) tree.release(id);
      } else if (!tree.addCopy(group, id, tier)) this.#counters.duplicates += 1;
    }
  }

  /** Blocks one after the other, with what is in them. */
  #chain(batch: EventBatch, record: EventRecord, group: GroupCopies): void {
    const tree = this.#tree;
    const counters = this.#counters;
    const first = this.#parent(batch, record);
    if (first === undefined) return;
    const opaqueFrom = firstOpaque(record);
    const end = Math.min(record.nameCount, opaqueFrom);
    const tier = engineTierIndex(record.tier);
    const media = record.extraKeys?.media.length ? record.extraKeys.media : undefined;
    const source = this.#source;
    tree.keys.beginRun();
    const isPlain = media === undefined && end === record.nameCount;
    const isAfterKnown = first < 0 || this.#isResolved(first);
    const appended = isPlain && isAfterKnown ? tree.append(batch, record, group, first, tier) : 0;
    source.tokens = batch.tokens;
    source.from = record.firstToken + appended * record.blockTokens;
    source.length = record.blockTokens;
    let parent = appended > 0 ? tree.tip : first;
    for (let i = appended; i < end; i += 1) {
      tree.tip = parent;
      const id = this.#next(batch, record, i, parent);
      if (id < 0) break;
      source.media = media?.filter(({ block }) => block === i);
      if (!this.#put(id, parent, group, tier)) {
        // Connectors that offload tell neither salt nor media: there the name is what the GPU said that it is.
        const isPartlyTold = tier !== HBM_INDEX && record.extraKeys === undefined;
        if (isPartlyTold) this.#name(batch, record, group, i);
        else counters.mismatched += record.nameCount - i;
        break;
      }
      source.from += record.blockTokens;
      parent = id;
    }
    tree.tip = NO_PARENT;
    this.#letGo(first);
    if (opaqueFrom < record.nameCount) this.#name(batch, record, group, opaqueFrom);
  }

  /** A copy of a block with the source's content; false when that contradicts what is known. */
  #put(id: number, parent: number, group: GroupCopies, tier: number): boolean {
    const described = this.#tree.content.describe(id, parent, this.#source);
    if (described === Described.CONFLICT) {
      this.#tree.release(id);
      return false;
    }
    if (described === Described.PENDING) this.#counters.unresolved += 1;
    if (!this.#tree.addCopy(group, id, tier)) this.#counters.duplicates += 1;
    return true;
  }

  /** The next block of a chain; -1, and the rest is refused, when there is no room for it. */
  #next(batch: EventBatch, record: EventRecord, index: number, parent: number): number {
    const isBeyond = parent >= 0 && !this.#isResolved(parent) && !this.#hasRoomForUnresolved();
    const id = isBeyond ? -1 : this.#tree.ensure(batch, record.firstName + index);
    if (id >= 0) return id;
    this.#counters.refused += record.nameCount - index;
    if (isBeyond) this.#counters.unresolved += record.nameCount - index;
    return -1;
  }

  /** As {@link #chain} for what a cache wrote of itself: some blocks have keys, and each says which tiers hold it. */
  #restore(batch: EventBatch, record: EventRecord, group: GroupCopies): void {
    const { content, columns, keys: maker } = this.#tree;
    const first = this.#parent(batch, record);
    if (first === undefined) return;
    const keys = keysOf(batch, record);
    let keyAt = 0;
    const source = this.#source;
    source.tokens = batch.tokens;
    source.from = record.firstToken;
    source.length = record.blockTokens;
    maker.beginRun();
    let parent = first;
    for (let i = 0; i < record.nameCount; i += 1) {
      this.#tree.tip = parent;
      const id = this.#next(batch, record, i, parent);
      if (id < 0) break;
      const end = columns.startAfter(parent) + record.blockTokens;
      const hasKey = keyAt < keys.byteLength && end === columns.segmentTokens;
      if (!hasKey && source.from + source.length > record.firstToken + record.tokenCount) {
        this.#counters.malformed += 1;
        this.#tree.release(id);
        break;
      }
      source.media = record.extraKeys?.media.filter(({ block }) => block === i);
      const described = hasKey
        ? content.describeByKey(id, parent, record.blockTokens, keys, keyAt)
        : content.describe(id, parent, source);
      if (hasKey) keyAt += KEY_BYTES;
      else source.from += record.blockTokens;
      if (described === Described.CONFLICT) {
        this.#counters.mismatched += record.nameCount - i;
        this.#tree.release(id);
        break;
      }
      if (described === Described.PENDING) this.#counters.unresolved += 1;
      this.#restoreCopies(group, id, batch.payload[record.tiersFrom + i] ?? 0);
      parent = id;
    }
    this.#tree.tip = NO_PARENT;
    this.#letGo(first);
  }

  #restoreCopies(group: GroupCopies, id: number, tiers: number): void {
    for (let tier = 0; tier < ENGINE_TIERS; tier += 1) {
      if ((tiers & (1 << tier)) !== 0) this.#tree.addCopy(group, id, tier);
    }
    // Somebody comes after it, or it would not be in the snapshot.
    if (tiers === 0 && this.#tree.columns.isIdle(id)) this.#tree.columns.set(id, Flag.PINNED);
  }

  /** The block or root that an event's blocks come after, held until it is let go. */
  #parent(batch: EventBatch, record: EventRecord): number | undefined {
    const tree = this.#tree;
    if (record.parent < 0) {
      const root = tree.roots.ensure(record.adapter, record.extraKeys?.salt ?? record.salt);
      tree.roots.attach(root);
      return rootParent(root);
    }
    const id = tree.ensure(batch, record.parent);
    if (id < 0) {
      this.#counters.refused += record.nameCount;
      return undefined;
    }
    tree.hold(id);
    tree.content.assume(id);
    return id;
  }

  #letGo(parent: number): void {
    if (parent < 0) this.#tree.roots.detach(rootOf(parent));
    else this.#tree.unhold(parent);
  }

  #isResolved(id: number): boolean {
    return this.#tree.columns.has(id, Flag.RESOLVED);
  }

  #hasRoomForUnresolved(): boolean {
    return this.#tree.unresolvedBlocks < this.#options.maxUnresolvedBlocks;
  }
}

/** The first block that has something in it that no key can express. */
function firstOpaque({ extraKeys, blockTokens }: EventRecord): number {
  let first = extraKeys?.opaqueFrom ?? Infinity;
  for (const { block, offset } of extraKeys?.media ?? []) {
    if (offset >= blockTokens) first = Math.min(first, block);
  }
  return first;
}

function keysOf({ payload }: EventBatch, record: EventRecord): DataView {
  return new DataView(payload.buffer, payload.byteOffset + record.keysFrom, record.keysLength);
}
