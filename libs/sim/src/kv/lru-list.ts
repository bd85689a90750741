/** No place of the list. */
const NONE = -1;
const FIRST_PLACES = 1_024;

/** A set of numbers in the order in which they were used last. Everything takes constant time. */
export class LruList {
  readonly #placeOf = new Map<number, number>();
  #numbers = new Float64Array(FIRST_PLACES);
  #older = new Int32Array(FIRST_PLACES);
  #newer = new Int32Array(FIRST_PLACES);
  #oldest = NONE;
  #newest = NONE;
  #places = 0;
  readonly #free: number[] = [];

  get size(): number {
    return this.#placeOf.size;
  }

  has(number: number): boolean {
    return this.#placeOf.has(number);
  }

  /** Makes it the one that was used last; true when it was not there before. */
  touch(number: number): boolean {
    const known = this.#placeOf.get(number);
    if (known !== undefined) {
      if (known !== this.#newest) {
        this.#unlink(known);
        this.#linkNewest(known);
      }
      return false;
    }
    const place = this.#free.pop() ?? this.#newPlace();
    this.#numbers[place] = number;
    this.#placeOf.set(number, place);
    this.#linkNewest(place);
    return true;
  }

  /** True when it was there. */
  remove(number: number): boolean {
    const place = this.#placeOf.get(number);
    if (place === undefined) return false;
    this.#placeOf.delete(number);
    this.#unlink(place);
    this.#free.push(place);
    return true;
  }

  /** Takes out what was not used for longest; undefined when the set is empty. */
  takeOldest(): number | undefined {
    if (this.#oldest === NONE) return undefined;
    const number = this.#numbers[this.#oldest];
    if (number !== undefined) this.remove(number);
    return number;
  }

  /** In no particular order. */
  values(): IterableIterator<number> {
    return this.#placeOf.keys();
  }

  #newPlace(): number {
    if (this.#places === this.#numbers.length) {
      this.#numbers = grown(this.#numbers, new Float64Array(this.#places * 2));
      this.#older = grown(this.#older, new Int32Array(this.#places * 2));
      this.#newer = grown(this.#newer, new Int32Array(this.#places * 2));
    }
    this.#places += 1;
    return this.#places - 1;
  }

  #linkNewest(place: number): void {
    this.#older[place] = this.#newest;
    this.#newer[place] = NONE;
    if (this.#newest === NONE) this.#oldest = place;
    else this.#newer[this.#newest] = place;
    this.#newest = place;
  }

  #unlink(place: number): void {
    const older = this.#older[place] ?? NONE;
    const newer = this.#newer[place] ?? NONE;
    if (older === NONE) this.#oldest = newer;
    else this.#newer[older] = newer;
    if (newer === NONE) this.#newest = older;
    else this.#older[newer] = older;
  }
}

function grown<T extends Float64Array | Int32Array>(from: T, into: T): T {
  into.set(from);
  return into;
}
