import { decode } from '@msgpack/msgpack';

/** A block's name in an engine: `i` and its unsigned 64-bit value, or `b` and hex. Equal names, equal blocks. */
export type BlockHash = string;

export interface StoredBlocks {
  type: 'stored';
  /** In chain order. */
  hashes: BlockHash[];
  /** Undefined at the start of a chain. */
  parent: BlockHash | undefined;
  tokens: number[];
  /** Tokens of one block; 0 where the engine does not say what is inside. */
  blockSize: number;
  medium: string | undefined;
  adapter: string | undefined;
  /** What else each hash depends on, e.g. the tenant's salt at the start of a chain. */
  extraKeys: (readonly unknown[] | undefined)[];
  group: number;
  specKind: string | undefined;
}

export interface RemovedBlocks {
  type: 'removed';
  hashes: BlockHash[];
  medium: string | undefined;
  group: number;
}

export interface ClearedBlocks {
  type: 'cleared';
}

export type EngineCacheEvent = StoredBlocks | RemovedBlocks | ClearedBlocks;

export interface EngineEventBatch {
  /** Data-parallel rank; 0 where there is one only. */
  rank: number;
  events: EngineCacheEvent[];
  /** Events that could not be read; the others are there. */
  skipped: number;
}

/** Blocks of one event; more are taken for damage. */
const MAX_BLOCKS = 1 << 20;
const MAX_TOKEN_ID = 0xffffffff;
const U64_BITS = 64;

/** Fields of the array form, after the tag, in the order in which engines have added them. */
const STORED_FIELDS = [
  'block_hashes',
  'parent_block_hash',
  'token_ids',
  'block_size',
  'lora_id',
  'medium',
  'lora_name',
  'extra_keys',
  'group_idx',
  'kv_cache_spec_kind',
];
const REMOVED_FIELDS = ['block_hashes', 'medium', 'group_idx'];

type Fields = Readonly<Record<string, unknown>>;

/** Why one event cannot be read. Stays inside this file. */
class UnreadableEvent extends Error {}

/**
 * Reads a batch as vLLM sends it, 0.9 to 0.32: `[seconds, events, rank]` or the same as a map; each event a map with
 * `type` or an array with its name first. Undefined for bytes that are no batch.
 */
export function decodeEventBatch(payload: Uint8Array): EngineEventBatch | undefined {
  let value: unknown;
  try {
    value = decode(payload, { useBigInt64: true });
  } catch {
    return undefined;
  }
  const [events, rank] = Array.isArray(value)
    ? [value[1] as unknown, value[2] as unknown]
    : [fieldsOf(value)?.['events'], fieldsOf(value)?.['data_parallel_rank']];
  if (!Array.isArray(events)) return undefined;
  const batch: EngineEventBatch = { rank: 0, events: [], skipped: 0 };
  try {
    batch.rank = optionalCount(rank, 'rank');
  } catch {
    return undefined;
  }
  for (const event of events) {
    try {
      batch.events.push(readEvent(event));
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      batch.skipped += 1;
    }
  }
  return batch;
}

/** A block hash of raw bytes. */
export function bytesHash(bytes: Uint8Array): BlockHash {
  let hex = 'b';
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0');
  return hex;
}

/** The bytes of a hash that has some; undefined for an integer. */
export function hashBytes(hash: BlockHash): Uint8Array | undefined {
  if (!hash.startsWith('b')) return undefined;
  return Uint8Array.from({ length: (hash.length - 1) / 2 }, (_, i) =>
    Number.parseInt(hash.slice(1 + i * 2, 3 + i * 2), 16),
  );
}

function readEvent(event: unknown): EngineCacheEvent {
  const isArray = Array.isArray(event);
  const name: unknown = isArray ? event[0] : fieldsOf(event)?.['type'];
  switch (name) {
    case 'BlockStored':
      return readStored(isArray ? named(event, STORED_FIELDS) : (event as Fields));
    case 'BlockRemoved':
      return readRemoved(isArray ? named(event, REMOVED_FIELDS) : (event as Fields));
    case 'AllBlocksCleared':
      return { type: 'cleared' };
    default:
      throw new UnreadableEvent('unknown event');
  }
}

function readStored(fields: Fields): StoredBlocks {
  const hashes = list(fields['block_hashes'], 'block_hashes').map(readHash);
  const parent = fields['parent_block_hash'];
  const extraKeys = fields['extra_keys'];
  if (hashes.length === 0) throw new UnreadableEvent('block_hashes');
  return {
    type: 'stored',
    hashes,
    parent: isAbsent(parent) ? undefined : readHash(parent),
    tokens: list(fields['token_ids'], 'token_ids').map(readToken),
    blockSize: optionalCount(fields['block_size'], 'block_size'),
    medium: optionalText(fields['medium'], 'medium'),
    adapter: optionalText(fields['lora_name'], 'lora_name'),
    extraKeys: isAbsent(extraKeys) ? [] : list(extraKeys, 'extra_keys').map(readExtra),
    group: optionalCount(fields['group_idx'], 'group_idx'),
    specKind: optionalText(fields['kv_cache_spec_kind'], 'kv_cache_spec_kind'),
  };
}

function readRemoved(fields: Fields): RemovedBlocks {
  return {
    type: 'removed',
    hashes: list(fields['block_hashes'], 'block_hashes').map(readHash),
    medium: optionalText(fields['medium'], 'medium'),
    group: optionalCount(fields['group_idx'], 'group_idx'),
  };
}

function readHash(value: unknown): BlockHash {
  if (value instanceof Uint8Array && value.length > 0) return bytesHash(value);
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) {
    return `i${BigInt.asUintN(U64_BITS, BigInt(value as bigint | number))}`;
  }
  throw new UnreadableEvent('block hash');
}

function readToken(value: unknown): number {
  const token = Number(value);
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (!isNumber || !Number.isInteger(token) || token < 0 || token > MAX_TOKEN_ID) {
    throw new UnreadableEvent('token id');
  }
  return token;
}

function readExtra(value: unknown): readonly unknown[] | undefined {
  return isAbsent(value) ? undefined : list(value, 'extra_keys');
}

function list(value: unknown, field: string): unknown[] {
  if (!Array.isArray(value) || value.length > MAX_BLOCKS) throw new UnreadableEvent(field);
  return value;
}

/** Absent counts as 0. */
function optionalCount(value: unknown, field: string): number {
  const count = isAbsent(value) ? 0 : Number(value);
  const isNumber = isAbsent(value) || typeof value === 'number' || typeof value === 'bigint';
  if (!isNumber || !Number.isSafeInteger(count) || count < 0) throw new UnreadableEvent(field);
  return count;
}

function optionalText(value: unknown, field: string): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'string') throw new UnreadableEvent(field);
  return value;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}

function named(event: readonly unknown[], names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name, i) => [name, event[i + 1]]));
}
