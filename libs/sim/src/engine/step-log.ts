const FIRST_ROOM = 1_024;

/** Ends of a worker's decode steps, as far back as a running sequence needs them. */
export class StepLog {
  #endsMs = new Float64Array(FIRST_ROOM);
  /** Number of the step at the array's begin. */
  #first = 0;
  #count = 0;

  /** Steps so far; the next one has this number plus one. */
  get steps(): number {
    return this.#first + this.#count;
  }

  /** @param neededFrom says the number of the oldest step that may be asked for again */
  add(endMs: number, neededFrom: () => number): void {
    if (this.#count === this.#endsMs.length) this.#makeRoom(neededFrom());
    this.#endsMs[this.#count] = endMs;
    this.#count += 1;
  }

  /** Step numbers count from 1. */
  endMs(step: number): number {
    return this.#endsMs[step - this.#first - 1] ?? NaN;
  }

  #makeRoom(neededFrom: number): void {
    const drop = Math.max(0, Math.min(this.#count, neededFrom - 1 - this.#first));
    const kept = this.#endsMs.subarray(drop, this.#count);
    const next = new Float64Array(Math.max(FIRST_ROOM, kept.length * 2));
    next.set(kept);
    this.#endsMs = next;
    this.#first += drop;
    this.#count -= drop;
  }
}
