const FIRST_SETS = 256;
const FIRST_MEMBERS = 4096;
const FIRST_SLOTS = 512;
/** Below this the room of sets that are gone is not worth winning back. */
const MIN_GARBAGE = 4096;

/** The set without members; it is never counted. */
export const EMPTY_SET = 0;

/** Numbers and lengths of sets are 16 bits. */
const MAX_HOLDERS = 65_535;

/**
 * Sets of holders (numbers below 65,535), each stored once however many segments have it: the
 * segments of a prompt are mostly held by the same ranks, so a segment's holders are one number.
 * Sets are counted by the segments that have them and vanish with the last.
 *
 * Cost: adding and removing a holder is linear in the members of the set; a run of segments with
 * equal sets pays once. Memory: 2 bytes a member and about 20 a set.
 */
export class HolderSets {
  /** Holders are numbers below this one. */
  static readonly maxHolders = MAX_HOLDERS;

  #members = new Uint16Array(FIRST_MEMBERS);
  #membersUsed = 0;
  #garbage = 0;
  /** Per set: where its members begin, how many, how many segments have it, its hash. */
  #starts = new Int32Array(FIRST_SETS);
  #lengths = new Uint16Array(FIRST_SETS);
  #references = new Int32Array(FIRST_SETS);
  #hashes = new Int32Array(FIRST_SETS);
  #setsUsed = 1;
  #freeSet = EMPTY_SET;
  #size = 0;
  /** Interned sets by hash; 0 is an empty slot. */
  #slots = new Int32Array(FIRST_SLOTS);
  /** The last change made, since the next one is mostly the same. */
  #lastFrom = -1;
  #lastHolder = -1;
  #lastTo = -1;

  /** Different sets that some segment has. */
  get size(): number {
    return this.#size;
  }

  get sizeBytes(): number {
    return (
      this.#members.byteLength +
      this.#slots.byteLength +
      this.#starts.byteLength * 3 +
      this.#lengths.byteLength
    );
  }

  /** The members ascending, as a view that the next change of any set may spoil. */
  members(set: number): Uint16Array {
    const start = this.#starts[set] as number;
    return this.#members.subarray(start, start + (this.#lengths[set] as number));
  }

  has(set: number, holder: number): boolean {
    const start = this.#starts[set] as number;
    const end = start + (this.#lengths[set] as number);
    const at = this.#lowerBound(start, end, holder);
    return at < end && this.#members[at] === holder;
  }

  /**
   * Takes a segment from `set` to the set with `holder` in addition, which is returned. `set` must
   * not have it.
   *
   * @throws RangeError for a holder that is no number below {@link maxHolders}
   */
  add(set: number, holder: number): number {
    if (set === this.#lastFrom && holder === this.#lastHolder && this.#lastTo !== EMPTY_SET) {
      return this.#move(set, this.#lastTo);
    }
    const hash = (this.#hashes[set] as number) ^ hashOfHolder(holder);
    const found = this.#findGrown(set, holder, hash);
    const to = found === EMPTY_SET ? this.#grow(set, holder, hash) : found;
    return this.#remember(set, holder, to);
  }

  /** The same with one holder less; `set` must have it. */
  remove(set: number, holder: number): number {
    if (this.#lengths[set] === 1) {
      this.release(set);
      return EMPTY_SET;
    }
    if (set === this.#lastFrom && holder === this.#lastHolder && this.#lastTo !== EMPTY_SET) {
      return this.#move(set, this.#lastTo);
    }
    const hash = (this.#hashes[set] as number) ^ hashOfHolder(holder);
    const found = this.#findShrunk(set, holder, hash);
    const to = found === EMPTY_SET ? this.#create(set, holder, hash) : found;
    return this.#remember(set, holder, to);
  }

  /** One segment less has this set. */
  release(set: number): void {
    if (set === EMPTY_SET) return;
    const left = (this.#references[set] as number) - 1;
    this.#references[set] = left;
    if (left === 0) this.#destroy(set);
  }

  /** A larger number is in no set yet: only here it could get into one, cut to 16 bits. */
  #grow(set: number, holder: number, hash: number): number {
    if (holder < MAX_HOLDERS) return this.#create(set, holder, hash);
    throw new RangeError(`holders are numbers below ${MAX_HOLDERS}, not ${holder}`);
  }

  #remember(from: number, holder: number, to: number): number {
    this.#references[to] = (this.#references[to] as number) + 1;
    this.#lastFrom = from;
    this.#lastHolder = holder;
    this.#lastTo = to;
    this.release(from);
    return to;
  }

  #move(from: number, to: number): number {
    this.#references[to] = (this.#references[to] as number) + 1;
    this.release(from);
    return to;
  }

  /** A new set, uncounted: `set` with `holder` added or, when it is a member, taken out. */
  #create(set: number, holder: number, hash: number): number {
    const oldLength = this.#lengths[set] as number;
    this.#makeRoom(oldLength + 1);
    const from = this.#starts[set] as number;
    const to = this.#membersUsed;
    const at = this.#lowerBound(from, from + oldLength, holder) - from;
    const isGrown = at === oldLength || this.#members[from + at] !== holder;
    this.#members.copyWithin(to, from, from + at);
    if (isGrown) this.#members[to + at] = holder;
    const shift = isGrown ? 1 : -1;
    const rest = isGrown ? at : at + 1;
    this.#members.copyWithin(to + rest + shift, from + rest, from + oldLength);
    const length = oldLength + shift;
    this.#membersUsed += length;
    const id = this.#takeSet();
    this.#starts[id] = to;
    this.#lengths[id] = length;
    this.#references[id] = 0;
    this.#hashes[id] = hash;
    this.#size += 1;
    if (this.#size * 2 > this.#slots.length) this.#growSlots();
    insert(this.#slots, hash, id);
    return id;
  }

  #destroy(set: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let hole = (this.#hashes[set] as number) & mask;
    while (slots[hole] !== set) hole = (hole + 1) & mask;
    for (let at = (hole + 1) & mask; slots[at] !== EMPTY_SET; at = (at + 1) & mask) {
      const other = slots[at] as number;
      const home = (this.#hashes[other] as number) & mask;
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        slots[hole] = other;
        hole = at;
      }
    }
    slots[hole] = EMPTY_SET;
    this.#garbage += this.#lengths[set] as number;
    this.#size -= 1;
    this.#lengths[set] = 0;
    this.#starts[set] = this.#freeSet;
    this.#freeSet = set;
    if (set === this.#lastFrom || set === this.#lastTo) this.#lastFrom = -1;
  }

  #takeSet(): number {
    const id = this.#freeSet;
    if (id !== EMPTY_SET) {
      this.#freeSet = this.#starts[id] as number;
      return id;
    }
    if (this.#setsUsed === this.#starts.length) {
      this.#starts = grown(this.#starts);
      this.#references = grown(this.#references);
      this.#hashes = grown(this.#hashes);
      const lengths = new Uint16Array(this.#lengths.length * 2);
      lengths.set(this.#lengths);
      this.#lengths = lengths;
    }
    return this.#setsUsed++;
  }

  /** Room for so many members at the end; what is gone is squeezed out when it is a half. */
  #makeRoom(members: number): void {
    if (this.#membersUsed + members <= this.#members.length) return;
    const live = this.#membersUsed - this.#garbage;
    const isSparse = this.#garbage > MIN_GARBAGE && this.#garbage > live / 2;
    const size = isSparse ? Math.ceil(live * 1.5) + members : this.#members.length * 2 + members;
    const target = new Uint16Array(size);
    let used = 0;
    for (let set = 1; set < this.#setsUsed; set += 1) {
      const length = this.#lengths[set] as number;
      if (length === 0) continue;
      const start = this.#starts[set] as number;
      for (let i = 0; i < length; i += 1) target[used + i] = this.#members[start + i] as number;
      this.#starts[set] = used;
      used += length;
    }
    this.#members = target;
    this.#membersUsed = used;
    this.#garbage = 0;
  }

  #growSlots(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    for (const set of this.#slots) {
      if (set !== EMPTY_SET) insert(slots, this.#hashes[set] as number, set);
    }
    this.#slots = slots;
  }

  /** The interned set that is `set` and `holder`; EMPTY_SET when there is none. */
  #findGrown(set: number, holder: number, hash: number): number {
    const length = (this.#lengths[set] as number) + 1;
    const mask = this.#slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const other = this.#slots[at] as number;
      if (other === EMPTY_SET) return EMPTY_SET;
      if (this.#hashes[other] !== hash || this.#lengths[other] !== length) continue;
      if (this.#isOneMore(other, set, holder)) return other;
    }
  }

  #findShrunk(set: number, holder: number, hash: number): number {
    const length = (this.#lengths[set] as number) - 1;
    const mask = this.#slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const other = this.#slots[at] as number;
      if (other === EMPTY_SET) return EMPTY_SET;
      if (this.#hashes[other] !== hash || this.#lengths[other] !== length) continue;
      if (this.#isOneMore(set, other, holder)) return other;
    }
  }

  /** True when `larger` is `smaller` with `holder` in addition; the lengths are known to fit. */
  #isOneMore(larger: number, smaller: number, holder: number): boolean {
    const length = this.#lengths[larger] as number;
    const start = this.#starts[larger] as number;
    let other = this.#starts[smaller] as number;
    let isMet = false;
    for (let i = start; i < start + length; i += 1) {
      const member = this.#members[i];
      if (!isMet && member === holder) isMet = true;
      else if (this.#members[other] === member && other < this.#endOf(smaller)) other += 1;
      else return false;
    }
    return isMet;
  }

  #endOf(set: number): number {
    return (this.#starts[set] as number) + (this.#lengths[set] as number);
  }

  #lowerBound(start: number, end: number, holder: number): number {
    let low = start;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#members[middle] as number) < holder) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function insert(slots: Int32Array, hash: number, set: number): void {
  const mask = slots.length - 1;
  let at = hash & mask;
  while (slots[at] !== EMPTY_SET) at = (at + 1) & mask;
  slots[at] = set;
}

/** A set's hash is the XOR of its members' hashes, so that it can be told from its neighbours'. */
function hashOfHolder(holder: number): number {
  let hash = Math.imul(holder + 1, 0x9e3779b1);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

function grown(old: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(old.length * 2);
  larger.set(old);
  return larger;
}
