import {
  canPrefill,
  layoutNumber,
  type Pool,
  type RankAccount,
  type RankLoad,
  type WorkerFacts,
  type WorkerRecord,
} from '@baton/cluster';
import {
  prefillMs,
  rankName,
  type CostBook,
  type FleetView,
  type LinkRates,
  type PrefillLine,
  type PrefillWork,
  type RankView,
} from '@baton/scheduling';
import type { CoreOptions } from './options.ts';
import type { PlanBook } from './plan-book.ts';

/** Sums of times are not exact: a tick at the time when there is to be room must find it. */
const ROUNDING_MS = 1e-3;

/** However short prefills are believed to be, a rank is given no more of them ahead. */
const MOST_GIVEN = 64;

/** A view that is kept, with what it is made from. */
interface KeptView {
  view: RankView;
  kind: string;
  /** 0 while nobody has measured. */
  prefillTokensPerSec: number;
  account: RankAccount;
  line: PrefillLine;
  isCalibrated: boolean;
}

/** The views of a pool, by worker id and rank, and as of when they are. */
interface PoolViews {
  kept: KeptView[];
  ranks: RankView[];
  /** Of each worker, as they were looked at. */
  loads: (readonly RankLoad[])[];
  costRevision: number;
}

/**
 * What decisions look at, put together from what is booked, given, measured and reported. Views are kept
 * from one decision to the next and brought up to date by what has changed since.
 */
export class FleetViews {
  readonly #options: CoreOptions;
  readonly #book: PlanBook;
  readonly #work: PrefillWork;
  readonly #costs: CostBook;
  readonly #links: LinkRates;
  readonly #pools = new WeakMap<Pool, PoolViews>();

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

  /**
   * As of now, until the next change or call.
   *
   * @param isLate requests wait for room instead of in engines
   */
  of(pool: Pool, isLate: boolean, transfersPossible: boolean, nowMs: number): FleetView {
    let views = this.#pools.get(pool);
    if (views === undefined || haveReported(pool, views)) {
      views = this.#newViews(pool);
      this.#pools.set(pool, views);
    }
    if (views.costRevision !== this.#costs.revision) this.#price(views);
    this.#queue(views, isLate, nowMs);
    return { ranks: views.ranks, links: this.#links, transfersPossible };
  }

  /** The rate that a rank reports, or what others of its pool do. */
  reportedRate(pool: Pool, worker: WorkerRecord, rank: number): number {
    const own = worker.loads.find((load) => load.rank === rank);
    return measuredRate(worker, own) || poolPrefillRate(pool);
  }

  #newViews(pool: Pool): PoolViews {
    const poolRate = poolPrefillRate(pool);
    const kept = pool.workers.flatMap((worker) => this.#newRanks(worker, poolRate));
    const ranks = kept.map(({ view }) => view);
    const loads = pool.workers.map((worker) => worker.loads);
    return { kept, ranks, loads, costRevision: -1 };
  }

  /** Ranks that the worker has reported; rank 0 before its first report. */
  #newRanks(worker: WorkerRecord, poolRate: number): KeptView[] {
    const { facts, state } = worker;
    const { workerId } = facts;
    const ranks = worker.loads.length === 0 ? [0] : worker.loads.map((load) => load.rank);
    const kind = kindOf(facts);
    return ranks.map((rank) => {
      const reported = worker.loads.find((load) => load.rank === rank);
      const prefillTokensPerSec = measuredRate(worker, reported) || poolRate;
      const account = this.#book.bookings.account(workerId, rank);
      const place = { workerId, rank };
      const view: RankView = {
        name: rankName(place),
        facts,
        layoutNumber: layoutNumber(facts.layout),
        rank,
        state,
        load: account.load,
        foreign: account.foreign,
        reported,
        queueMs: 0,
        hasRoom: true,
        cost: this.#costs.cost(kind, place, { prefillTokensPerSec }),
      };
      const line = this.#work.line(place);
      return { view, kind, prefillTokensPerSec, account, line, isCalibrated: false };
    });
  }

  #price(views: PoolViews): void {
    for (const one of views.kept) {
      const { view, kind, prefillTokensPerSec } = one;
      const place = { workerId: view.facts.workerId, rank: view.rank };
      view.cost = this.#costs.cost(kind, place, { prefillTokensPerSec });
      one.isCalibrated = this.#costs.isCalibrated(kind, { prefillTokensPerSec });
    }
    views.costRevision = this.#costs.revision;
  }

  #queue({ kept }: PoolViews, isLate: boolean, nowMs: number): void {
    const limitMs = this.#options.dispatchAheadMs + ROUNDING_MS;
    for (let i = 0; i < kept.length; i += 1) {
      const { view, account, line, isCalibrated } = kept[i] as KeptView;
      const foreignTokens = account.foreign.prefillTokens;
      const foreignMs = foreignTokens > 0 ? prefillMs(view.cost, foreignTokens, 0) : 0;
      view.queueMs = line.queueMs(nowMs) + foreignMs;
      const hasRoom = view.queueMs <= limitMs && line.length < MOST_GIVEN;
      view.hasRoom = !isLate || !isCalibrated || hasRoom;
    }
  }
}

/** Workers of a model that learn from each other how long prefills and decode steps take. */
export function kindOf({ model, engine }: WorkerFacts): string {
  return `${model} ${engine}`;
}

/** Ready ranks that compute prompts: where there are none for that, those that decode. */
export function computing({ ranks }: Pick<FleetView, 'ranks'>): RankView[] {
  const ready = ranks.filter(({ state }) => state === 'ready');
  const prefillers = ready.filter(({ facts }) => canPrefill(facts));
  return prefillers.length > 0 ? prefillers : ready;
}

/** Some worker has said something of its load since. */
function haveReported({ workers }: Pool, { loads }: PoolViews): boolean {
  return workers.some((worker, at) => worker.loads !== loads[at]);
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
