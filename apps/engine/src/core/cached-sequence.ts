import type { LlamaContext } from '@baton/llama';
import type { Completion, KvSequence } from './kv-memory.ts';
import type { CachedSegment, PrefixCache } from './prefix-cache.ts';

/** What running sequences have in common, wherever their KV lies: the path of cached segments that they pin. */
export abstract class CachedSequence<P> implements KvSequence {
  /** The sequence's number in its context. */
  readonly id: number;
  readonly context: LlamaContext;
  length = 0;
  cachedSegments = 0;
  /** The cached segment that this sequence has reached. */
  last: CachedSegment<P> | undefined;
  readonly #cache: PrefixCache<P>;
  #released = false;

  constructor(context: LlamaContext, id: number, cache: PrefixCache<P>) {
    this.context = context;
    this.id = id;
    this.#cache = cache;
  }

  abstract adopt(key: Uint8Array): boolean;
  abstract reserve(tokens: number): boolean;
  abstract complete(key: Uint8Array): Completion;
  /** Called once, when the sequence is released. */
  protected abstract end(): void;

  import(bytes: Uint8Array, to: number): string | undefined {
    const fault = this.context.importRange(this.id, this.length, to, bytes);
    if (fault === undefined) this.length = to;
    return fault;
  }

  export(from: number, to: number, into: Uint8Array): number {
    return this.context.exportRange(this.id, from, to, into);
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    if (this.last !== undefined) {
      this.#cache.touch(this.last);
      this.#cache.unpinPath(this.last);
    }
    this.end();
  }

  /** The next cached segment, where everything before it is cached and computed; else undefined. */
  protected next(key: Uint8Array, segmentTokens: number): CachedSegment<P> | undefined {
    const segment = this.#cache.get(key);
    const isNext = segment?.index === this.cachedSegments;
    return isNext && this.length === this.cachedSegments * segmentTokens ? segment : undefined;
  }

  /** Goes on through a segment, which stays in the cache from now on. */
  protected extend(segment: CachedSegment<P>): void {
    this.#cache.pin(segment);
    this.last = segment;
    this.cachedSegments += 1;
  }
}
