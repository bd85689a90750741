const NONE = -1;
const FIRST_CAPACITY = 1024;

/**
 * The relation "holder has segment" as two lists through flat arrays: one of each segment's
 * holders, one of each holder's segments, so that both "who has it" and "forget this holder" cost
 * only what they touch.
 */
export class ReplicaLists {
  #segment = new Int32Array(FIRST_CAPACITY);
  #holder = new Int32Array(FIRST_CAPACITY);
  #nextOfSegment = new Int32Array(FIRST_CAPACITY);
  #nextOfHolder = new Int32Array(FIRST_CAPACITY);
  #previousOfHolder = new Int32Array(FIRST_CAPACITY);
  #firstOfSegment = new Int32Array(FIRST_CAPACITY).fill(NONE);
  #firstOfHolder = new Int32Array(64).fill(NONE);
  #freeHead = NONE;
  #used = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get sizeBytes(): number {
    return (
      this.#segment.byteLength * 5 +
      this.#firstOfSegment.byteLength +
      this.#firstOfHolder.byteLength
    );
  }

  /** First replica of a segment or -1; go on with {@link nextOfSegment}. */
  firstOfSegment(segment: number): number {
    return this.#firstOfSegment[segment] ?? NONE;
  }

  nextOfSegment(replica: number): number {
    return this.#nextOfSegment[replica] ?? NONE;
  }

  /** First replica of a holder or -1; go on with {@link nextOfHolder}. */
  firstOfHolder(holder: number): number {
    return this.#firstOfHolder[holder] ?? NONE;
  }

  nextOfHolder(replica: number): number {
    return this.#nextOfHolder[replica] ?? NONE;
  }

  holderOf(replica: number): number {
    return this.#holder[replica] ?? NONE;
  }

  segmentOf(replica: number): number {
    return this.#segment[replica] ?? NONE;
  }

  has(segment: number, holder: number): boolean {
    for (let r = this.firstOfSegment(segment); r !== NONE; r = this.nextOfSegment(r)) {
      if (this.#holder[r] === holder) return true;
    }
    return false;
  }

  /** The pair must not exist yet. */
  add(segment: number, holder: number): void {
    this.#makeRoom(segment, holder);
    let replica = this.#freeHead;
    if (replica === NONE) replica = this.#used++;
    else this.#freeHead = this.#nextOfHolder[replica] ?? NONE;
    this.#segment[replica] = segment;
    this.#holder[replica] = holder;
    this.#nextOfSegment[replica] = this.firstOfSegment(segment);
    this.#firstOfSegment[segment] = replica;
    const next = this.firstOfHolder(holder);
    this.#nextOfHolder[replica] = next;
    this.#previousOfHolder[replica] = NONE;
    if (next !== NONE) this.#previousOfHolder[next] = replica;
    this.#firstOfHolder[holder] = replica;
    this.#size += 1;
  }

  /** False when the pair did not exist. */
  remove(segment: number, holder: number): boolean {
    let before = NONE;
    let replica = this.firstOfSegment(segment);
    while (replica !== NONE && this.#holder[replica] !== holder) {
      before = replica;
      replica = this.nextOfSegment(replica);
    }
    if (replica === NONE) return false;
    const after = this.nextOfSegment(replica);
    if (before === NONE) this.#firstOfSegment[segment] = after;
    else this.#nextOfSegment[before] = after;
    const next = this.nextOfHolder(replica);
    const previous = this.#previousOfHolder[replica] ?? NONE;
    if (previous === NONE) this.#firstOfHolder[holder] = next;
    else this.#nextOfHolder[previous] = next;
    if (next !== NONE) this.#previousOfHolder[next] = previous;
    this.#nextOfHolder[replica] = this.#freeHead;
    this.#freeHead = replica;
    this.#size -= 1;
    return true;
  }

  #makeRoom(segment: number, holder: number): void {
    if (segment >= this.#firstOfSegment.length) {
      this.#firstOfSegment = grown(this.#firstOfSegment, segment + 1, NONE);
    }
    if (holder >= this.#firstOfHolder.length) {
      this.#firstOfHolder = grown(this.#firstOfHolder, holder + 1, NONE);
    }
    if (this.#freeHead !== NONE || this.#used < this.#segment.length) return;
    const needed = this.#used + 1;
    this.#segment = grown(this.#segment, needed);
    this.#holder = grown(this.#holder, needed);
    this.#nextOfSegment = grown(this.#nextOfSegment, needed);
    this.#nextOfHolder = grown(this.#nextOfHolder, needed);
    this.#previousOfHolder = grown(this.#previousOfHolder, needed);
  }
}

function grown(old: Int32Array<ArrayBuffer>, needed: number, fill = 0): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(old.length * 2, needed)).fill(fill, old.length);
  larger.set(old);
  return larger;
}
