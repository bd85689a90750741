import { LlamaContext, MAX_SEQUENCES } from '@baton/llama';
import type { LlamaModel } from '@baton/llama';
import { CachedSequence } from './cached-sequence.ts';
import type { Completion, ComputePiece, KvMemory, KvSequence } from './kv-memory.ts';
import type { LogitsAt } from './token-sampling.ts';
import { PrefixCache } from './prefix-cache.ts';
import type { CachedSegment } from './prefix-cache.ts';

export interface SharedKvMemoryOptions {
  model: LlamaModel;
  cells: number;
  maxSequences: number;
  segmentTokens: number;
  /** Most prompt tokens of one step, the excess of the last piece included. */
  maxPrefillTokens: number;
  threads: number;
  /** Called with keys of segments that leave the cache. */
  onRemoved: (key: Uint8Array) => void;
}

/** Sequence ids beyond those of running sequences: one for each leaf of the cache. */
const CHAIN_IDS = 128;

/** Sequence ids through which a segment's cells can be reached; never empty. */
type Holders = Set<number>;
type Segment = CachedSegment<Holders>;

/**
 * One context with one unified cache. A cached segment is 64 cells that carry the id of every sequence and of every
 * finished chain through it; a chain that ends keeps the id of the sequence that made it, so finishing copies nothing.
 * Each segment's KV exists once: what two sequences computed at the same time is made one when it is completed.
 */
export class SharedKvMemory implements KvMemory<LogitsAt> {
  readonly capacityBlocks: number;
  readonly cachesDecoded = true;
  readonly decodesAlone = false;
  readonly segmentBytes: number;
  readonly bytesPerToken: number;
  readonly segmentTokens: number;
  readonly context: LlamaContext;
  readonly cache = new PrefixCache<Holders>();
  readonly #running = new Set<SharedSequence>();
  readonly #freeIds: number[];
  /** Ids of finished chains, with the last segment of each. */
  readonly #chains = new Map<number, Segment>();
  readonly #onRemoved: (key: Uint8Array) => void;

  constructor(options: SharedKvMemoryOptions) {
    const { segmentTokens, maxSequences } = options;
    const ids = Math.min(MAX_SEQUENCES, maxSequences + CHAIN_IDS);
    this.segmentTokens = segmentTokens;
    this.context = new LlamaContext(options.model, {
      cells: options.cells,
      sequences: ids,
      batchTokens: options.maxPrefillTokens + maxSequences,
      outputs: maxSequences,
      threads: options.threads,
    });
    this.capacityBlocks = Math.floor(this.context.cells / segmentTokens);
    this.segmentBytes = this.context.rangeBytes(segmentTokens);
    this.bytesPerToken = this.context.layout.cellBytes;
    this.#freeIds = Array.from({ length: ids }, (_, i) => ids - i);
    this.#onRemoved = options.onRemoved;
  }

  get usedBlocks(): number {
    let own = 0;
    for (const sequence of this.#running) {
      own += sequence.length - sequence.cachedSegments * this.segmentTokens;
    }
    return this.cache.size - this.cache.evictable + Math.ceil(own / this.segmentTokens);
  }

  get cachedCells(): number {
    return this.cache.size * this.segmentTokens;
  }

  /** Cells that are neither cached nor promised to a running sequence. */
  get freeCells(): number {
    let promised = 0;
    for (const sequence of this.#running) promised += sequence.ownCells;
    return this.context.cells - this.cachedCells - promised;
  }

  /** Ids in use by finished chains; at rest all others are free. */
  get chainCount(): number {
    return this.#chains.size;
  }

  open(): KvSequence | undefined {
    while (this.#freeIds.length === 0) if (!this.evict()) return undefined;
    const sequence = new SharedSequence(this, this.#freeIds.pop() ?? 0);
    this.#running.add(sequence);
    return sequence;
  }

  compute(pieces: readonly ComputePiece[]): (LogitsAt | undefined)[] {
    const { batch } = this.context;
    batch.clear();
    const results = pieces.map((piece): LogitsAt | undefined => {
      const { sequence, tokens, from, wantsLogits } = piece;
      const { id } = sequence as SharedSequence;
      let index = -1;
      tokens.forEach((token, i) => {
        index = batch.add(token, from + i, id, wantsLogits && i === tokens.length - 1);
      });
      return wantsLogits ? { context: this.context, index } : undefined;
    });
    if (this.context.decode() === 'no_cells') throw new Error('the KV memory is full');
    for (const { sequence, tokens } of pieces) (sequence as SharedSequence).length += tokens.length;
    return results;
  }

  exportCached(key: Uint8Array, into: Uint8Array): number | undefined {
    const segment = this.cache.get(key);
    if (segment === undefined) return undefined;
    this.cache.touch(segment);
    const from = segment.index * this.segmentTokens;
    return this.context.exportRange(holder(segment), from, from + this.segmentTokens, into);
  }

  close(): void {
    this.context.close();
  }

  /** Frees cells until so many are free; false, and nothing is lost, when that cannot be. */
  makeRoom(cells: number): boolean {
    if (this.freeCells + this.cache.evictable * this.segmentTokens < cells) return false;
    while (this.freeCells < cells) if (!this.evict()) return false;
    return true;
  }

  /** Removes the least recently used leaf of the cache. */
  evict(): boolean {
    const segment = this.cache.evictLeaf();
    if (segment === undefined) return false;
    // Nobody runs through an evictable leaf, so the one chain that ends there holds it.
    const id = holder(segment);
    const from = segment.index * this.segmentTokens;
    this.context.remove(id, from, from + this.segmentTokens);
    this.#chains.delete(id);
    if (segment.parent !== undefined) this.#endChain(id, segment.parent);
    else this.#freeIds.push(id);
    this.#onRemoved(segment.key);
    return true;
  }

  /** Lets a sequence run through a cached segment, its next one. */
  join(sequence: SharedSequence, segment: Segment): void {
    const from = segment.index * this.segmentTokens;
    this.context.share(holder(segment), sequence.id, from, from + this.segmentTokens);
    segment.payload.add(sequence.id);
    // A chain that ends here is a part of this sequence now.
    for (const id of segment.payload) if (this.#chains.get(id) === segment) this.#drop(id, segment);
  }

  /** A running sequence ends: its cached part becomes a chain unless another one covers it. */
  end(sequence: SharedSequence): void {
    this.#running.delete(sequence);
    const { id, last } = sequence;
    this.context.remove(id, sequence.cachedSegments * this.segmentTokens);
    if (last === undefined) {
      this.#freeIds.push(id);
      return;
    }
    this.#endChain(id, last);
  }

  #endChain(id: number, last: Segment): void {
    if (last.payload.size > 1) this.#drop(id, last);
    else this.#chains.set(id, last);
  }

  #drop(id: number, last: Segment): void {
    for (let segment: Segment | undefined = last; segment; segment = segment.parent) {
      segment.payload.delete(id);
    }
    this.context.remove(id);
    this.#chains.delete(id);
    this.#freeIds.push(id);
  }
}

class SharedSequence extends CachedSequence<Holders> {
  readonly #memory: SharedKvMemory;
  /** Positions below this one have a cell, or the promise of one. */
  #reserved = 0;

  constructor(memory: SharedKvMemory, id: number) {
    super(memory.context, id, memory.cache);
    this.#memory = memory;
  }

  /** Cells that this sequence does not share with the cache. */
  get ownCells(): number {
    return Math.max(0, this.#reserved - this.cachedSegments * this.#memory.segmentTokens);
  }

  adopt(key: Uint8Array): boolean {
    const { cache, segmentTokens } = this.#memory;
    const segment = this.next(key, segmentTokens);
    if (segment === undefined) return false;
    this.#memory.join(this, segment);
    cache.touch(segment);
    this.extend(segment);
    this.length += segmentTokens;
    this.#reserved = Math.max(this.#reserved, this.length);
    return true;
  }

  reserve(tokens: number): boolean {
    if (tokens <= this.#reserved) return true;
    if (!this.#memory.makeRoom(tokens - this.#reserved)) return false;
    this.#reserved = tokens;
    return true;
  }

  override import(bytes: Uint8Array, to: number): string | undefined {
    return to > this.#reserved ? 'no room' : super.import(bytes, to);
  }

  complete(key: Uint8Array): Completion {
    const { cache, context, segmentTokens } = this.#memory;
    const from = this.cachedSegments * segmentTokens;
    const known = cache.get(key);
    if (known === undefined) {
      this.extend(cache.insert(this.last, key, new Set([this.id])));
      return 'stored';
    }
    context.remove(this.id, from, from + segmentTokens);
    this.#memory.join(this, known);
    this.extend(known);
    return 'known';
  }

  protected end(): void {
    this.#memory.end(this);
  }
}

function holder(segment: Segment): number {
  const [id] = segment.payload;
  if (id === undefined) throw new Error('a cached segment has no sequence');
  return id;
}
