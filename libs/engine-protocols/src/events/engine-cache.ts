import { KEY_BYTES, Tier } from '@baton/kv';
import { BlockTree } from './block-tree.ts';
import { noCounts } from './engine-cache-counters.ts';
import type { EngineCacheCounters } from './engine-cache-counters.ts';
import { engineTierIndex, holdingOf, HOLDINGS } from './engine-tiers.ts';
import { EventApplier } from './event-applier.ts';
import type { EventBatch, EventRecord } from './event-batch.ts';
import { GroupNews, GroupRegistry } from './group-registry.ts';
import { KeyOutput } from './key-output.ts';
import type { EngineCacheSink } from './key-output.ts';
import { segmentKeySource } from './key-source.ts';
import type { KeySource } from './key-source.ts';
import type { SegmentStore } from './segment-slots.ts';
import { writeSnapshot } from './snapshot-writer.ts';

export interface EngineCacheOptions {
  /** Identity of tokenizer and template; part of every root key. */
  tokenization: string;
  /** Which weights an adapter's name stands for now; without it names alone tell adapters apart. */
  adapterRevision?: ((name: string) => string | undefined) | undefined;
  /** Keys of another kind, for whoever keeps them to itself. */
  keys?: KeySource | undefined;
  /** 1 to 65,535. Engine blocks fold into segments where their size divides this. */
  segmentTokens: number;
  sink: EngineCacheSink;
  /** Where segments are kept, when others look into the same store. */
  segments?: SegmentStore | undefined;
  /** Names of blocks are the keys of the segments that they end, as with Baton's own engine. */
  hashesAreKeys?: boolean | undefined;
  /** Sliding-window and state groups are followed, and resume points told. Without it a model that has any is refused. */
  hybrid?: boolean | undefined;
  /** What the engine said of its block size; others are counted. */
  blockTokens?: number | undefined;
  /** Blocks of which something is remembered. */
  maxBlocks?: number | undefined;
  /** Blocks among them whose content is not known. */
  maxUnresolvedBlocks?: number | undefined;
}

const MAX_SEGMENT_TOKENS = 0xffff;
const MAX_BLOCKS = 2 ** 21;
const MAX_UNRESOLVED_BLOCKS = 2 ** 16;
const SNAPSHOT_BYTES = 2 ** 20;

/**
 * The segments in the cache of one rank of an engine, followed through its events. Engine blocks of any size that
 * divides a segment fold into segments; keys are computed from token ids and parents, so that nothing depends on how
 * the engine hashes. Copies of a block are counted: it is gone from a tier when all of them are.
 *
 * What does not fit is counted and left out; nothing throws. Memory: about 60 bytes for a block, 4 more for each token
 * of those that do not end a segment.
 */
export class EngineCache {
  readonly #options: EngineCacheOptions;
  readonly #output: KeyOutput;
  readonly #registry = new GroupRegistry();
  readonly #counters = noCounts();
  #tree: BlockTree;
  #applier: EventApplier;
  #evictedBefore = 0;
  #hybridRefused = false;

  /** @throws RangeError when `segmentTokens` is out of its range. */
  constructor(options: EngineCacheOptions) {
    const { segmentTokens } = options;
    if (!(segmentTokens <= MAX_SEGMENT_TOKENS)) {
      throw new RangeError(`segmentTokens must be at most ${MAX_SEGMENT_TOKENS}`);
    }
    this.#options = options;
    this.#output = new KeyOutput(options.sink);
    this.#tree = this.#newTree();
    this.#applier = this.#newApplier();
  }

  get counters(): Readonly<EngineCacheCounters> {
    const { unresolvedBlocks, evicted } = this.#tree;
    return { ...this.#counters, unresolvedBlocks, evicted: this.#evictedBefore + evicted };
  }

  /** Tokens of an engine block, as the last event that said it has it. */
  get blockTokens(): number | undefined {
    return this.#applier.blockTokens;
  }

  /** A model with other groups than full attention has shown itself, and nothing is told of it until a reset. */
  get hybridRefused(): boolean {
    return this.#hybridRefused;
  }

  /** Names of blocks that are known. */
  get blocks(): number {
    return this.#tree.columns.names.size;
  }

  /** Applies all events of a batch, in order. When it returns the sink has heard everything. */
  apply(batch: EventBatch): void {
    for (let i = 0; i < batch.eventCount; i += 1) {
      const record = batch.records[i] as EventRecord;
      if (this.#hybridRefused) this.#counters.ignored += record.nameCount;
      else if (record.type === 'cleared') this.clear(Tier.HBM);
      else if (record.tier === 0) this.#counters.ignored += record.nameCount;
      else if (record.type === 'removed') this.#remove(batch, record);
      else this.#store(batch, record);
    }
    this.#output.flush();
  }

  /** Forgets what is held in a tier that an engine speaks of. */
  clear(tier: Tier): void {
    const index = engineTierIndex(tier);
    if (index < 0) return;
    this.#output.flush();
    if (this.#tree.isOnlyIn(index)) this.#renew();
    else this.#tree.clear(index);
    this.#output.clear(holdingOf(index, false));
    this.#output.clear(holdingOf(index, true));
  }

  /** Forgets everything: the engine has restarted, or events are lost. */
  reset(): void {
    this.#registry.groups = [];
    this.#hybridRefused = false;
    this.#forgetAll();
  }

  /** Segments held in a tier, or resume points in it. */
  segments(tier: Tier, resumePoints = false): number {
    const index = engineTierIndex(tier);
    return index < 0 ? 0 : (this.#output.held[holdingOf(index, resumePoints)] ?? 0);
  }

  /** Packed keys of the segments held in a tier, in no order: what the sink was told and not taken back. */
  heldKeys(tier: Tier, resumePoints = false): Uint8Array {
    const keys = new Uint8Array(this.segments(tier, resumePoints) * KEY_BYTES);
    const view = new DataView(keys.buffer);
    const holding = holdingOf(engineTierIndex(tier), resumePoints);
    const { segments } = this.#tree;
    let at = 0;
    for (let slot = 0; at < keys.length && slot < segments.idEnd; slot += 1) {
      if (!segments.isHeld(slot, holding)) continue;
      segments.write(slot, view, at);
      at += KEY_BYTES;
    }
    return keys;
  }

  /** Place in the store of the segment that a block ends, by a name as `readBlockName` takes it; -1 for any other. */
  segmentOfBlock(words: Uint32Array, at: number, kind: number): number {
    const { columns } = this.#tree;
    const id = columns.names.find(
      words[at] as number,
      words[at + 1] as number,
      words[at + 2] as number,
      words[at + 3] as number,
      kind,
    );
    return id < 0 || !columns.endsSegment(id) ? -1 : (columns.slot[id] as number);
  }

  /**
   * Everything that it knows, as payloads for a decoder of the dialect 'snapshot'; an empty cache that applies them is
   * as this one is. Each has about `maxBytes`. Nothing may be applied while they are taken.
   */
  snapshot(maxBytes = SNAPSHOT_BYTES): Generator<Uint8Array, void, undefined> {
    return writeSnapshot(this.#tree, maxBytes);
  }

  #store(batch: EventBatch, record: EventRecord): void {
    if (record.nameCount === 0 && !record.isSnapshot) {
      this.#counters.malformed += 1;
      return;
    }
    const news = this.#registry.learn(record, this.#tree.columns.capacity);
    if (news !== GroupNews.NONE) this.#groupsChanged(news);
    const group = this.#registry.find(record.group);
    if (this.#hybridRefused || group === undefined) {
      this.#counters.ignored += record.nameCount;
      return;
    }
    this.#applier.store(batch, record, group);
    this.#tree.settle();
  }

  #remove(batch: EventBatch, record: EventRecord): void {
    const group = this.#registry.find(record.group);
    if (group === undefined) {
      this.#counters.absent += record.nameCount;
      return;
    }
    this.#applier.remove(batch, record, group);
    this.#tree.settle();
  }

  #groupsChanged(news: number): void {
    this.#hybridRefused = this.#registry.isHybrid && this.#options.hybrid !== true;
    if (this.#hybridRefused || news === GroupNews.OTHER_ROLE) this.#forgetAll();
    else this.#tree.setGroups(this.#registry.groups);
  }

  #forgetAll(): void {
    this.#output.flush();
    this.#renew();
    for (let holding = 0; holding < HOLDINGS; holding += 1) this.#output.clear(holding);
  }

  /** A new tree without blocks, so that the memory of the old one is given back. */
  #renew(): void {
    const { blockTokens } = this.#applier;
    this.#evictedBefore += this.#tree.evicted;
    if (this.#options.segments !== undefined) this.#tree.leave();
    this.#tree = this.#newTree();
    this.#registry.empty(this.#tree.columns.capacity);
    this.#tree.setGroups(this.#registry.groups);
    this.#applier = this.#newApplier();
    this.#applier.blockTokens = blockTokens;
  }

  #newTree(): BlockTree {
    const { tokenization, segmentTokens, hashesAreKeys, hybrid, maxBlocks } = this.#options;
    const { adapterRevision } = this.#options;
    return new BlockTree({
      keys: this.#options.keys ?? segmentKeySource(tokenization, segmentTokens, adapterRevision),
      segments: this.#options.segments,
      segmentTokens,
      hashesAreKeys: hashesAreKeys ?? false,
      hybrid: hybrid ?? false,
      maxBlocks: maxBlocks ?? MAX_BLOCKS,
      output: this.#output,
    });
  }

  #newApplier(): EventApplier {
    return new EventApplier({
      tree: this.#tree,
      counters: this.#counters,
      hashesAreKeys: this.#options.hashesAreKeys ?? false,
      expectedBlockTokens: this.#options.blockTokens,
      maxUnresolvedBlocks: this.#options.maxUnresolvedBlocks ?? MAX_UNRESOLVED_BLOCKS,
    });
  }
}
