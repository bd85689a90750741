import { refusal } from './refusal.ts';
import { HashList, OtherValue, quoted, shortened, TokenList } from './request-body.ts';
import type { RequestBody } from './request-body.ts';

/** Names of one field; the first one is what messages say. */
type Names = readonly [string, ...string[]];

/**
 * Typed access to the fields of a request. Where a field has several names only one of them may be given.
 *
 * @throws BatonError of {@link refusal}, all methods
 */
export class Fields {
  readonly #body: RequestBody;
  readonly #prefix: string;

  /** @param prefix what messages say before the name of a field: those of an object in a request have its name there */
  constructor(body: RequestBody, prefix = '') {
    this.#body = body;
    this.#prefix = prefix;
  }

  /** The name under which a field is given. */
  has(name: string): boolean {
    return this.#body.has(name);
  }

  /** Text of at least one character. */
  text(names: Names, maxLength: number): string {
    const text = this.optionalText(names, maxLength);
    if (text !== undefined) return text;
    const field = this.#nameOf(names);
    if ((this.#find(names) ?? null) === null) {
      throw refusal('missing', `${field} is required`, { field });
    }
    throw refusal('invalid_value', `${field} must not be empty`, { field });
  }

  /** Undefined when it is absent, null or empty. */
  optionalText(names: Names, maxLength: number): string | undefined {
    const value = this.#find(names) ?? null;
    if (value === null || value === '') return undefined;
    const field = this.#nameOf(names);
    if (typeof value !== 'string') {
      throw refusal('invalid_type', `${field} must be text, not ${kindOf(value)}`, { field });
    }
    if (value.length > maxLength) {
      const message = `${field} must have at most ${maxLength} characters, not ${value.length}`;
      throw refusal('out_of_range', message, { field });
    }
    return value;
  }

  /** As {@link text}; a whole number stands for its digits. */
  name(names: Names, maxLength: number): string {
    return this.optionalName(names, maxLength) ?? this.text(names, maxLength);
  }

  optionalName(names: Names, maxLength: number): string | undefined {
    const value = this.#find(names);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
      return String(value);
    if (typeof value !== 'number') return this.optionalText(names, maxLength);
    const field = this.#nameOf(names);
    const message = `${field} must be text or a whole number from 0 to 2^53 - 1`;
    throw refusal('invalid_value', message, { field });
  }

  integer(names: Names, range: { min: number; max: number }): number {
    const value = this.optionalInteger(names, range);
    if (value === undefined) {
      const field = this.#nameOf(names);
      throw refusal('missing', `${field} is required`, { field });
    }
    return value;
  }

  /** Undefined when it is absent or null. */
  optionalInteger(names: Names, { min, max }: { min: number; max: number }): number | undefined {
    const value = this.#find(names) ?? null;
    if (value === null) return undefined;
    const field = this.#nameOf(names);
    const right = `${field} must be a whole number from ${min} to ${max}`;
    if (typeof value !== 'number') {
      throw refusal('invalid_type', `${right}, not ${kindOf(value)}`, { field });
    }
    if (value < min || value > max) throw refusal('out_of_range', right, { field });
    if (!Number.isInteger(value)) throw refusal('invalid_type', right, { field });
    return value;
  }

  /** One of these words. */
  choice<T extends string>(names: Names, words: readonly T[], fallback: T): T {
    const text = this.optionalText(names, MAX_WORD);
    if (text === undefined) return fallback;
    const word = words.find((known) => known.toLowerCase() === text.toLowerCase());
    if (word !== undefined) return word;
    const field = this.#nameOf(names);
    const message = `${field} must be ${words.join(' or ')}, not ${quoted(text)}`;
    throw refusal('invalid_value', message, { field });
  }

  /** The fields of an object, of which only these may be there; undefined when it is absent or null. */
  object(names: Names, known: readonly string[]): Fields | undefined {
    const value = this.#find(names) ?? null;
    if (value === null) return undefined;
    const field = this.#nameOf(names);
    const entries = value instanceof Map ? [...(value as Map<unknown, unknown>)] : entriesOf(value);
    if (entries === undefined) {
      throw refusal('invalid_type', `${field} must be an object, not ${kindOf(value)}`, { field });
    }
    for (const [name] of entries) {
      if (typeof name === 'string' && known.includes(name)) continue;
      const message = `${field} has no field ${quoted(String(name))}; known are ${known.join(', ')}`;
      throw refusal('unknown_field', message, { field: `${field}.${shortened(String(name))}` });
    }
    return new Fields(new Map(entries as [string, unknown][]), `${field}.`);
  }

  tokens(name: string): TokenList {
    const value = this.#body.get(name);
    if (value instanceof TokenList) return value;
    throw this.#noList(name, 'an array of token ids');
  }

  hashes(names: Names): HashList {
    const value = this.#find(names);
    if (value instanceof HashList) return value;
    throw this.#noList(this.#nameOf(names), 'an array of block hashes');
  }

  #noList(name: string, what: string): Error {
    if (!this.#body.has(name)) return refusal('missing', `${name} is required`, { field: name });
    const message = `${name} must be ${what}, not ${kindOf(this.#body.get(name))}`;
    return refusal('not_array', message, { field: name });
  }

  #find(names: Names): unknown {
    const given = names.filter((name) => this.#body.has(name));
    const [first, second] = given;
    if (first !== undefined && second !== undefined) {
      throw refusal('invalid_value', `${first} and ${second} are one field; give one of them`, {
        field: second,
      });
    }
    return first === undefined ? undefined : this.#body.get(first);
  }

  #nameOf(names: Names): string {
    return this.#prefix + (names.find((name) => this.#body.has(name)) ?? names[0]);
  }
}

const MAX_WORD = 64;

function entriesOf(value: unknown): [string, unknown][] | undefined {
  return kindOf(value) === 'an object' ? Object.entries(value as object) : undefined;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof OtherValue) return value.kind;
  if (Array.isArray(value) || value instanceof TokenList || value instanceof HashList) {
    return 'an array';
  }
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}
