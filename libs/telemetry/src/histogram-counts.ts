/** As OpenTelemetry's data point has it. */
export interface HistogramValue {
  buckets: { boundaries: number[]; counts: number[] };
  sum: number;
  count: number;
}

/** Counts of values by fixed upper bounds, which belong to their bucket, and one for all above. */
export class HistogramCounts {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** @param bounds ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  record(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
    this.#count += 1;
  }

  value(): HistogramValue {
    const buckets = { boundaries: [...this.#bounds], counts: [...this.#counts] };
    return { buckets, sum: this.#sum, count: this.#count };
  }
}
