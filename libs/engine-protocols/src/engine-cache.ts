import { KEY_BYTES, keyAt, keyHex, rootKey, sameKey, segmentKeys } from '@baton/kv';
import { hashBytes } from './vllm-events-decode.ts';
import type { EngineCacheEvent, StoredBlocks } from './vllm-events-decode.ts';

export interface EngineCacheOptions {
  /** Identity of tokenizer and template; part of every root key. */
  tokenization: string;
  segmentTokens: number;
}

export interface EngineCacheCounters {
  /** Blocks whose hash is not the key that follows from their tokens and parent: not announced. */
  mismatched: number;
  /** Blocks whose parent or content is not known: not announced. */
  unresolved: number;
  /** Blocks of other tiers, groups or kinds. */
  ignored: number;
}

/** What changed in the set of segments that the engine holds; hex keys. */
export interface EngineCacheChange {
  stored: string[];
  removed: string[];
}

const DEVICE = 'GPU';
const FULL_ATTENTION = new Set(['full_attention', 'mla_attention']);

/**
 * The segments in an engine's own cache, followed through its events. Keys are computed from token ids and parents.
 * Copies of a block are counted: it is gone when all of them are.
 *
 * Blocks of one segment whose hash is the segment key itself, as Baton's engine has them, are understood so far.
 */
export class EngineCache {
  readonly counters: EngineCacheCounters = { mismatched: 0, unresolved: 0, ignored: 0 };
  readonly #options: EngineCacheOptions;
  readonly #copies = new Map<string, number>();

  constructor(options: EngineCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#copies.size;
  }

  has(key: string): boolean {
    return this.#copies.has(key);
  }

  apply(event: EngineCacheEvent): EngineCacheChange {
    switch (event.type) {
      case 'stored':
        return { stored: this.#stored(event), removed: [] };
      case 'removed':
        if (!isDevice(event)) this.counters.ignored += event.hashes.length;
        return { stored: [], removed: isDevice(event) ? this.#removed(event.hashes) : [] };
      case 'cleared':
        return { stored: [], removed: this.clear() };
    }
  }

  /** Forgets everything; the keys that were held. */
  clear(): string[] {
    const keys = [...this.#copies.keys()];
    this.#copies.clear();
    return keys;
  }

  #stored(event: StoredBlocks): string[] {
    const { hashes, tokens, blockSize, specKind } = event;
    if (!isDevice(event) || (specKind !== undefined && !FULL_ATTENTION.has(specKind))) {
      this.counters.ignored += hashes.length;
      return [];
    }
    const parent = this.#parentKey(event);
    const isWhole = blockSize === this.#options.segmentTokens;
    if (!parent || !isWhole || tokens.length !== hashes.length * blockSize) {
      this.counters.unresolved += hashes.length;
      return [];
    }
    const keys = segmentKeys(parent, tokens, blockSize);
    const stored: string[] = [];
    for (const [i, hash] of hashes.entries()) {
      const claimed = hashBytes(hash);
      if (!claimed || !sameKey(claimed, keyAt(keys, i))) {
        this.counters.mismatched += hashes.length - i;
        break;
      }
      const key = keyHex(claimed);
      const copies = this.#copies.get(key) ?? 0;
      this.#copies.set(key, copies + 1);
      if (copies === 0) stored.push(key);
    }
    return stored;
  }

  #removed(hashes: readonly string[]): string[] {
    const removed: string[] = [];
    for (const hash of hashes) {
      const key = hash.slice(1);
      const copies = hash.startsWith('b') ? this.#copies.get(key) : undefined;
      if (copies === undefined) continue;
      if (copies > 1) this.#copies.set(key, copies - 1);
      else if (this.#copies.delete(key)) removed.push(key);
    }
    return removed;
  }

  #parentKey(event: StoredBlocks): Uint8Array | undefined {
    if (event.parent !== undefined) {
      const parent = hashBytes(event.parent);
      return parent?.length === KEY_BYTES ? parent : undefined;
    }
    const { adapter } = event;
    const extra = (event.extraKeys[0] ?? []).filter((key) => key !== adapter);
    const salt = extra[0];
    // Anything but one salt (media, prompt embeddings) is not in our keys.
    if (extra.length > 1 || (salt !== undefined && typeof salt !== 'string')) return undefined;
    return rootKey({ tokenization: this.#options.tokenization, adapter, salt });
  }
}

function isDevice(event: { medium: string | undefined; group: number }): boolean {
  return (event.medium === undefined || event.medium === DEVICE) && event.group === 0;
}
