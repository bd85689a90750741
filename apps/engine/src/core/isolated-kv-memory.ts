import { LlamaContext } from '@baton/llama';
import type { LlamaModel } from '@baton/llama';
import { CachedSequence } from './cached-sequence.ts';
import type { Completion, ComputePiece, KvMemory, KvSequence } from './kv-memory.ts';
import type { LogitsAt } from './token-sampling.ts';
import { PrefixCache } from './prefix-cache.ts';

export interface IsolatedKvMemoryOptions {
  model: LlamaModel;
  /** Tokens of cached segments. */
  cells: number;
  maxSequences: number;
  /** Tokens that one sequence can have. */
  maxModelTokens: number;
  segmentTokens: number;
  threads: number;
  /** Called with keys of segments that leave the cache. */
  onRemoved: (key: Uint8Array) => void;
}

const SEQUENCE = 1;

/**
 * The reproducible mode: a context for each running sequence, made when it is first needed, in which positions lie in
 * their order and nothing else lies between. The cache holds segments as bytes; a hit is an import, bit for bit. What
 * was computed token by token is not cached: computed in one piece it could differ in the last bits.
 */
export class IsolatedKvMemory implements KvMemory<LogitsAt> {
  readonly capacityBlocks: number;
  readonly cachesDecoded = false;
  readonly decodesAlone = true;
  readonly segmentBytes: number;
  readonly bytesPerToken: number;
  readonly cache = new PrefixCache<Uint8Array>();
  readonly options: IsolatedKvMemoryOptions;
  readonly #idle: LlamaContext[] = [];
  readonly #running = new Set<IsolatedSequence>();

  constructor(options: IsolatedKvMemoryOptions) {
    this.options = options;
    this.capacityBlocks = Math.floor(options.cells / options.segmentTokens);
    const first = this.#makeContext();
    this.segmentBytes = first.rangeBytes(options.segmentTokens);
    this.bytesPerToken = first.layout.cellBytes;
    this.#idle.push(first);
  }

  get usedBlocks(): number {
    let own = 0;
    for (const sequence of this.#running) {
      own += Math.ceil(sequence.length / this.options.segmentTokens) - sequence.cachedSegments;
    }
    return this.cache.size - this.cache.evictable + own;
  }

  open(): KvSequence | undefined {
    if (this.#running.size >= this.options.maxSequences) return undefined;
    const sequence = new IsolatedSequence(this, this.#idle.pop() ?? this.#makeContext());
    this.#running.add(sequence);
    return sequence;
  }

  compute(pieces: readonly ComputePiece[]): (LogitsAt | undefined)[] {
    return pieces.map(({ sequence, tokens, from, wantsLogits }) => {
      const own = sequence as IsolatedSequence;
      const { context } = own;
      const { batch } = context;
      batch.clear();
      const last = tokens.length - 1;
      tokens.forEach((token, i) => batch.add(token, from + i, SEQUENCE, wantsLogits && i === last));
      if (context.decode() === 'no_cells') throw new Error('the KV memory of a sequence is full');
      own.length += tokens.length;
      return wantsLogits ? { context, index: last } : undefined;
    });
  }

  exportCached(key: Uint8Array, into: Uint8Array): number | undefined {
    const segment = this.cache.get(key);
    if (segment === undefined) return undefined;
    this.cache.touch(segment);
    into.set(segment.payload);
    return segment.payload.length;
  }

  /** Room for one more cached segment. */
  makeRoom(): boolean {
    while (this.cache.size >= this.capacityBlocks) {
      const segment = this.cache.evictLeaf();
      if (segment === undefined) return false;
      this.options.onRemoved(segment.key);
    }
    return true;
  }

  end(sequence: IsolatedSequence): void {
    this.#running.delete(sequence);
    sequence.context.clear();
    this.#idle.push(sequence.context);
  }

  close(): void {
    for (const sequence of this.#running) sequence.context.close();
    for (const context of this.#idle.splice(0)) context.close();
  }

  #makeContext(): LlamaContext {
    return new LlamaContext(this.options.model, {
      cells: this.options.maxModelTokens,
      sequences: 1,
      batchTokens: this.options.segmentTokens,
      outputs: 1,
      threads: this.options.threads,
    });
  }
}

class IsolatedSequence extends CachedSequence<Uint8Array> {
  readonly #memory: IsolatedKvMemory;

  constructor(memory: IsolatedKvMemory, context: LlamaContext) {
    super(context, SEQUENCE, memory.cache);
    this.#memory = memory;
  }

  adopt(key: Uint8Array): boolean {
    const { cache, options } = this.#memory;
    const segment = this.next(key, options.segmentTokens);
    if (segment === undefined) return false;
    const to = this.length + options.segmentTokens;
    if (this.import(segment.payload, to) !== undefined) return false;
    cache.touch(segment);
    this.extend(segment);
    return true;
  }

  reserve(tokens: number): boolean {
    return tokens <= this.context.cells;
  }

  complete(key: Uint8Array): Completion {
    const { cache, options, segmentBytes } = this.#memory;
    const from = this.cachedSegments * options.segmentTokens;
    const known = cache.get(key);
    if (known !== undefined) {
      this.extend(known);
      return 'known';
    }
    if (!this.#memory.makeRoom()) return 'dropped';
    const bytes = new Uint8Array(segmentBytes);
    this.export(from, from + options.segmentTokens, bytes);
    this.extend(cache.insert(this.last, key, bytes));
    return 'stored';
  }

  protected end(): void {
    this.#memory.end(this);
  }
}
