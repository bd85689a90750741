import { KEY_BYTES } from '@baton/kv';
import { Flag, rootOf, rootParent } from './block-columns.ts';
import { Described } from './block-content.ts';
import type { BlockSource } from './block-content.ts';
import type { BlockTree } from './block-tree.ts';
import type { EngineCacheCounters } from './engine-cache-counters.ts';
import { ENGINE_TIERS, engineTierIndex } from './engine-tiers.ts';
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
    } else if (this.#fits(record)) this.#chain(batch, record, group);
    else this.#counters.malformed += 1;
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
    const { blockTokens, nameCount, tokenCount, extraKeys, keysLength } = record;
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
    // In a snapshot the blocks that end a segment have their key instead of their tokens.
    const keys = keysLength / KEY_BYTES;
    return Number.isInteger(keys) && tokenCount === (nameCount - keys) * blockTokens;
  }

  /** Copies of blocks of which the event says no more than the names. */
  #name(batch: EventBatch, record: EventRecord, group: GroupCopies, first: number): void {
    for (let i = first; i < record.nameCount; i += 1) {
      const id = this.#tree.ensure(batch, record.firstName + i);
      const isUnresolved = group.role === 'full' && !(id >= 0 && this.#isResolved(id));
      if (isUnresolved) this.#counters.unresolved += 1;
      if (id < 0 || (isUnresolved && !this.#hasRoomForUnresolved())) {
        this.#counters.refused += 1;
        if (id >= 0) this.#tree.release(id);
      } else this.#copy(group, id, record, i, batch);
    }
  }

  /** Blocks one after the other, with what is in them. */
  #chain(batch: EventBatch, record: EventRecord, group: GroupCopies): void {
    const tree = this.#tree;
    let parent = this.#parent(batch, record);
    if (parent === undefined) return;
    const opaqueFrom = firstOpaque(record);
    const end = Math.min(record.nameCount, opaqueFrom);
    const keys = keysOf(batch, record);
    let keyAt = 0;
    this.#source.tokens = batch.tokens;
    this.#source.from = record.firstToken;
    this.#source.length = record.blockTokens;
    for (let i = 0; i < end; i += 1) {
      const id = tree.ensure(batch, record.firstName + i);
      const isBeyond = this.#isBeyondUnresolved(parent);
      if (id < 0 || isBeyond) {
        this.#counters.refused += record.nameCount - i;
        if (isBeyond) this.#counters.unresolved += record.nameCount - i;
        if (id >= 0) tree.release(id);
        break;
      }
      const endsByKey = keys !== undefined && keyAt < keys.byteLength && this.#ends(parent, record);
      const described = endsByKey
        ? tree.content.describeByKey(id, parent, record.blockTokens, keys, keyAt)
        : this.#describe(id, parent, record, i);
      if (endsByKey) keyAt += KEY_BYTES;
      else this.#source.from += record.blockTokens;
      if (described === Described.CONFLICT) {
        this.#counters.mismatched += record.nameCount - i;
        tree.release(id);
        break;
      }
      if (described === Described.PENDING) this.#counters.unresolved += 1;
      this.#copy(group, id, record, i, batch);
      tree.hold(id);
      this.#letGo(parent);
      parent = id;
    }
    this.#letGo(parent);
    if (opaqueFrom < record.nameCount) this.#name(batch, record, group, opaqueFrom);
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

  #describe(id: number, parent: number, record: EventRecord, index: number): number {
    const media = record.extraKeys?.media;
    this.#source.media = media?.length ? media.filter(({ block }) => block === index) : undefined;
    return this.#tree.content.describe(id, parent, this.#source);
  }

  #copy(
    group: GroupCopies,
    id: number,
    record: EventRecord,
    index: number,
    batch: EventBatch,
  ): void {
    if (record.tiersLength === 0) {
      const isFirst = this.#tree.addCopy(group, id, engineTierIndex(record.tier));
      if (!isFirst) this.#counters.duplicates += 1;
      return;
    }
    const tiers = batch.payload[record.tiersFrom + index] ?? 0;
    for (let tier = 0; tier < ENGINE_TIERS; tier += 1) {
      if ((tiers & (1 << tier)) !== 0) this.#tree.addCopy(group, id, tier);
    }
    // Somebody comes after it, or it would not be in the snapshot.
    if (tiers === 0 && this.#tree.columns.isIdle(id)) this.#tree.columns.set(id, Flag.PINNED);
  }

  #ends(parent: number, record: EventRecord): boolean {
    const { columns } = this.#tree;
    return columns.startAfter(parent) + record.blockTokens === columns.segmentTokens;
  }

  #isResolved(id: number): boolean {
    return this.#tree.columns.has(id, Flag.RESOLVED);
  }

  #hasRoomForUnresolved(): boolean {
    return this.#tree.unresolvedBlocks < this.#options.maxUnresolvedBlocks;
  }

  #isBeyondUnresolved(parent: number): boolean {
    return parent >= 0 && !this.#isResolved(parent) && !this.#hasRoomForUnresolved();
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

function keysOf({ payload }: EventBatch, record: EventRecord): DataView | undefined {
  if (record.keysLength === 0) return undefined;
  return new DataView(payload.buffer, payload.byteOffset + record.keysFrom, record.keysLength);
}
