import { encodeBatch } from './batch-encode.ts';

/** As bytes, or as the unsigned integer of 64 bits that vLLM makes of them unless it is told otherwise. */
export type EventBlockHash = Uint8Array | bigint;

/** One block or several, in chain order, that entered the cache. */
export interface BlockStored {
  type: 'BlockStored';
  blockHashes: readonly EventBlockHash[];
  /** null at the start of a chain. */
  parentBlockHash: EventBlockHash | null;
  /** blockSize ids for each hash. */
  tokenIds: ArrayLike<number>;
  blockSize: number;
  /** One entry for each hash: what else its hash depends on, e.g. `['salt']` at the start of a salted chain. */
  extraKeys: readonly (readonly string[] | null)[];
  /** The LoRA adapter under which the blocks were computed. */
  adapter?: { id: number; name: string } | undefined;
}

export interface BlockRemoved {
  type: 'BlockRemoved';
  blockHash: EventBlockHash;
}

export interface AllBlocksCleared {
  type: 'AllBlocksCleared';
}

export type CacheEvent = BlockStored | BlockRemoved | AllBlocksCleared;

const MEDIUM = 'GPU';
const GROUP = 0;
const SPEC_KIND = 'full_attention';

/**
 * One batch as vLLM 0.32 sends it: the array `[seconds, events, rank]` with a map for each event. Block hashes that are
 * bytes are what VLLM_KV_EVENTS_USE_INT_BLOCK_HASHES=0 gives; the medium is always the device.
 */
export function encodeEventBatch(
  timestampSec: number,
  events: readonly CacheEvent[],
  rank: number,
): Uint8Array {
  return encodeBatch(timestampSec, events.map(eventMap), rank);
}

function eventMap(event: CacheEvent): Record<string, unknown> {
  switch (event.type) {
    case 'BlockStored':
      return {
        type: event.type,
        block_hashes: event.blockHashes,
        parent_block_hash: event.parentBlockHash,
        token_ids: Array.from(event.tokenIds),
        block_size: event.blockSize,
        lora_id: event.adapter?.id ?? null,
        medium: MEDIUM,
        lora_name: event.adapter?.name ?? null,
        extra_keys: event.extraKeys,
        group_idx: GROUP,
        kv_cache_spec_kind: SPEC_KIND,
      };
    case 'BlockRemoved':
      return {
        type: event.type,
        block_hashes: [event.blockHash],
        medium: MEDIUM,
        group_idx: GROUP,
      };
    case 'AllBlocksCleared':
      return { type: event.type };
  }
}
