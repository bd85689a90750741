import { MsgpackCursor, readBlockName } from '@baton/engine-protocols';
import { refusal } from './refusal.ts';
import { checkField, isHashField, isTokenField } from './request-body.ts';
import type { BodyShape, HashList, RequestBody, TokenList } from './request-body.ts';

const TRUE = 0xc3;
const FALSE = 0xc2;
const FLOAT_32 = 0xca;
const FLOAT_64 = 0xcb;
const MAX_TOKEN_ID = 0xffffffff;
const TOKEN_BYTES = 4;
/** Objects inside of the request's object; more than any field has. */
const MAX_DEPTH = 2;

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
    const name = cursor.text();
    if (name === undefined) throw broken(cursor, 'the name of a field was expected');
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
  return readValue(cursor, MAX_DEPTH);
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
    const token = cursor.view.getInt32(cursor.from + index * TOKEN_BYTES, true);
    if (token < 0) {
      const message = `${field}[${index}] must be a whole number from 0 to ${2 ** 31 - 1}`;
      throw refusal('out_of_range', message, { field, index });
    }
    list.ids[index] = token;
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

/** A plain value; 'other' stands in for what no field takes. */
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
  if (depth > 0) {
    const entries = cursor.map();
    if (entries >= 0) return readMap(cursor, entries, depth - 1);
  }
  const isList = cursor.array() >= 0;
  if (isList) throw refusal('invalid_msgpack', 'the body has an array where none belongs');
  if (!cursor.skip()) throw broken(cursor, 'a value was expected');
  return undefined;
}

function readFloat(cursor: MsgpackCursor, isDouble: boolean): number {
  const at = cursor.at + 1;
  if (at + (isDouble ? 8 : 4) > cursor.end) throw broken(cursor, 'a number was expected');
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
