import { EMPTY_SET } from './holder-sets.ts';
import type { KeyTable } from './key-table.ts';

/** Ages are looked at here and there to know how old the oldest twentieth is; again after so many victims. */
const AGE_SAMPLES = 128;
const OLDEST_SHARE = 0.05;
/** Segments looked at for one that old, before the oldest of them goes. */
const MAX_SCAN = 8192;
/** So many neighbours in a prompt have the same age; the end of a prompt is older than its start. */
const STAMP_SHIFT = 4;

/**
 * Knows which segments were not used for longest. Each segment has the stamp of its last use in a
 * column of the table; a hand goes round and takes what belongs to the oldest twentieth. Sorting by
 * age would cost each use of a segment something.
 */
export class AgeHand {
  readonly #table: KeyTable;
  readonly #setColumn: number;
  readonly #stampColumn: number;
  /** Counts up with use, 16 segments a unit; ages are differences, so it may wrap. */
  #clock = 0;
  #hand = 0;
  #oldAge = 0;
  #victimsLeft = 0;

  constructor(table: KeyTable, setColumn: number, stampColumn: number) {
    this.#table = table;
    this.#setColumn = setColumn;
    this.#stampColumn = stampColumn;
  }

  /** A use of so many segments begins; the stamp of its first one. */
  use(segments: number): number {
    this.#clock = (this.#clock + 1 + (segments >>> STAMP_SHIFT)) | 0;
    return this.#clock;
  }

  /** Marks the segment as used now: the `index`-th of the use that began with `first`. */
  touch(segment: number, first: number, index: number): void {
    this.#table.set(segment, this.#stampColumn, first - (index >>> STAMP_SHIFT));
  }

  /** One of the oldest segments of a table that is not empty. */
  victim(): number {
    if (this.#victimsLeft <= 0) this.#sampleAges();
    this.#victimsLeft -= 1;
    let victim = -1;
    let oldest = -1;
    for (let i = 0; victim < 0 || (i < MAX_SCAN && oldest < this.#oldAge); i += 1) {
      this.#hand = (this.#hand + 1) % this.#table.idLimit;
      const age = this.#ageOf(this.#hand);
      if (age <= oldest) continue;
      oldest = age;
      victim = this.#hand;
    }
    if (oldest < this.#oldAge) this.#victimsLeft = 0;
    return victim;
  }

  #sampleAges(): void {
    const ages: number[] = [];
    const { idLimit } = this.#table;
    for (let i = 0; i < AGE_SAMPLES; i += 1) {
      const age = this.#ageOf(Math.floor(((i + 0.5) / AGE_SAMPLES) * idLimit));
      if (age >= 0) ages.push(age);
    }
    ages.sort((a, b) => b - a);
    this.#oldAge = ages[Math.floor(ages.length * OLDEST_SHARE)] ?? 0;
    this.#victimsLeft = AGE_SAMPLES;
  }

  /** Uses since this segment's last one, 16 segments a unit; -1 for an id without a segment. */
  #ageOf(segment: number): number {
    if (this.#table.get(segment, this.#setColumn) === EMPTY_SET) return -1;
    return (this.#clock - this.#table.get(segment, this.#stampColumn)) >>> 0;
  }
}
