import { refusal } from './refusal.ts';

/** Words of one block hash: an integer fills the first two, a binary hash up to all four. */
export const HASH_WORDS = 4;

const FIRST_TOKENS = 8_192;
const FIRST_HASHES = 512;
/** What is kept from request to request; what a larger one took is given back. */
const MAX_KEPT = 1 << 18;

/** Token ids of a request, in an array that the next request uses again. */
export class TokenList {
  ids: Uint32Array;
  count = 0;
  readonly #max: number;

  /** @param max at most so many, which the array is never longer than */
  constructor(max: number) {
    this.#max = max;
    this.ids = new Uint32Array(Math.min(max, FIRST_TOKENS));
  }

  open(): void {
    this.count = 0;
    if (this.ids.length > MAX_KEPT) this.ids = new Uint32Array(FIRST_TOKENS);
  }

  /** Room for one more at least. @throws BatonError `too_many`. */
  reserve(field: string, needed = this.count + 1): void {
    if (needed > this.#max) throw tooMany(field, this.#max, 'token ids');
    if (needed <= this.ids.length) return;
    const ids = new Uint32Array(Math.min(this.#max, Math.max(needed, this.ids.length * 2)));
    ids.set(this.ids);
    this.ids = ids;
  }
}

/** Block hashes of a request, in arrays that the next request uses again. */
export class HashList {
  words = new Uint32Array(FIRST_HASHES * HASH_WORDS);
  /** Of binary hashes: the integer that their last 8 bytes are. */
  lowWords = new Uint32Array(FIRST_HASHES * HASH_WORDS);
  /** As an engine's block names have them: 0 for an integer, else the number of bytes, 16 at most. */
  kinds = new Uint8Array(FIRST_HASHES);
  count = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  open(): void {
    this.count = 0;
    if (this.kinds.length > MAX_KEPT) {
      this.words = new Uint32Array(FIRST_HASHES * HASH_WORDS);
      this.lowWords = new Uint32Array(FIRST_HASHES * HASH_WORDS);
      this.kinds = new Uint8Array(FIRST_HASHES);
    }
  }

  /** @throws BatonError `too_many`. */
  reserve(field: string, needed = this.count + 1): void {
    if (needed > this.#max) throw tooMany(field, this.#max, 'hashes');
    if (needed <= this.kinds.length) return;
    const capacity = Math.min(this.#max, Math.max(needed, this.kinds.length * 2));
    const words = new Uint32Array(capacity * HASH_WORDS);
    const kinds = new Uint8Array(capacity);
    const lowWords = new Uint32Array(capacity * HASH_WORDS);
    words.set(this.words);
    lowWords.set(this.lowWords);
    kinds.set(this.kinds);
    this.words = words;
    this.lowWords = lowWords;
    this.kinds = kinds;
  }

  pushInteger(high: number, low: number): void {
    const at = this.count * HASH_WORDS;
    this.words[at] = high;
    this.words[at + 1] = low;
    this.words[at + 2] = 0;
    this.words[at + 3] = 0;
    this.kinds[this.count] = 0;
    this.count += 1;
  }
}

/** A value that no field takes. */
export class OtherValue {
  /** How a sentence names it. */
  readonly kind: string;

  constructor(kind: string) {
    this.kind = kind;
  }
}

/** Fields of one request by name. Lists are read by the name of their field, everything else as it comes. */
export type RequestBody = ReadonlyMap<string, unknown>;

/** How the bytes of a request are read: what may be in it, and where its lists go. */
export interface BodyShape {
  /** Fields that are known; any other one refuses the request. */
  readonly fields: ReadonlySet<string>;
  readonly tokens: TokenList;
  readonly hashes: HashList;
}

const tokenFields: ReadonlySet<string> = new Set(['token_ids']);
const hashFields: ReadonlySet<string> = new Set(['seq_hashes', 'block_hashes', 'block_hash']);

export function isTokenField(name: string): boolean {
  return tokenFields.has(name);
}

export function isHashField(name: string): boolean {
  return hashFields.has(name);
}

/** @throws BatonError `unknown_field`, `invalid_value` for one that is there twice. */
export function checkField(
  name: string,
  shape: BodyShape,
  seen: ReadonlyMap<string, unknown>,
): void {
  if (!shape.fields.has(name)) {
    const known = [...shape.fields].join(', ');
    const message = `there is no field ${quoted(name)} here; known are ${known}`;
    throw refusal('unknown_field', message, { field: shortened(name) });
  }
  if (seen.has(name)) {
    throw refusal('invalid_value', `${name} is given twice`, { field: name });
  }
}

/** A name that a client chose, short enough for a message. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text));
}

/** The same without quotes. */
export function shortened(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

/** Objects and arrays in one another that a field may have; more than any has. */
export const MAX_DEPTH = 2;
/** What a field may have that is no list of token ids or hashes, in bytes; more than any has. */
export const MAX_VALUE_BYTES = 64 * 1024;

export function tooDeep(field: string): Error {
  const message = `${field} may have at most ${MAX_DEPTH} levels of objects and arrays`;
  return refusal('invalid_value', message, { field });
}

/** @param field undefined for the name of one */
export function tooLong(field: string | undefined): Error {
  const message = `${field ?? 'the name of a field'} must have at most ${MAX_VALUE_BYTES} bytes`;
  return refusal('out_of_range', message, field === undefined ? {} : { field });
}

const MAX_QUOTED = 80;

function tooMany(field: string, max: number, what: string): Error {
  return refusal('too_many', `${field} may have at most ${max} ${what}`, { field });
}
