import { BatonError, KEY_BYTES } from '@baton/kv';

/** A message that cannot be used: which field is wrong, and what would be right. */
export interface Unusable {
  fault: string;
}

/** Longest id, name, address or digest. */
export const MAX_NAME_CHARS = 512;
/** So much is kept of a text that is for people. */
const MAX_WORDS_CHARS = 4096;
const NO_BYTES = new Uint8Array(0);
const ADDRESS = /^(?:\[[0-9a-f:.]+\]|[^\s:[\]]+):(\d{1,5})$/i;
const MAX_PORT = 65_535;

type Field<M> = keyof M & string;
type Item<T> = T extends readonly (infer I)[] ? I : never;

/** Words of the domain with their numbers on the wire; the one table for both directions. */
export type WireNumbers<W extends string> = Readonly<Record<W, number>>;

/**
 * Runs a reader that takes a message apart with {@link FieldReader}s; the first field that is wrong
 * makes the message unusable.
 */
export function read<T>(reader: () => T): T | Unusable {
  try {
    return reader();
  } catch (error) {
    if (error instanceof BatonError && error.code === 'protocol_violation') {
      return { fault: error.message };
    }
    throw error;
  }
}

/**
 * The fields of one message, checked one by one. What is absent has the default of the contract:
 * empty, zero, false. Only for use inside {@link read}.
 */
export class FieldReader<M extends object> {
  readonly #message: M;
  readonly #path: string;

  /** `path` is the message's name, or the way to it from the message that carries it. */
  constructor(message: M, path: string) {
    this.#message = message;
    this.#path = path;
  }

  /** @throws BatonError protocol_violation that names the field; `wanted` is what would be right. */
  refuse(field: Field<M>, wanted: string): never {
    const place = this.#nameOf(field);
    throw new BatonError('protocol_violation', `${place} ${wanted}`, { details: { field: place } });
  }

  /** Whether it was sent, for a field whose absence means something. */
  has(field: Field<M>): boolean {
    return this.#message[field] != null;
  }

  /** An id, name, address or digest. */
  name(field: Field<M>, atLeast = 0): string {
    const value = this.#message[field] ?? '';
    if (typeof value !== 'string') return this.refuse(field, 'must be text');
    if (value.length < atLeast) return this.refuse(field, 'is missing');
    if (value.length <= MAX_NAME_CHARS) return value;
    return this.refuse(field, `must have at most ${MAX_NAME_CHARS} characters`);
  }

  /** host:port, an IPv6 host in brackets. */
  address(field: Field<M>): string {
    const value = this.name(field);
    const port = Number(ADDRESS.exec(value)?.[1] ?? 0);
    return port > 0 && port <= MAX_PORT ? value : this.refuse(field, 'must be host:port');
  }

  names(field: Field<M>, atMost = Infinity): string[] {
    const values = this.#list(field);
    if (values.length > atMost) {
      return this.refuse(field, `must have at most ${atMost} entries, not ${values.length}`);
    }
    if (values.every((value) => typeof value === 'string' && value.length <= MAX_NAME_CHARS)) {
      return [...values] as string[];
    }
    return this.refuse(field, `must be texts of at most ${MAX_NAME_CHARS} characters`);
  }

  /** Text for people: too much of it is cut, not refused. */
  words(field: Field<M>): string {
    const value = this.#message[field] ?? '';
    if (typeof value !== 'string') return this.refuse(field, 'must be text');
    return value.slice(0, MAX_WORDS_CHARS);
  }

  /** A whole number that is exact. */
  whole(field: Field<M>, atLeast = 0, atMost: number = Number.MAX_SAFE_INTEGER): number {
    const value: unknown = this.#message[field] ?? 0;
    if (Number.isSafeInteger(value) && typeof value === 'number') {
      if (value >= atLeast && value <= atMost) return value;
    }
    const range =
      atMost === Number.MAX_SAFE_INTEGER ? `at least ${atLeast}` : `${atLeast} to ${atMost}`;
    return this.refuse(field, `must be a whole number, ${range}, not ${String(value)}`);
  }

  /** A measured quantity. */
  amount(field: Field<M>): number {
    const value: unknown = this.#message[field] ?? 0;
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    return this.refuse(field, `must be a number of at least 0, not ${String(value)}`);
  }

  flag(field: Field<M>): boolean {
    const value: unknown = this.#message[field] ?? false;
    return typeof value === 'boolean' ? value : this.refuse(field, 'must be true or false');
  }

  /** Packed segment keys. */
  keys(field: Field<M>): Uint8Array {
    const value = this.#bytes(field);
    if (value.length % KEY_BYTES === 0) return value;
    const wanted = `must be whole keys of ${KEY_BYTES} bytes, not ${value.length} bytes`;
    return this.refuse(field, wanted);
  }

  /** One segment key, or the XOR of some. */
  key(field: Field<M>): Uint8Array {
    const value = this.#bytes(field);
    if (value.length === KEY_BYTES) return value;
    return this.refuse(field, `must have ${KEY_BYTES} bytes, not ${value.length}`);
  }

  /** The word for an enum's number. */
  word<W extends string>(field: Field<M>, numbers: WireNumbers<W>): W {
    const value: unknown = this.#message[field] ?? 0;
    for (const word in numbers) if (numbers[word] === value) return word;
    const known = Object.entries(numbers).map(([word, number]) => `${String(number)} (${word})`);
    return this.refuse(field, `must be ${known.join(', ')}, not ${String(value)}`);
  }

  /** A message inside this one that must be there. */
  inner<K extends Field<M>>(field: K): FieldReader<NonNullable<M[K]> & object> {
    return this.optional(field) ?? this.refuse(field, 'is missing');
  }

  /** A message inside this one; undefined when it is absent. */
  optional<K extends Field<M>>(field: K): FieldReader<NonNullable<M[K]> & object> | undefined {
    const value = this.#message[field] ?? undefined;
    if (value === undefined) return undefined;
    if (typeof value !== 'object') return this.refuse(field, 'must be a message');
    return new FieldReader<NonNullable<M[K]> & object>(value, this.#nameOf(field));
  }

  /** Messages in a list. */
  each<K extends Field<M>>(
    field: K,
    atMost = Infinity,
  ): FieldReader<Item<NonNullable<M[K]>> & object>[] {
    type Inner = Item<NonNullable<M[K]>> & object;
    const list = this.#list(field);
    if (list.length > atMost) {
      return this.refuse(field, `must have at most ${atMost} entries, not ${list.length}`);
    }
    return list.map((value, i) => {
      if (typeof value !== 'object' || value === null)
        return this.refuse(field, 'must be messages');
      return new FieldReader<Inner>(value as Inner, `${this.#nameOf(field)}[${i}]`);
    });
  }

  #list(field: Field<M>): readonly unknown[] {
    const value: unknown = this.#message[field] ?? [];
    return Array.isArray(value) ? value : this.refuse(field, 'must be a list');
  }

  #bytes(field: Field<M>): Uint8Array {
    const value: unknown = this.#message[field] ?? NO_BYTES;
    return value instanceof Uint8Array ? value : this.refuse(field, 'must be bytes');
  }

  /** As the contract spells it. */
  #nameOf(field: string): string {
    return `${this.#path}.${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
  }
}
