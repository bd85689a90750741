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
  readonly #rates = new Map<string, number>();

  constructor(options: LinkRateOptions) {
    this.#options = options;
  }

  bytesPerSec(source: string, destination: string): number {
    return this.#rates.get(`${source}>${destination}`) ?? this.#options.defaultBytesPerSec;
  }

  observe(source: string, destination: string, bytes: number, bytesPerSec: number): void {
    if (bytes < MIN_OBSERVED_BYTES || !Number.isFinite(bytesPerSec) || bytesPerSec <= 0) return;
    const link = `${source}>${destination}`;
    const old = this.#rates.get(link) ?? this.#options.defaultBytesPerSec;
    const bounded = Math.min(Math.max(bytesPerSec, old / MAX_STEP), old * MAX_STEP);
    this.#rates.delete(link);
    this.#rates.set(link, old + WEIGHT * (bounded - old));
    for (const oldest of this.#rates.keys()) {
      if (this.#rates.size <= this.#options.maxLinks) break;
      this.#rates.delete(oldest);
    }
  }

  /** Forgets all links of a worker that is gone. */
  forget(workerId: string): void {
    for (const link of [...this.#rates.keys()]) {
      if (link.split('>').includes(workerId)) this.#rates.delete(link);
    }
  }
}
