import type { EventBatch, EventRecord } from './event-batch.ts';
import type { MsgpackCursor } from './msgpack-cursor.ts';

const UINT_8 = 0xcc;
const UINT_16 = 0xcd;
const UINT_32 = 0xce;
/** Bytes of the longest form that is read here. */
const LONGEST = 5;
const MAX_TOKEN_ID = 0xffffffff;

/**
 * By first byte, of the forms that encoders choose for token ids: their bytes (0 for any other value), which of the next
 * four bytes, moved down, are the value, and the value of a number that is its own first byte.
 */
const lengths = new Uint8Array(256);
const masks = new Int32Array(256);
const ownValues = new Uint8Array(256);
for (let head = 0; head < 0x80; head += 1) {
  lengths[head] = 1;
  ownValues[head] = head;
}
for (const [head, length, mask] of [
  [UINT_8, 2, 0xff],
  [UINT_16, 3, 0xffff],
  [UINT_32, LONGEST, -1],
] as const) {
  lengths[head] = length;
  masks[head] = mask;
}

/**
 * Takes the array of token ids that is here; false when there is none or one of them is no token id. The loop is most
 * of what reading events costs. Lengths of neighbours differ without a pattern, so that asking for each form in turn
 * costs a processor that guesses twice as much as looking it up.
 */
export function readTokens(cursor: MsgpackCursor, batch: EventBatch, record: EventRecord): boolean {
  const count = cursor.array();
  if (count < 0) return false;
  batch.reserveTokens(count);
  record.firstToken = batch.tokenCount;
  record.tokenCount = count;
  const { bytes, view } = cursor;
  const { tokens } = batch;
  const last = batch.tokenCount + count;
  const safeEnd = cursor.end - LONGEST;
  let at = cursor.at;
  let next = batch.tokenCount;
  while (next < last && at <= safeEnd) {
    const head = bytes[at] as number;
    const length = lengths[head] as number;
    if (length === 0) break;
    const shifted = view.getUint32(at + 1) >>> ((LONGEST - length) << 3);
    tokens[next] = (shifted & (masks[head] as number)) | (ownValues[head] as number);
    at += length;
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
