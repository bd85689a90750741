import { keyHex, rootKey, segmentKeys, unpackKeys } from '@baton/kv';
import type { KeyScope, MediaItem } from '@baton/kv';
import { EngineCache } from '../events/engine-cache.ts';
import type { EngineCacheOptions } from '../events/engine-cache.ts';
import { EventDecoder } from '../events/event-decoder.ts';
import { batchOf } from './engine-messages.ts';
import type { Bytes } from './msgpack-bytes.ts';
import { RecordedSets } from './recorded-sets.ts';

export const TOKENIZATION = 'tok';

/** A cache that follows what a test says as an engine. */
export class FollowedEngine {
  readonly sink = new RecordedSets();
  readonly decoder = new EventDecoder();
  readonly cache: EngineCache;

  constructor(options: Partial<EngineCacheOptions> = {}) {
    this.cache = new EngineCache({
      tokenization: TOKENIZATION,
      segmentTokens: 64,
      sink: this.sink,
      ...options,
    });
  }

  /** One batch with these events. */
  say(...events: Bytes[]): void {
    const batch = this.decoder.decode(batchOf(events));
    if (!batch || batch.skipped > 0) throw new Error('the test says what cannot be read');
    this.cache.apply(batch);
  }
}

/** `count` token ids that no other start shares. */
export const tokensFrom = (start: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => start * 1_000 + i);

/** Hex keys of a prompt's segments. */
export function hexKeys(
  tokens: readonly number[],
  segmentTokens = 64,
  scope: Partial<KeyScope> = {},
  media?: readonly MediaItem[],
): string[] {
  const root = rootKey({ tokenization: TOKENIZATION, ...scope });
  return unpackKeys(segmentKeys(root, tokens, segmentTokens, media)).map(keyHex);
}
