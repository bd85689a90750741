import type { EventBatch, EventRecord } from './event-batch.ts';
import type { MsgpackCursor } from './msgpack-cursor.ts';

const UINT_8 = 0xcc;
const UINT_16 = 0xcd;
const UINT_32 = 0xce;
/** Bytes of the longest form that is read here. */
const LONGEST = 5;
const MAX_TOKEN_ID = 0xffffffff;

/**
 * Takes the array of token ids that is here; false when there is none or one of them is no token id. The loop is what
 * reading events costs, hence the forms that encoders choose are read in place.
 */
export function readTokens(cursor: MsgpackCursor, batch: EventBatch, record: EventRecord): boolean {
  const count = cursor.array();
  if (count < 0) return false;
  batch.reserveTokens(count);
  record.firstToken = batch.tokenCount;
  record.tokenCount = count;
  const { bytes } = cursor;
  const { tokens } = batch;
  const last = batch.tokenCount + count;
  const safeEnd = cursor.end - LONGEST;
  let at = cursor.at;
  let next = batch.tokenCount;
  while (next < last && at <= safeEnd) {
    const head = bytes[at] as number;
    if (head < 0x80) {
      tokens[next] = head;
      at += 1;
    } else if (head === UINT_16) {
      tokens[next] = ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
      at += 3;
    } else if (head === UINT_32) {
      const high = ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
      const low = ((bytes[at + 3] as number) << 8) | (bytes[at + 4] as number);
      tokens[next] = (high << 16) | low;
      at += 5;
    } else if (head === UINT_8) {
      tokens[next] = bytes[at + 1] as number;
      at += 2;
    } else break;
    next += 1;
  }
  cursor.at = at;
  for (; next < last; next += 1) {
    const token = cursor.integer();
    if (!(token >= 0 && token <= MAX_TOKEN_ID)) return false;
    tokens[next] = token;
  }
  batch.tokenCount = last;
  return true;
}
