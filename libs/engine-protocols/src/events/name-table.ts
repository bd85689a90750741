import { NAME_WORDS } from './block-name.ts';

const FIRST_CAPACITY = 64;
/** Share of the slots that may be taken before there are twice as many. */
const MAX_LOAD = 0.7;
const GROWTH = 1.5;
/** Of a slot: id and one more; the rest are bits of the name's hash. */
const ID_MASK = 0xffffff;

/** Most names of a table. */
export const MAX_NAMES = ID_MASK - 1;

/**
 * A set of names of four words and a kind, with dense ids that are used again after removal. Side columns are kept by
 * the caller, in arrays of {@link capacity} elements.
 *
 * Integers, which most engines send, fill two words only: the columns for the rest exist from the first name that
 * needs them. Open addressing; removal moves what follows back, so that no traces stay behind.
 */
export class NameTable {
  #low = new Uint32Array(FIRST_CAPACITY * 2);
  #high: Uint32Array | undefined;
  #kinds: Uint8Array | undefined;
  /** Id and one more with bits of the hash, so that foreign names are almost never read; or 0. */
  #slots = new Int32Array(FIRST_CAPACITY * 2);
  #capacity = FIRST_CAPACITY;
  /** Names for which the slots are enough. */
  #maxSize = Math.floor(FIRST_CAPACITY * 2 * MAX_LOAD);
  #size = 0;
  #used = 0;
  readonly #free: number[] = [];
  /** The last {@link ensure} has added its name. */
  wasAdded = false;

  get size(): number {
    return this.#size;
  }

  get capacity(): number {
    return this.#capacity;
  }

  /** Ids that are or were in use are below this one. */
  get idEnd(): number {
    return this.#used;
  }

  /** Id of a name; -1 when it is not there. */
  find(a: number, b: number, c: number, d: number, kind: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hash = hashOf(a, b, c, d);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot] as number;
      if (entry === 0) return -1;
      if (((entry ^ hash) & ~ID_MASK) !== 0) continue;
      const id = (entry & ID_MASK) - 1;
      if (this.#is(id, a, b, c, d, kind)) return id;
    }
  }

  /**
   * Reads where `count` names from the word `at` on have their slots, so that the memory's latency is paid once for all
   * of them: what follows finds them in the cache. The result means nothing.
   */
  touch(names: Uint32Array, at: number, count: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let touched = 0;
    for (let i = at; i < at + count * NAME_WORDS; i += NAME_WORDS) {
      const hash = hashOf(
        names[i] as number,
        names[i + 1] as number,
        names[i + 2] as number,
        names[i + 3] as number,
      );
      touched ^= slots[hash & mask] as number;
    }
    return touched;
  }

  /** Id of a name, which is added when it is not there; {@link wasAdded} tells. */
  ensure(a: number, b: number, c: number, d: number, kind: number): number {
    if (this.#size >= this.#maxSize) this.#rehash(this.#slots.length * 2);
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hash = hashOf(a, b, c, d);
    let slot = hash & mask;
    for (; ; slot = (slot + 1) & mask) {
      const entry = slots[slot] as number;
      if (entry === 0) break;
      if (((entry ^ hash) & ~ID_MASK) !== 0) continue;
      const id = (entry & ID_MASK) - 1;
      if (!this.#is(id, a, b, c, d, kind)) continue;
      this.wasAdded = false;
      return id;
    }
    const id = this.#free.pop() ?? this.#nextId();
    this.#write(id, a, b, c, d, kind);
    slots[slot] = (hash & ~ID_MASK) | (id + 1);
    this.#size += 1;
    this.wasAdded = true;
    return id;
  }

  /** Room for so many more. */
  reserve(count: number): void {
    const capacity = this.#used - this.#free.length + count;
    if (capacity > this.#capacity) this.#grow(Math.max(capacity, this.#capacity * GROWTH));
  }

  remove(id: number): void {
    const mask = this.#slots.length - 1;
    let hole = this.#hash(id) & mask;
    while (((this.#slots[hole] as number) & ID_MASK) !== id + 1) hole = (hole + 1) & mask;
    for (let slot = (hole + 1) & mask; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] as number;
      const home = this.#hash((entry & ID_MASK) - 1) & mask;
      // What is at its place or nearer to it than the hole stays.
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      this.#slots[hole] = entry;
      hole = slot;
    }
    this.#slots[hole] = 0;
    this.#free.push(id);
    this.#size -= 1;
  }

  word(id: number, index: 0 | 1 | 2 | 3): number {
    if (index < 2) return this.#low[id * 2 + index] as number;
    return this.#high?.[id * 2 + index - 2] ?? 0;
  }

  kind(id: number): number {
    return this.#kinds?.[id] ?? 0;
  }

  #is(id: number, a: number, b: number, c: number, d: number, kind: number): boolean {
    const at = id * 2;
    if (this.#low[at] !== a || this.#low[at + 1] !== b) return false;
    if (this.#high === undefined) return (c | d) === 0 && kind === 0;
    if (this.#high[at] !== c || this.#high[at + 1] !== d) return false;
    return this.#kinds?.[id] === kind;
  }

  #write(id: number, a: number, b: number, c: number, d: number, kind: number): void {
    this.#low[id * 2] = a;
    this.#low[id * 2 + 1] = b;
    if (this.#high === undefined && ((c | d) !== 0 || kind !== 0)) {
      this.#high = new Uint32Array(this.#capacity * 2);
      this.#kinds = new Uint8Array(this.#capacity);
    }
    if (this.#high === undefined || this.#kinds === undefined) return;
    this.#high[id * 2] = c;
    this.#high[id * 2 + 1] = d;
    this.#kinds[id] = kind;
  }

  #nextId(): number {
    if (this.#used === this.#capacity) this.#grow(this.#capacity * GROWTH);
    this.#used += 1;
    return this.#used - 1;
  }

  #insert(id: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = (hash & ~ID_MASK) | (id + 1);
  }

  #grow(capacity: number): void {
    this.#capacity = Math.ceil(capacity);
    this.#low = grown(this.#low, new Uint32Array(this.#capacity * 2));
    if (this.#high) this.#high = grown(this.#high, new Uint32Array(this.#capacity * 2));
    if (this.#kinds) this.#kinds = grown(this.#kinds, new Uint8Array(this.#capacity));
  }

  #rehash(slots: number): void {
    const old = this.#slots;
    this.#slots = new Int32Array(slots);
    this.#maxSize = Math.floor(slots * MAX_LOAD);
    for (const entry of old) {
      const id = (entry & ID_MASK) - 1;
      if (entry !== 0) this.#insert(id, this.#hash(id));
    }
  }

  #hash(id: number): number {
    return hashOf(this.word(id, 0), this.word(id, 1), this.word(id, 2), this.word(id, 3));
  }
}

/** Mixes well enough for engines whose hashes are small or regular numbers. */
function hashOf(a: number, b: number, c: number, d: number): number {
  let hash = Math.imul(a ^ c, 0x9e3779b1) ^ Math.imul(b ^ d, 0x85ebca77);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

function grown<A extends Uint32Array | Uint8Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
