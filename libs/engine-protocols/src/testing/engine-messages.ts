import { arr, bin, f64, int, ints, map, nil, str, u64 } from './msgpack-bytes.ts';
import type { Bytes } from './msgpack-bytes.ts';

/** How an engine names a block: an integer, or bytes. */
export type BlockHash = bigint | Uint8Array;

export interface StoredMessage {
  hashes: readonly BlockHash[];
  /** Absent at the start of a chain. */
  parent?: BlockHash | undefined;
  tokens?: readonly number[];
  blockTokens?: number;
  medium?: string | undefined;
  adapter?: string | undefined;
  /** For each block what is in its extra keys, in bytes already. */
  extraKeys?: readonly (readonly Bytes[] | undefined)[] | undefined;
  group?: number | undefined;
  kind?: string | undefined;
  window?: number | undefined;
}

export interface RemovedMessage {
  hashes: readonly BlockHash[];
  medium?: string | undefined;
  group?: number | undefined;
}

export const hashBytes = (hash: BlockHash): Bytes =>
  typeof hash === 'bigint' ? u64(BigInt.asUintN(64, hash)) : bin(hash);

const optional = (text: string | undefined): Bytes => (text === undefined ? nil : str(text));
const optionalInt = (value: number | undefined): Bytes => (value === undefined ? nil : int(value));

/** A BlockStored event as vLLM has it from 0.24 on. */
export function storedMap(message: StoredMessage): Bytes {
  const { hashes, parent, extraKeys } = message;
  return map(
    ['type', str('BlockStored')],
    ['block_hashes', arr(...hashes.map(hashBytes))],
    ['parent_block_hash', parent === undefined ? nil : hashBytes(parent)],
    ['token_ids', ints(message.tokens ?? [])],
    ['block_size', int(message.blockTokens ?? 0)],
    ['lora_id', nil],
    ['medium', optional(message.medium)],
    ['lora_name', optional(message.adapter)],
    [
      'extra_keys',
      extraKeys === undefined ? nil : arr(...extraKeys.map((keys) => (keys ? arr(...keys) : nil))),
    ],
    ['group_idx', optionalInt(message.group)],
    ['kv_cache_spec_kind', optional(message.kind)],
    ['kv_cache_spec_sliding_window', optionalInt(message.window)],
  );
}

export function removedMap({ hashes, medium, group }: RemovedMessage): Bytes {
  return map(
    ['type', str('BlockRemoved')],
    ['block_hashes', arr(...hashes.map(hashBytes))],
    ['medium', optional(medium)],
    ['group_idx', optionalInt(group)],
  );
}

export const clearedMap: Bytes = map(['type', str('AllBlocksCleared')]);

/** A batch of these events. */
export function batchOf(events: readonly Bytes[], rank = 0): Uint8Array {
  const count = Array.from({ length: 4 }, (_, i) => (events.length >> (24 - i * 8)) & 0xff);
  const list = [0xdd, ...count, ...events.flat()];
  return Uint8Array.from([0x93, ...f64(1.5), ...list, ...int(rank)]);
}
