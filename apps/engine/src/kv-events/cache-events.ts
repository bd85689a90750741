import type { CacheEvent } from '@baton/engine-protocols';
import { keyHex, unpackKeys } from '@baton/kv';
import type { InferenceEvent } from '../core/inference-port.ts';

/** Salted roots that are remembered, so that events of their chains can name the salt. */
const MAX_SALTED_ROOTS = 4096;

/** Turns what the inference thread says about its cache into KV events. */
export class CacheEvents {
  readonly #segmentTokens: number;
  readonly #saltOfRoot = new Map<string, string>();

  constructor(segmentTokens: number) {
    this.#segmentTokens = segmentTokens;
  }

  /** A request with this salt is about to run; the root that was used least recently is forgotten. */
  noteSalt(rootKey: Uint8Array, salt: string): void {
    const hex = keyHex(rootKey);
    this.#saltOfRoot.delete(hex);
    this.#saltOfRoot.set(hex, salt);
    const oldest = this.#saltOfRoot.keys().next();
    if (this.#saltOfRoot.size > MAX_SALTED_ROOTS && !oldest.done) {
      this.#saltOfRoot.delete(oldest.value);
    }
  }

  /** Nothing for an event that says nothing about the cache. */
  of(event: InferenceEvent): CacheEvent[] {
    switch (event.type) {
      case 'stored':
        return [this.#stored(event)];
      case 'removed':
        return unpackKeys(event.keys).map((blockHash) => ({ type: 'BlockRemoved', blockHash }));
      case 'cleared':
        return [{ type: 'AllBlocksCleared' }];
      default:
        return [];
    }
  }

  #stored(event: Extract<InferenceEvent, { type: 'stored' }>): CacheEvent {
    const blockHashes = unpackKeys(event.keys);
    const salt = event.isChainStart ? this.#saltOfRoot.get(keyHex(event.parentKey)) : undefined;
    return {
      type: 'BlockStored',
      blockHashes,
      parentBlockHash: event.isChainStart ? null : event.parentKey,
      tokenIds: event.tokens,
      blockSize: this.#segmentTokens,
      extraKeys: blockHashes.map((_, i) => (i === 0 && salt !== undefined ? [salt] : null)),
    };
  }
}
