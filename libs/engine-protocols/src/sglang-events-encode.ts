import { encodeBatch } from './batch-encode.ts';

/** What SGLang says of one page, or of its whole cache. Hashes are signed integers of 64 bits. */
export type SglangEvent =
  | {
      type: 'BlockStored';
      hash: bigint;
      /** null at the start of a chain. */
      parent: bigint | null;
      tokenIds: readonly number[];
      /** Of a salted chain; said of each of its pages. */
      salt?: string | undefined;
    }
  | { type: 'BlockRemoved'; hash: bigint }
  | { type: 'AllBlocksCleared' };

const MEDIUM = 'GPU';

/**
 * One batch as SGLang sends it: `[seconds, events, rank]` with an array for each event, in the order of the fields of
 * python/sglang/srt/disaggregation/kv_events.py, one event for each page (mem_cache/events.py at 30cb848d4). What is
 * known of a salt is a map behind the other fields.
 */
export function encodeSglangBatch(
  timestampSec: number,
  events: readonly SglangEvent[],
  rank: number,
): Uint8Array {
  return encodeBatch(timestampSec, events.map(eventArray), rank);
}

function eventArray(event: SglangEvent): unknown[] {
  switch (event.type) {
    case 'BlockStored': {
      const { type, hash, parent, tokenIds, salt } = event;
      const fields = [type, [hash], parent, [...tokenIds], tokenIds.length, null, MEDIUM];
      return salt === undefined ? fields : [...fields, { cache_salt: salt }];
    }
    case 'BlockRemoved':
      return [event.type, [event.hash], MEDIUM];
    case 'AllBlocksCleared':
      return [event.type];
  }
}
