import { MsgpackCursor, readBlockName } from '@baton/engine-protocols';
import { refusal } from './refusal.ts';
import { checkField, isHashField, isTokenField } from './request-body.ts';
import { MAX_DEPTH, MAX_VALUE_BYTES, OtherValue, tooLong } from './request-body.ts';
import type { BodyShape, HashList, RequestBody, TokenList } from './request-body.ts';

const TRUE = 0xc3;
const FALSE = 0xc2;
const FLOAT_32 = 0xca;
const FLOAT_64 = 0xcb;
const utf8 = new TextDecoder();
const MAX_TOKEN_ID = 0xffffffff;
const TOKEN_BYTES = 4;

/**
 * Reads the msgpack map of a request. A byte string as `token_ids` is the token ids as 32-bit little-endian integers, a
 * byte string among hashes is a binary hash.
 *
 * @throws BatonError of {@link refusal}
 */
export function readMsgpackBody(bytes: Uint8Array, shape: BodyShape): RequestBody {
  const cursor = new MsgpackCursor();
  cursor.open(bytes);
  const entries = cursor.map();
  if (entries < 0) throw broken(cursor, 'a map was expected');
  const fields = new Map<string, unknown>();
  for (let i = 0; i < entries; i += 1) {
    const name = readName(cursor);
    checkField(name, shape, fields);
    fields.set(name, readField(cursor, name, shape));
  }
  if (cursor.at !== bytes.length) throw broken(cursor, 'something follows the map');
  return fields;
}

function readField(cursor: MsgpackCursor, name: string, shape: BodyShape): unknown {
  if (isTokenField(name)) {
    const size = cursor.binarySpan();
    if (size >= 0) return unpackTokens(cursor, size, name, shape.tokens);
    const count = cursor.array();
    if (count >= 0) return readTokens(cursor, count, name, shape.tokens);
  } else if (isHashField(name)) {
    const count = cursor.array();
    if (count >= 0) return readHashes(cursor, count, name, shape.hashes);
  }
  checkSize(cursor, name);
  return readValue(cursor, MAX_DEPTH);
}

/** Looks ahead to the end of the value that begins here. */
function checkSize(cursor: MsgpackCursor, field: string): void {
  const { at } = cursor;
  if (!cursor.skip()) throw broken(cursor, `the value of ${field} was expected`);
  if (cursor.at - at > MAX_VALUE_BYTES) throw tooLong(field);
  cursor.at = at;
}

function readName(cursor: MsgpackCursor): string {
  const size = cursor.textSpan();
  if (size < 0) throw broken(cursor, 'the name of a field was expected');
  if (size > MAX_VALUE_BYTES) throw tooLong(undefined);
  return utf8.decode(cursor.bytes.subarray(cursor.from, cursor.from + size));
}

function readTokens(
  cursor: MsgpackCursor,
  count: number,
  field: string,
  list: TokenList,
): TokenList {
  list.open();
  list.reserve(field, count);
  for (let index = 0; index < count; index += 1) {
    const token = cursor.integer();
    if (!(token >= 0 && token <= MAX_TOKEN_ID)) {
      const message = `${field}[${index}] must be a whole number from 0 to ${MAX_TOKEN_ID}`;
      const reason = Number.isNaN(token) ? 'invalid_type' : 'out_of_range';
      throw refusal(reason, message, { field, index });
    }
    list.ids[index] = token;
  }
  list.count = count;
  return list;
}

function unpackTokens(
  cursor: MsgpackCursor,
  size: number,
  field: string,
  list: TokenList,
): TokenList {
  list.open();
  if (size % TOKEN_BYTES !== 0) {
    const message = `${field} must be token ids of ${TOKEN_BYTES} bytes each, not ${size} bytes`;
    throw refusal('invalid_value', message, { field });
  }
  const count = size / TOKEN_BYTES;
  list.reserve(field, count);
  for (let index = 0; index < count; index += 1) {
    list.ids[index] = cursor.view.getUint32(cursor.from + index * TOKEN_BYTES, true);
  }
  list.count = count;
  return list;
}

function readHashes(cursor: MsgpackCursor, count: number, field: string, list: HashList): HashList {
  list.open();
  list.reserve(field, count);
  for (let index = 0; index < count; index += 1) {
    const start = cursor.at;
    readBlockName(cursor, list.lowWords, list.kinds, index, true);
    cursor.at = start;
    if (!readBlockName(cursor, list.words, list.kinds, index)) {
      const message = `${field}[${index}] must be a whole number of 64 bits or a binary hash`;
      throw refusal('invalid_type', message, { field, index });
    }
  }
  list.count = count;
  return list;
}

/** A plain value, which is known to be whole; of what no field takes only what it is. */
function readValue(cursor: MsgpackCursor, depth: number): unknown {
  if (cursor.nil()) return null;
  const text = cursor.text();
  if (text !== undefined) return text;
  const integer = cursor.integer();
  if (!Number.isNaN(integer)) return integer;
  const head = cursor.bytes[cursor.at];
  if (head === TRUE || head === FALSE) {
    cursor.at += 1;
    return head === TRUE;
  }
  if (head === FLOAT_32 || head === FLOAT_64) return readFloat(cursor, head === FLOAT_64);
  const { at } = cursor;
  const entries = cursor.map();
  if (entries >= 0 && depth > 0) return readMap(cursor, entries, depth - 1);
  const kind = entries >= 0 ? 'an object' : kindOfOther(cursor);
  cursor.at = at;
  cursor.skip();
  return new OtherValue(kind);
}

function kindOfOther(cursor: MsgpackCursor): string {
  if (cursor.array() >= 0) return 'an array';
  return cursor.binarySpan() >= 0 ? 'a byte string' : 'an extension type';
}

function readFloat(cursor: MsgpackCursor, isDouble: boolean): number {
  const at = cursor.at + 1;
  cursor.at = at + (isDouble ? 8 : 4);
  return isDouble ? cursor.view.getFloat64(at) : cursor.view.getFloat32(at);
}

function readMap(cursor: MsgpackCursor, entries: number, depth: number): Map<string, unknown> {
  const map = new Map<string, unknown>();
  for (let i = 0; i < entries; i += 1) {
    const name = cursor.text();
    if (name === undefined) throw broken(cursor, 'the name of a field was expected');
    map.set(name, readValue(cursor, depth));
  }
  return map;
}

function broken(cursor: MsgpackCursor, why: string): Error {
  return refusal('invalid_msgpack', `the body is no msgpack map: ${why} at byte ${cursor.at}`);
}
