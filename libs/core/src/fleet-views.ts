import { canPrefill, type Pool, type RankLoad, type WorkerRecord } from '@baton/cluster';
import {
  prefillMs,
  type CostBook,
  type FleetView,
  type LinkRates,
  type PrefillWork,
  type RankView,
} from '@baton/scheduling';
import type { CoreOptions } from './options.ts';
import type { PlanBook } from './plan-book.ts';

/** Sums of times are not exact: a tick at the time when there is to be room must find it. */
const ROUNDING_MS = 1e-3;

/** What decisions look at, put together from what is booked, given, measured and reported. */
export class FleetViews {
  readonly #options: CoreOptions;
  readonly #book: PlanBook;
  readonly #work: PrefillWork;
  readonly #costs: CostBook;
  readonly #links: LinkRates;

  constructor(
    options: CoreOptions,
    book: PlanBook,
    work: PrefillWork,
    costs: CostBook,
    links: LinkRates,
  ) {
    this.#options = options;
    this.#book = book;
    this.#work = work;
    this.#costs = costs;
    this.#links = links;
  }

  /** @param isLate requests wait for room instead of in engines */
  of(pool: Pool, isLate: boolean, transfersPossible: boolean, nowMs: number): FleetView {
    const rate = poolPrefillRate(pool);
    const ranks = pool.workers.flatMap((worker) => this.#ranks(worker, rate, isLate, nowMs));
    return { ranks, links: this.#links, transfersPossible };
  }

  /** Workers of a model that learn from each other how long a prefill takes. */
  kindOf(worker: WorkerRecord): string {
    return `${worker.facts.model} ${worker.facts.engine}`;
  }

  /** The rate that a rank reports, or what others of its pool do. */
  reportedRate(pool: Pool, worker: WorkerRecord, rank: number): number {
    const own = worker.loads.find((load) => load.rank === rank);
    return measuredRate(worker, own) || poolPrefillRate(pool);
  }

  /** Ranks that the worker has reported; rank 0 before its first report. */
  #ranks(worker: WorkerRecord, poolRate: number, isLate: boolean, nowMs: number): RankView[] {
    const { facts, state } = worker;
    const ranks = worker.loads.length === 0 ? [0] : worker.loads.map((load) => load.rank);
    const kind = this.kindOf(worker);
    const { dispatchAheadMs } = this.#options;
    return ranks.map((rank) => {
      const place = { workerId: facts.workerId, rank };
      const reported = worker.loads.find((load) => load.rank === rank);
      const measured = { prefillTokensPerSec: measuredRate(worker, reported) || poolRate };
      const cost = this.#costs.cost(kind, place, measured);
      const { bookings } = this.#book;
      const load = bookings.load(facts.workerId, rank);
      const booked = bookings.booked(facts.workerId, rank);
      const foreignMs = prefillMs(cost, load.prefillTokens - booked.prefillTokens, 0);
      const queueMs = this.#work.queueMs(place, nowMs) + foreignMs;
      const isKnown = isLate && this.#costs.isCalibrated(kind, measured);
      const hasRoom = !isKnown || queueMs <= dispatchAheadMs + ROUNDING_MS;
      return { facts, rank, state, load, reported, queueMs, hasRoom, cost };
    });
  }
}

/** A decode worker computes too few prompt tokens to measure its rate. */
function measuredRate(worker: WorkerRecord, load: RankLoad | undefined): number {
  return canPrefill(worker.facts) ? (load?.prefillTokensPerSec ?? 0) : 0;
}

/** Mean of what prefill workers measured, else of what the others did; 0 when nobody has measured. */
function poolPrefillRate(pool: Pool): number {
  const rates = (workers: readonly WorkerRecord[]): number[] =>
    workers
      .flatMap((worker) => worker.loads)
      .map((load) => load.prefillTokensPerSec)
      .filter((rate) => rate > 0);
  const own = rates(pool.workers.filter((worker) => canPrefill(worker.facts)));
  const known = own.length > 0 ? own : rates(pool.workers);
  return known.length === 0 ? 0 : known.reduce((sum, rate) => sum + rate, 0) / known.length;
}
