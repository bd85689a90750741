import { encodeEventBatch } from '@baton/engine-protocols';
import type { CacheEvent } from '@baton/engine-protocols';
import { keyHex, rootKey, segmentKeys, unpackKeys } from '@baton/kv';

export const TOKENIZATION = 'test-tokens';
export const SEGMENT_TOKENS = 64;
export const BLOCK_TOKENS = 16;
const BLOCKS = SEGMENT_TOKENS / BLOCK_TOKENS;

/** A prompt of whole segments, as an engine's blocks and as segment keys. */
export class TestPrompt {
  readonly keys: string[];
  readonly #seed: number;
  readonly #tokens: number[];

  constructor(seed: number, segments: number) {
    this.#seed = seed;
    this.#tokens = Array.from({ length: segments * SEGMENT_TOKENS }, (_, i) => seed * 10_000 + i);
    const root = rootKey({ tokenization: TOKENIZATION });
    this.keys = unpackKeys(segmentKeys(root, this.#tokens, SEGMENT_TOKENS)).map(keyHex);
  }

  /** Segments from one up to another enter the cache. */
  stored(from = 0, to = this.keys.length): CacheEvent {
    const blocks = Array.from({ length: (to - from) * BLOCKS }, (_, i) => from * BLOCKS + i);
    return {
      type: 'BlockStored',
      blockHashes: blocks.map((block) => this.#hash(block)),
      parentBlockHash: from === 0 ? null : this.#hash(from * BLOCKS - 1),
      tokenIds: this.#tokens.slice(from * SEGMENT_TOKENS, to * SEGMENT_TOKENS),
      blockSize: BLOCK_TOKENS,
      extraKeys: blocks.map(() => null),
    };
  }

  /** The last block of a segment leaves it. */
  removed(segment: number): CacheEvent {
    return { type: 'BlockRemoved', blockHash: this.#hash(segment * BLOCKS + BLOCKS - 1) };
  }

  /** Hashes of no meaning: keys follow from tokens and parents. */
  #hash(block: number): Uint8Array {
    const hash = Buffer.alloc(32, this.#seed);
    hash.writeUInt32BE(block);
    return hash;
  }
}

let stamp = 1_700_000_000;

/** A batch; no two are alike, as with engines, which write down the time. */
export function batchOf(...events: CacheEvent[]): Uint8Array {
  stamp += 0.001;
  return encodeEventBatch(stamp, events, 0);
}
