const WORDS = 4;
const EMPTY = -1;
const FIRST_CAPACITY = 1024;

/**
 * Set of 16-byte keys with small dense ids: open addressing with linear probing over the first word
 * (keys are SHA-256 output, so it is uniform), deletion by backward shift. Ids of removed keys are
 * used again.
 */
export class SegmentTable {
  #words = new Uint32Array(FIRST_CAPACITY * WORDS);
  #slots = new Int32Array(FIRST_CAPACITY * 2).fill(EMPTY);
  #free: number[] = [];
  #used = 0;

  /** Keys in the set. */
  get size(): number {
    return this.#used - this.#free.length;
  }

  /** All ids are below this. */
  get capacity(): number {
    return this.#words.length / WORDS;
  }

  get sizeBytes(): number {
    return this.#words.byteLength + this.#slots.byteLength;
  }

  /** The id of the key at `offset`, or -1. */
  find(packed: DataView, offset: number): number {
    const slot = this.#slotOf(packed, offset);
    return this.#slots[slot] ?? EMPTY;
  }

  /** The id of the key at `offset`; it is added when absent. */
  add(packed: DataView, offset: number): number {
    let slot = this.#slotOf(packed, offset);
    const found = this.#slots[slot] ?? EMPTY;
    if (found !== EMPTY) return found;
    if (this.size >= this.capacity) {
      this.#grow();
      slot = this.#slotOf(packed, offset);
    }
    const id = this.#free.pop() ?? this.#used++;
    for (let word = 0; word < WORDS; word += 1) {
      this.#words[id * WORDS + word] = packed.getUint32(offset + word * 4, true);
    }
    this.#slots[slot] = id;
    return id;
  }

  remove(id: number): void {
    const mask = this.#slots.length - 1;
    let hole = (this.#words[id * WORDS] ?? 0) & mask;
    while (this.#slots[hole] !== id) hole = (hole + 1) & mask;
    this.#free.push(id);
    let slot = hole;
    for (;;) {
      slot = (slot + 1) & mask;
      const other = this.#slots[slot] ?? EMPTY;
      if (other === EMPTY) break;
      const home = (this.#words[other * WORDS] ?? 0) & mask;
      // An entry may move into the hole unless its home lies between hole and entry.
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        this.#slots[hole] = other;
        hole = slot;
      }
    }
    this.#slots[hole] = EMPTY;
  }

  /** XORs the key into the four words at `at`. */
  xorInto(id: number, into: Uint32Array, at: number): void {
    for (let word = 0; word < WORDS; word += 1) {
      into[at + word] = (into[at + word] ?? 0) ^ (this.#words[id * WORDS + word] ?? 0);
    }
  }

  /** Writes the key's bytes at `offset`. */
  write(id: number, into: DataView, offset: number): void {
    for (let word = 0; word < WORDS; word += 1) {
      into.setUint32(offset + word * 4, this.#words[id * WORDS + word] ?? 0, true);
    }
  }

  /** The slot that holds the key, or the empty one where it belongs. */
  #slotOf(packed: DataView, offset: number): number {
    const mask = this.#slots.length - 1;
    let slot = packed.getUint32(offset, true) & mask;
    for (;;) {
      const id = this.#slots[slot] ?? EMPTY;
      if (id === EMPTY || this.#equals(id, packed, offset)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #equals(id: number, packed: DataView, offset: number): boolean {
    const at = id * WORDS;
    return (
      this.#words[at] === packed.getUint32(offset, true) &&
      this.#words[at + 1] === packed.getUint32(offset + 4, true) &&
      this.#words[at + 2] === packed.getUint32(offset + 8, true) &&
      this.#words[at + 3] === packed.getUint32(offset + 12, true)
    );
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
    const slots = new Int32Array(this.#slots.length * 2).fill(EMPTY);
    const mask = slots.length - 1;
    for (const id of this.#slots) {
      if (id === EMPTY) continue;
      let slot = (words[id * WORDS] ?? 0) & mask;
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
      slots[slot] = id;
    }
    this.#slots = slots;
  }
}
