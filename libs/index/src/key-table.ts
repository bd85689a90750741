const KEY_WORDS = 4;
/** Keys of one page; pages are never moved, so growing costs no copy. */
const PAGE_BITS = 13;
const PAGE_KEYS = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_KEYS - 1;
/** The slots are split into so many parts, each growing by itself: no step pauses for all of them. */
const PART_BITS = 8;
const FIRST_SLOTS = 16;
/** Of a slot: id + 1, and the hash of its key. */
const SLOT_WORDS = 2;
const MAX_LOAD = 0.75;

/** Keys that are looked for together. */
export const BATCH_KEYS = 64;

/** Most keys of one table. */
export const MAX_KEYS = 2 ** 24 - 1;

/**
 * Set of 16-byte keys with small dense ids and a few numbers for each: open addressing with linear
 * probing and deletion by backward shift. Ids of removed keys are used again. A slot holds id and hash,
 * so that a foreign key is almost never read, and growing reads none.
 *
 * Memory: 16 + 4 × `columns` bytes a key, and 11 to 21 of slots.
 */
export class KeyTable {
  readonly #stride: number;
  readonly #pages: Int32Array[] = [];
  readonly #parts: Int32Array[];
  readonly #sizes = new Int32Array(1 << PART_BITS);
  #slots = FIRST_SLOTS << PART_BITS;
  #used = 0;
  #size = 0;
  #free = -1;
  readonly #ids = new Int32Array(BATCH_KEYS);
  /** Hashes of the keys of a batch. */
  readonly #hashes = new Int32Array(BATCH_KEYS);
  /** Keeps reads ahead from being optimised away. */
  #touched = 0;

  /** @param columns numbers of 32 bits kept for each key, 0 when it is added. */
  constructor(columns = 0) {
    this.#stride = KEY_WORDS + columns;
    this.#parts = Array.from(
      { length: 1 << PART_BITS },
      () => new Int32Array(FIRST_SLOTS * SLOT_WORDS),
    );
  }

  /** Keys in the set. */
  get size(): number {
    return this.#size;
  }

  /** All ids are below this, those of removed keys too. */
  get idLimit(): number {
    return this.#used;
  }

  get sizeBytes(): number {
    return (this.#pages.length * PAGE_KEYS * this.#stride + this.#slots * SLOT_WORDS) * 4;
  }

  /** The id of the key at `offset` of a packed list, or -1. */
  find(packed: DataView, offset: number): number {
    const w0 = packed.getInt32(offset, true);
    const w1 = packed.getInt32(offset + 4, true);
    const w2 = packed.getInt32(offset + 8, true);
    const w3 = packed.getInt32(offset + 12, true);
    const hash = hashOf(w0, w1, w2, w3);
    const slots = this.#parts[hash >>> (32 - PART_BITS)] as Int32Array;
    const mask = slots.length - SLOT_WORDS;
    for (let at = homeOf(hash) & mask; ; at = (at + SLOT_WORDS) & mask) {
      const slot = slots[at] as number;
      if (slot === 0) return -1;
      if (slots[at + 1] !== hash) continue;
      const id = slot - 1;
      const page = this.#pages[id >>> PAGE_BITS] as Int32Array;
      const word = (id & PAGE_MASK) * this.#stride;
      if (
        page[word] === w0 &&
        page[word + 1] === w1 &&
        page[word + 2] === w2 &&
        page[word + 3] === w3
      ) {
        return id;
      }
    }
  }

  /**
   * Ids of `count` keys from `offset` on, at most `BATCH_KEYS`, or -1; the array is valid until the next call. In passes
   * whose reads do not wait for each other, so that the memory's latency is paid once for many.
   */
  findMany(packed: DataView, offset: number, count: number): Int32Array {
    const ids = this.#ids;
    const hashes = this.#hashes;
    const parts = this.#parts;
    const pages = this.#pages;
    const stride = this.#stride;
    let touched = 0;
    for (let i = 0, at = offset; i < count; i += 1, at += 16) {
      const hash = hashOf(
        packed.getInt32(at, true),
        packed.getInt32(at + 4, true),
        packed.getInt32(at + 8, true),
        packed.getInt32(at + 12, true),
      );
      hashes[i] = hash;
      const slots = parts[hash >>> (32 - PART_BITS)] as Int32Array;
      touched ^= slots[homeOf(hash) & (slots.length - SLOT_WORDS)] as number;
    }
    for (let i = 0; i < count; i += 1) {
      const hash = hashes[i] as number;
      const slots = parts[hash >>> (32 - PART_BITS)] as Int32Array;
      const mask = slots.length - SLOT_WORDS;
      let at = homeOf(hash) & mask;
      while (slots[at] !== 0 && slots[at + 1] !== hash) at = (at + SLOT_WORDS) & mask;
      const id = (slots[at] as number) - 1;
      ids[i] = id;
      if (id < 0) continue;
      touched ^= (pages[id >>> PAGE_BITS] as Int32Array)[(id & PAGE_MASK) * stride] as number;
    }
    this.#touched = touched;
    for (let i = 0, at = offset; i < count; i += 1, at += 16) {
      const id = ids[i] as number;
      if (id < 0) continue;
      const page = pages[id >>> PAGE_BITS] as Int32Array;
      const word = (id & PAGE_MASK) * stride;
      const isIt =
        page[word] === packed.getInt32(at, true) &&
        page[word + 1] === packed.getInt32(at + 4, true) &&
        page[word + 2] === packed.getInt32(at + 8, true) &&
        page[word + 3] === packed.getInt32(at + 12, true);
      // Another key of the same hash comes first.
      if (!isIt) ids[i] = this.find(packed, at);
    }
    return ids;
  }

  /** The id of the key at `offset`; it is added when absent. @throws RangeError when full. */
  add(packed: DataView, offset: number): number {
    const w0 = packed.getInt32(offset, true);
    const w1 = packed.getInt32(offset + 4, true);
    const w2 = packed.getInt32(offset + 8, true);
    const w3 = packed.getInt32(offset + 12, true);
    const hash = hashOf(w0, w1, w2, w3);
    const part = hash >>> (32 - PART_BITS);
    let slots = this.#parts[part] as Int32Array;
    const mask = slots.length - SLOT_WORDS;
    let at = homeOf(hash) & mask;
    for (let slot = slots[at] as number; slot !== 0; slot = slots[at] as number) {
      if (slots[at + 1] === hash && this.#is(slot - 1, w0, w1, w2, w3)) return slot - 1;
      at = (at + SLOT_WORDS) & mask;
    }
    const id = this.#takeId();
    const page = this.#pages[id >>> PAGE_BITS] as Int32Array;
    const word = (id & PAGE_MASK) * this.#stride;
    page[word] = w0;
    page[word + 1] = w1;
    page[word + 2] = w2;
    page[word + 3] = w3;
    for (let i = word + KEY_WORDS; i < word + this.#stride; i += 1) page[i] = 0;
    const size = (this.#sizes[part] as number) + 1;
    this.#sizes[part] = size;
    this.#size += 1;
    if (size * SLOT_WORDS > slots.length * MAX_LOAD) {
      slots = this.#growPart(part);
      insert(slots, hash, id);
    } else {
      slots[at] = id + 1;
      slots[at + 1] = hash;
    }
    return id;
  }

  #is(id: number, w0: number, w1: number, w2: number, w3: number): boolean {
    const page = this.#pages[id >>> PAGE_BITS] as Int32Array;
    const word = (id & PAGE_MASK) * this.#stride;
    return (
      page[word] === w0 && page[word + 1] === w1 && page[word + 2] === w2 && page[word + 3] === w3
    );
  }

  remove(id: number): void {
    const hash = this.#hashOfId(id);
    const part = hash >>> (32 - PART_BITS);
    const slots = this.#parts[part] as Int32Array;
    const mask = slots.length - SLOT_WORDS;
    let hole = homeOf(hash) & mask;
    while (slots[hole] !== id + 1) hole = (hole + SLOT_WORDS) & mask;
    for (let at = (hole + SLOT_WORDS) & mask; slots[at] !== 0; at = (at + SLOT_WORDS) & mask) {
      const home = homeOf(slots[at + 1] as number) & mask;
      // An entry may move into the hole unless its home lies between hole and entry.
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        slots[hole] = slots[at] as number;
        slots[hole + 1] = slots[at + 1] as number;
        hole = at;
      }
    }
    slots[hole] = 0;
    this.#sizes[part] = (this.#sizes[part] as number) - 1;
    this.#size -= 1;
    (this.#pages[id >>> PAGE_BITS] as Int32Array)[(id & PAGE_MASK) * this.#stride] = this.#free;
    this.#free = id;
  }

  /** Number in column `column` (from 0) of a key. */
  get(id: number, column: number): number {
    const page = this.#pages[id >>> PAGE_BITS] as Int32Array;
    return page[(id & PAGE_MASK) * this.#stride + KEY_WORDS + column] as number;
  }

  set(id: number, column: number, value: number): void {
    const page = this.#pages[id >>> PAGE_BITS] as Int32Array;
    page[(id & PAGE_MASK) * this.#stride + KEY_WORDS + column] = value;
  }

  /** Word 0 to 3 of a key, signed. */
  word(id: number, index: number): number {
    const page = this.#pages[id >>> PAGE_BITS] as Int32Array;
    return page[(id & PAGE_MASK) * this.#stride + index] as number;
  }

  /** Writes the key's 16 bytes at `offset`. */
  write(id: number, into: DataView, offset: number): void {
    for (let i = 0; i < KEY_WORDS; i += 1) into.setInt32(offset + i * 4, this.word(id, i), true);
  }

  #takeId(): number {
    const id = this.#free;
    if (id >= 0) {
      this.#free = this.word(id, 0);
      return id;
    }
    if (this.#used >= MAX_KEYS) throw new RangeError(`a table holds at most ${MAX_KEYS} keys`);
    if (this.#used >>> PAGE_BITS === this.#pages.length) {
      this.#pages.push(new Int32Array(PAGE_KEYS * this.#stride));
    }
    return this.#used++;
  }

  #hashOfId(id: number): number {
    const page = this.#pages[id >>> PAGE_BITS] as Int32Array;
    const word = (id & PAGE_MASK) * this.#stride;
    return hashOf(
      page[word] as number,
      page[word + 1] as number,
      page[word + 2] as number,
      page[word + 3] as number,
    );
  }

  #growPart(part: number): Int32Array {
    const old = this.#parts[part] as Int32Array;
    const slots = new Int32Array(old.length * 2);
    for (let at = 0; at < old.length; at += SLOT_WORDS) {
      const slot = old[at] as number;
      if (slot !== 0) insert(slots, old[at + 1] as number, slot - 1);
    }
    this.#parts[part] = slots;
    this.#slots += old.length / SLOT_WORDS;
    return slots;
  }
}

function insert(slots: Int32Array, hash: number, id: number): void {
  const mask = slots.length - SLOT_WORDS;
  let at = homeOf(hash) & mask;
  while (slots[at] !== 0) at = (at + SLOT_WORDS) & mask;
  slots[at] = id + 1;
  slots[at + 1] = hash;
}

/** Where a hash would like to be in its part, in words and unbounded. */
function homeOf(hash: number): number {
  return (hash >>> PART_BITS) * SLOT_WORDS;
}

/**
 * Segment keys are uniform already, names of engine blocks may be small numbers: two odd multipliers
 * and two shifts spread both.
 */
function hashOf(w0: number, w1: number, w2: number, w3: number): number {
  let hash = Math.imul(w0 ^ w2, 0x9e3779b1) ^ Math.imul(w1 ^ w3, 0x85ebca77);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0xc2b2ae3d);
  return hash ^ (hash >>> 13);
}
