/** Share of a new measurement in a rank's factor. */
const WEIGHT = 0.1;
/** Share of the way to an even fleet that every measurement takes. */
const RETURN = 0.02;
/** One measurement counts as at most so many times too slow or too quick. */
const MAX_RATIO = 4;
const MAX_FACTOR = 10;

/**
 * How many times as long as its kind of worker each rank takes. Factors only compare ranks: their
 * geometric mean tends to 1, so that what slows all of them is a matter of the kind, and one rank
 * alone has none.
 */
export class RankFactors {
  /** Natural logarithms, by rank. */
  readonly #logs = new Map<string, number>();

  of(rank: string): number {
    const log = this.#logs.get(rank);
    return log === undefined ? 1 : Math.exp(log);
  }

  /**
   * @param ratio measured time ÷ what its kind would take
   * @param confidence from 0 to 1
   */
  observe(rank: string, ratio: number, confidence: number): void {
    const before = this.of(rank);
    const target = clamp(ratio, MAX_RATIO);
    const after = clamp(before + WEIGHT * confidence * (target - before), MAX_FACTOR);
    let sum = 0;
    for (const log of this.#logs.values()) sum += log;
    this.#logs.set(rank, Math.log(after));
    const shift = (Math.log(after / before) + RETURN * sum) / this.#logs.size;
    for (const [name, log] of this.#logs) this.#logs.set(name, log - shift);
  }

  forget(isGone: (rank: string) => boolean): void {
    for (const rank of [...this.#logs.keys()]) if (isGone(rank)) this.#logs.delete(rank);
  }
}

function clamp(value: number, limit: number): number {
  return Math.min(limit, Math.max(1 / limit, value));
}
