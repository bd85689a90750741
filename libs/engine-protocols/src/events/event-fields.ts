import { Tier } from '@baton/kv';
import { WordTable } from './word-table.ts';

/**
 * Whose events are read. 'snapshot' is what a cache writes of itself: maps as vLLM sends them, with two fields more
 * that nobody else may claim.
 */
export type EventDialect = 'vllm' | 'sglang' | 'snapshot';

/** Fields of events, whatever their dialect and encoding. */
export const Field = {
  /** Passed over: unknown, or of no use here. */
  OTHER: 0,
  TYPE: 1,
  BLOCK_HASHES: 2,
  PARENT: 3,
  TOKEN_IDS: 4,
  BLOCK_SIZE: 5,
  LORA_ID: 6,
  MEDIUM: 7,
  LORA_NAME: 8,
  EXTRA_KEYS: 9,
  GROUP_IDX: 10,
  SPEC_KIND: 11,
  SLIDING_WINDOW: 12,
  /** SGLang's map with the salt and the session. */
  METADATA: 13,
  CACHE_SALT: 14,
  /** Keys of those blocks of the event that end a segment. */
  SEGMENT_KEYS: 15,
  /** For each block a byte with the tiers that hold it. */
  TIERS: 16,
} as const;

export const EventType = { STORED: 1, REMOVED: 2, CLEARED: 3 } as const;

export const eventTypes = new WordTable({
  BlockStored: EventType.STORED,
  BlockRemoved: EventType.REMOVED,
  AllBlocksCleared: EventType.CLEARED,
});

const wireFields = {
  type: Field.TYPE,
  block_hashes: Field.BLOCK_HASHES,
  parent_block_hash: Field.PARENT,
  token_ids: Field.TOKEN_IDS,
  block_size: Field.BLOCK_SIZE,
  lora_id: Field.LORA_ID,
  medium: Field.MEDIUM,
};
const vllmFields = {
  ...wireFields,
  lora_name: Field.LORA_NAME,
  extra_keys: Field.EXTRA_KEYS,
  group_idx: Field.GROUP_IDX,
  kv_cache_spec_kind: Field.SPEC_KIND,
  kv_cache_spec_sliding_window: Field.SLIDING_WINDOW,
};

/** Fields of events that are maps. */
export const mapFields: Readonly<Record<EventDialect, WordTable>> = {
  vllm: new WordTable(vllmFields),
  sglang: new WordTable({ ...wireFields, cache_salt: Field.CACHE_SALT, metadata: Field.METADATA }),
  snapshot: new WordTable({
    ...vllmFields,
    segment_keys: Field.SEGMENT_KEYS,
    tiers: Field.TIERS,
  }),
};

/** Fields of SGLang's metadata map. */
export const metadataFields = new WordTable({ cache_salt: Field.CACHE_SALT });

const storedHead = [
  Field.TYPE,
  Field.BLOCK_HASHES,
  Field.PARENT,
  Field.TOKEN_IDS,
  Field.BLOCK_SIZE,
  Field.LORA_ID,
  Field.MEDIUM,
];
const vllmStored = [
  ...storedHead,
  Field.LORA_NAME,
  Field.EXTRA_KEYS,
  Field.GROUP_IDX,
  Field.SPEC_KIND,
  Field.SLIDING_WINDOW,
];
const vllmRemoved = [Field.TYPE, Field.BLOCK_HASHES, Field.MEDIUM, Field.GROUP_IDX];

/** Fields of events that are arrays, the tag first; engines only ever added at the end. */
export const arrayFields: Readonly<
  Record<EventDialect, Readonly<Record<number, readonly number[]>>>
> = {
  vllm: { [EventType.STORED]: vllmStored, [EventType.REMOVED]: vllmRemoved },
  sglang: {
    [EventType.STORED]: [...storedHead, Field.METADATA],
    [EventType.REMOVED]: [Field.TYPE, Field.BLOCK_HASHES, Field.MEDIUM],
  },
  snapshot: {},
};

/** Tiers by the medium that engines and their connectors name; what is not here is nobody's HBM. */
export const mediums = new WordTable({
  GPU: Tier.HBM,
  CPU: Tier.HOST,
  cpu: Tier.HOST,
  CPU_PINNED: Tier.HOST,
  FS: Tier.STORAGE,
  OBJ: Tier.STORAGE,
  STORAGE: Tier.STORAGE,
  SHARED_STORAGE: Tier.STORAGE,
  DISK: Tier.STORAGE,
  EXTERNAL: Tier.STORAGE,
});

/** What a group of layers keeps of a sequence. */
export const SpecKind = { ABSENT: 0, FULL: 1, WINDOW: 2, STATE: 3, OTHER: 4 } as const;

/** Kinds of groups; those that are not here are {@link SpecKind.OTHER}. */
export const specKinds = new WordTable({
  full_attention: SpecKind.FULL,
  mla_attention: SpecKind.FULL,
  sliding_window: SpecKind.WINDOW,
  sliding_window_mla: SpecKind.WINDOW,
  mamba: SpecKind.STATE,
});
