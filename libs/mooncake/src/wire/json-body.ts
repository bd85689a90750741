import { elementAt, elementText, isInteger } from './json-element.ts';
import { refusal, type RefusalPlace } from './refusal.ts';
import { checkField, isHashField, isTokenField } from './request-body.ts';
import { MAX_DEPTH, MAX_VALUE_BYTES, tooDeep, tooLong } from './request-body.ts';
import type { BodyShape, HashList, RequestBody, TokenList } from './request-body.ts';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_MAP = 0x7b;
const CLOSE_MAP = 0x7d;

const MAX_TOKEN_ID = 0xffffffff;
const TOKEN_RANGE = `a whole number from 0 to ${MAX_TOKEN_ID}`;
const HASH_RANGE = 'a whole number from -2^63 to 2^64 - 1';
const MAX_WORD = 0xffffffff;
/** Digits of 2^64 - 1, and how many of them a number takes exactly beside a factor of 16 bits. */
const MAX_DIGITS = 20;
const DIGITS_AT_ONCE = 10;
const SIGN_BIT = 0x80000000;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the JSON object of a request. Lists of token ids and hashes are read from the bytes, all other values by
 * JSON.parse: a list of 8,192 token ids costs a third of what JSON.parse takes, and 64-bit hashes keep all their digits.
 * What JSON.parse gets is short and not nested deep, so that whatever is sent takes time in proportion to its length.
 *
 * @throws BatonError of {@link refusal}
 */
export function readJsonBody(bytes: Uint8Array, shape: BodyShape): RequestBody {
  return new JsonReader(bytes, shape).read();
}

class JsonReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #shape: BodyShape;
  #at = 0;

  constructor(bytes: Uint8Array, shape: BodyShape) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#shape = shape;
  }

  read(): RequestBody {
    const fields = new Map<string, unknown>();
    if (this.#next() !== OPEN_MAP) throw this.#broken('a JSON object was expected');
    this.#at += 1;
    if (this.#next() === CLOSE_MAP) this.#at += 1;
    else this.#readFields(fields);
    if (this.#next() !== -1) throw this.#broken('something follows the JSON object');
    return fields;
  }

  #readFields(fields: Map<string, unknown>): void {
    for (;;) {
      if (this.#next() !== QUOTE) throw this.#broken('the name of a field was expected');
      const name = this.#parse(this.#stringEnd(this.#at, undefined)) as string;
      checkField(name, this.#shape, fields);
      if (this.#next() !== COLON) throw this.#broken('":" was expected');
      this.#at += 1;
      fields.set(name, this.#readValue(name));
      const mark = this.#next();
      this.#at += 1;
      if (mark === CLOSE_MAP) return;
      if (mark !== COMMA) throw this.#broken('"," or "}" was expected');
    }
  }

  #readValue(name: string): unknown {
    if (this.#next() === OPEN_LIST) {
      if (isTokenField(name)) return this.#readTokens(name, this.#shape.tokens);
      if (isHashField(name)) return this.#readHashes(name, this.#shape.hashes);
    }
    return this.#parse(this.#valueEnd(name));
  }

  #readTokens(field: string, list: TokenList): TokenList {
    list.open();
    if (this.#isEmptyList()) return list;
    for (;;) {
      this.#at = scanPlainTokens(this.#view, this.#at, list);
      // What is here is the last token, or one with white space around it, or none.
      const first = (this.#next(), this.#at);
      const value = this.#readTokenId(field, list.count);
      const end = this.#at;
      if (list.count === list.ids.length) list.reserve(field);
      list.ids[list.count] = value;
      list.count += 1;
      const mark = this.#next();
      if (mark === -1) throw this.#broken('the list of token ids does not end');
      if (mark !== COMMA && mark !== CLOSE_LIST) {
        throw this.#badElement(field, list.count - 1, first, end);
      }
      this.#at += 1;
      if (mark === CLOSE_LIST) return list;
    }
  }

  #readTokenId(field: string, index: number): number {
    const bytes = this.#bytes;
    const first = this.#at;
    let at = first;
    let value = 0;
    for (let byte = bytes[at] as number; byte >= ZERO && byte <= NINE; byte = bytes[at] as number) {
      value = value * 10 + (byte - ZERO);
      at += 1;
    }
    const isWrong = at === first || (at > first + 1 && bytes[first] === ZERO);
    if (isWrong || value > MAX_TOKEN_ID) throw this.#badElement(field, index, first);
    this.#at = at;
    return value;
  }

  #readHashes(field: string, list: HashList): HashList {
    list.open();
    if (this.#isEmptyList()) return list;
    for (;;) {
      list.reserve(field);
      const isText = this.#next() === QUOTE;
      const first = this.#at;
      if (isText) this.#at += 1;
      if (!this.#readHash(list)) throw this.#badElement(field, list.count, first);
      if (isText) {
        if (this.#bytes[this.#at] !== QUOTE) throw this.#badElement(field, list.count - 1, first);
        this.#at += 1;
      }
      const end = this.#at;
      const mark = this.#next();
      if (mark === -1) throw this.#broken('the list of hashes does not end');
      if (mark !== COMMA && mark !== CLOSE_LIST) {
        throw this.#badElement(field, list.count - 1, first, end);
      }
      this.#at += 1;
      if (mark === CLOSE_LIST) return list;
    }
  }

  /** An integer from -2^63 to 2^64 - 1, ten digits at a time, since a number holds no 64 bits; false for none. */
  #readHash(list: HashList): boolean {
    const bytes = this.#bytes;
    const isNegative = bytes[this.#at] === MINUS;
    const first = isNegative ? this.#at + 1 : this.#at;
    let at = first;
    let leading = 0;
    let trailing = 0;
    let scale = 1;
    for (; at < first + MAX_DIGITS; at += 1) {
      const byte = bytes[at] as number;
      if (!(byte >= ZERO && byte <= NINE)) break;
      if (at < first + DIGITS_AT_ONCE) leading = leading * 10 + (byte - ZERO);
      else {
        trailing = trailing * 10 + (byte - ZERO);
        scale *= 10;
      }
    }
    const isWrong = at === first || (at > first + 1 && bytes[first] === ZERO);
    const low32 = (leading & 0xffff) * scale + trailing;
    const rest = Math.floor(leading / 0x10000) * scale + Math.floor(low32 / 0x10000);
    const high = Math.floor(rest / 0x10000);
    const low = (((rest & 0xffff) << 16) | (low32 & 0xffff)) >>> 0;
    const isTooLow = isNegative && (high > SIGN_BIT || (high === SIGN_BIT && low > 0));
    if (isWrong || isTooLow || high > MAX_WORD) return false;
    this.#at = at;
    if (isNegative) list.pushInteger((~high + (low === 0 ? 1 : 0)) >>> 0, -low >>> 0);
    else list.pushInteger(high, low);
    return true;
  }

  /** Enters a list; true, and behind it, when nothing is in it. */
  #isEmptyList(): boolean {
    this.#at += 1;
    if (this.#next() !== CLOSE_LIST) return false;
    this.#at += 1;
    return true;
  }

  /** The next byte that is no white space, which stays where it is; -1 at the end. */
  #next(): number {
    for (; this.#at < this.#bytes.length; this.#at += 1) {
      const byte = this.#bytes[this.#at] as number;
      if (byte !== SPACE && byte !== LINE_FEED && byte !== RETURN && byte !== TAB) return byte;
    }
    return -1;
  }

  /** Behind the string that begins at `from`, which has to end before `limit`. */
  #stringEnd(from: number, field: string | undefined, limit = this.#limit()): number {
    for (let at = from + 1; at < limit; at += 1) {
      const byte = this.#bytes[at];
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) return at + 1;
    }
    if (limit < this.#bytes.length) throw tooLong(field);
    throw this.#broken('a string does not end');
  }

  /** Behind the value that begins here, as far as brackets tell. */
  #valueEnd(field: string): number {
    const limit = this.#limit();
    let depth = 0;
    for (let at = this.#at; at < limit; at += 1) {
      const byte = this.#bytes[at];
      if (byte === QUOTE) at = this.#stringEnd(at, field, limit) - 1;
      else if (byte === OPEN_LIST || byte === OPEN_MAP) depth += 1;
      else if (depth === 0 && (byte === COMMA || byte === CLOSE_MAP)) return at;
      else if (byte === CLOSE_LIST || byte === CLOSE_MAP) depth -= 1;
      if (depth > MAX_DEPTH) throw tooDeep(field);
    }
    if (limit < this.#bytes.length) throw tooLong(field);
    throw this.#broken('the JSON object does not end');
  }

  /** A value that begins here, and the byte behind it, end before this. */
  #limit(): number {
    return Math.min(this.#at + MAX_VALUE_BYTES + 1, this.#bytes.length);
  }

  #parse(end: number): unknown {
    const text = this.#bytes.subarray(this.#at, end);
    try {
      const value: unknown = JSON.parse(utf8.decode(text));
      this.#at = end;
      return value;
    } catch {
      throw this.#broken('this is no JSON value');
    }
  }

  /** What is wrong with an element of a list that begins at `first` and was read up to `end`. */
  #badElement(field: string, index: number, first: number, end = first): Error {
    this.#at = first;
    const place = { field, index };
    const name = `${field}[${index}]`;
    const right = `${name} must be ${isTokenField(field) ? TOKEN_RANGE : HASH_RANGE}`;
    const { kind, text } = elementAt(this.#bytes, first);
    if (kind === 'nothing') return this.#broken(`${name} was expected`, place);
    if (kind === 'broken') return this.#broken(`${name} is no JSON value`, place);
    if (kind === 'text' && isHashField(field)) return this.#badText(right, place, end);
    if (kind !== 'integer') {
      return refusal('invalid_type', `${right}, not ${elementText(kind, text)}`, place);
    }
    if (first + text.length > end) return refusal('out_of_range', right, place);
    this.#at = end;
    return this.#broken(`"," or "]" was expected after ${name}`, place);
  }

  /** The same of one that is text. */
  #badText(right: string, place: Required<RefusalPlace>, end: number): Error {
    const first = this.#at;
    const last = this.#stringEnd(first, place.field, this.#bytes.length) - 1;
    if (last < end) {
      this.#at = end;
      return this.#broken(`"," or "]" was expected after ${place.field}[${place.index}]`, place);
    }
    const size = Math.min(last - first - 1, MAX_DIGITS * 2);
    const text = String.fromCharCode(...this.#bytes.subarray(first + 1, first + 1 + size));
    return refusal(isInteger(text) ? 'out_of_range' : 'invalid_value', right, place);
  }

  #broken(why: string, place?: RefusalPlace): Error {
    const message = `the body is no JSON object: ${why} at byte ${this.#at}`;
    return refusal('invalid_json', message, place);
  }
}

/** Four digits, and what tells a byte that is none: it has its highest bit when it is added to one that is not below 10. */
const DIGITS = 0x30303030;
const NO_DIGIT = 0x76767676;
const LOW_BITS = 0x7f7f7f7f;
const HIGH_BITS = 0x80808080;
/** Bytes that are looked at for a token: 7 digits and what follows. */
const TOKEN_BYTES = 9;
const powersOfTen = Int32Array.of(1, 10, 100, 1000);

/**
 * Takes token ids of up to 7 digits with a comma, and perhaps a space, after each; returns where it stops, before the
 * first one that is something else. Four digits at a time, without a branch for each: the lengths of numbers cannot be
 * foreseen, and a branch that goes wrong costs more than all the rest.
 */
function scanPlainTokens(view: DataView, from: number, list: TokenList): number {
  const { ids } = list;
  const last = view.byteLength - TOKEN_BYTES;
  let { count } = list;
  let at = from;
  while (at <= last && count < ids.length) {
    const front = view.getUint32(at) ^ DIGITS;
    const frontEnd = (((front & LOW_BITS) + NO_DIGIT) | front) & HIGH_BITS;
    let length: number;
    let value: number;
    if (frontEnd !== 0) {
      length = Math.clz32(frontEnd) >>> 3;
      if (length === 0) break;
      value = fourDigits(front >>> (32 - 8 * length));
    } else {
      const back = view.getUint32(at + 4) ^ DIGITS;
      const backEnd = (((back & LOW_BITS) + NO_DIGIT) | back) & HIGH_BITS;
      if (backEnd === 0) break;
      const digits = Math.clz32(backEnd) >>> 3;
      length = 4 + digits;
      // A shift by 32 is none at all.
      const rest = digits === 0 ? 0 : fourDigits(back >>> (32 - 8 * digits));
      value = Math.imul(fourDigits(front), powersOfTen[digits] as number) + rest;
    }
    const isZeroLed = front >>> 24 === 0 && length > 1;
    if (isZeroLed || view.getUint8(at + length) !== COMMA) break;
    ids[count] = value;
    count += 1;
    at += length + 1;
    if (view.getUint8(at) === SPACE) at += 1;
  }
  list.count = count;
  return at;
}

/** The number that up to four digits are, each a byte, the last one lowest. */
function fourDigits(digits: number): number {
  const pairs = (digits & 0xff00ff) + Math.imul(10, (digits >>> 8) & 0xff00ff);
  return (pairs & 0xffff) + Math.imul(100, pairs >>> 16);
}
