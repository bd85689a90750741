export interface LinkRateOptions {
  /** Taken for a link that was not measured yet. */
  defaultBytesPerSec: number;
  /** Links that are remembered; the one that was measured longest ago is forgotten first. */
  maxLinks: number;
}

/** Smaller transfers measure latency, not rate. */
const MIN_OBSERVED_BYTES = 256 * 1024;
/** Share of a new measurement in the estimate. */
const WEIGHT = 0.25;
/** One measurement moves the estimate by at most this factor. */
const MAX_STEP = 4;

/** Bytes per second between workers, corrected by what transfers measure. */
export class LinkRates {
  readonly #options: LinkRateOptions;
  /** By source and destination. */
  readonly #rates = new Map<string, Map<string, number>>();
  /** Links in the order in which they were measured last. */
  readonly #order = new Map<string, { source: string; destination: string }>();

  constructor(options: LinkRateOptions) {
    this.#options = options;
  }

  bytesPerSec(source: string, destination: string): number {
    return this.#rates.get(source)?.get(destination) ?? this.#options.defaultBytesPerSec;
  }

  /** Measured rates out of a worker, by destination. */
  from(source: string): ReadonlyMap<string, number> | undefined {
    return this.#rates.get(source);
  }

  get defaultBytesPerSec(): number {
    return this.#options.defaultBytesPerSec;
  }

  observe(source: string, destination: string, bytes: number, bytesPerSec: number): void {
    if (bytes < MIN_OBSERVED_BYTES || !Number.isFinite(bytesPerSec) || bytesPerSec <= 0) return;
    const old = this.bytesPerSec(source, destination);
    const bounded = Math.min(Math.max(bytesPerSec, old / MAX_STEP), old * MAX_STEP);
    const row = this.#rates.get(source) ?? new Map<string, number>();
    this.#rates.set(source, row);
    row.set(destination, old + WEIGHT * (bounded - old));
    const link = `${source}>${destination}`;
    this.#order.delete(link);
    this.#order.set(link, { source, destination });
    for (const [oldest] of this.#order) {
      if (this.#order.size <= this.#options.maxLinks) break;
      this.#drop(oldest);
    }
  }

  /** Forgets all links of a worker that is gone. */
  forget(workerId: string): void {
    for (const [link, { source, destination }] of this.#order) {
      if (source === workerId || destination === workerId) this.#drop(link);
    }
  }

  #drop(link: string): void {
    const ends = this.#order.get(link);
    this.#order.delete(link);
    if (ends === undefined) return;
    const row = this.#rates.get(ends.source);
    row?.delete(ends.destination);
    if (row?.size === 0) this.#rates.delete(ends.source);
  }
}
