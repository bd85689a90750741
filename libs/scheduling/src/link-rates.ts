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

/** A worker that has a measured link: a number for it, and the rates out of it. */
interface Sender {
  /** Given again when all of its links are forgotten. */
  number: number;
  /** By the number of the destination; 0 where nothing was measured. */
  rates: Float64Array;
  /** In which it is an end. */
  links: number;
}

/** Bytes per second between workers, corrected by what transfers measure. */
export class LinkRates {
  readonly #options: LinkRateOptions;
  readonly #workers = new Map<string, Sender>();
  readonly #freeNumbers: number[] = [];
  /** Links in the order in which they were measured last. */
  readonly #order = new Map<string, { source: string; destination: string }>();

  constructor(options: LinkRateOptions) {
    this.#options = options;
  }

  bytesPerSec(source: string, destination: string): number {
    const rates = this.#workers.get(source)?.rates;
    return this.rateIn(rates, rates === undefined ? -1 : this.numberOf(destination));
  }

  /** For {@link LinkRates.rateIn}, valid until the next measurement; -1 for one without measured links. */
  numberOf(workerId: string): number {
    return this.#workers.get(workerId)?.number ?? -1;
  }

  /** Rates out of a worker, by the number of the destination, valid until the next measurement. */
  ratesFrom(source: string): Float64Array | undefined {
    return this.#workers.get(source)?.rates;
  }

  /** The same as {@link LinkRates.bytesPerSec} for who asks about many destinations. */
  rateIn(rates: Float64Array | undefined, destination: number): number {
    const rate = destination < 0 ? 0 : (rates?.[destination] ?? 0);
    return rate > 0 ? rate : this.#options.defaultBytesPerSec;
  }

  observe(source: string, destination: string, bytes: number, bytesPerSec: number): void {
    if (bytes < MIN_OBSERVED_BYTES || !Number.isFinite(bytesPerSec) || bytesPerSec <= 0) return;
    const old = this.bytesPerSec(source, destination);
    const bounded = Math.min(Math.max(bytesPerSec, old / MAX_STEP), old * MAX_STEP);
    const link = `${source}>${destination}`;
    const from = this.#worker(source);
    const to = this.#worker(destination);
    if (!this.#order.delete(link)) {
      from.links += 1;
      to.links += 1;
    }
    this.#order.set(link, { source, destination });
    if (to.number >= from.rates.length) from.rates = grown(from.rates, to.number + 1);
    from.rates[to.number] = old + WEIGHT * (bounded - old);
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

  #worker(workerId: string): Sender {
    let worker = this.#workers.get(workerId);
    if (worker === undefined) {
      const number = this.#freeNumbers.pop() ?? this.#workers.size;
      worker = { number, rates: new Float64Array(0), links: 0 };
      this.#workers.set(workerId, worker);
    }
    return worker;
  }

  #drop(link: string): void {
    const ends = this.#order.get(link);
    if (ends === undefined) return;
    this.#order.delete(link);
    const from = this.#worker(ends.source);
    const to = this.#worker(ends.destination);
    from.rates[to.number] = 0;
    this.#left(ends.source, from);
    this.#left(ends.destination, to);
  }

  #left(workerId: string, worker: Sender): void {
    worker.links -= 1;
    if (worker.links > 0) return;
    this.#workers.delete(workerId);
    this.#freeNumbers.push(worker.number);
  }
}

function grown(rates: Float64Array, length: number): Float64Array {
  const larger = new Float64Array(Math.max(16, 2 * length));
  larger.set(rates);
  return larger;
}
