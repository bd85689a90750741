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
  /** As reported by the rank; 0 while it has measured nothing. */
  ownRate: number;
  account: RankAccount;
  line: PrefillLine;
  isCalibrated: boolean;
}

/** The views of a pool, and as of when they are. */
interface PoolViews {
  /** By worker id and rank. */
  kept: KeptView[];
  ranks: RankView[];
  workers: { loads: readonly RankLoad[]; kept: KeptView[] }[];
  /** Of ranks that have measured nothing. */
  poolRate: number;
  costRevision: number;
  /** As of when the queues are. */
  queued: { atMs: number; workRevision: number; isLate: boolean };
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
    if (views === undefined || !hear(pool, views)) {
      views = this.#newViews(pool);
      this.#pools.set(pool, views);
    }
    if (views.costRevision !== this.#costs.revision) {
      this.#price(views);
      views.costRevision = this.#costs.revision;
      views.queued.atMs = -Infinity;
    }
    this.#queue(views, isLate, nowMs);
    return { ranks: views.ranks, links: this.#links, transfersPossible };
  }

  /** The rate that a rank reports, or what others of its pool do. */
  reportedRate(pool: Pool, worker: WorkerRecord, rank: number): number {
    const own = worker.loads.find((load) => load.rank === rank);
    return measuredRate(worker, own) || poolPrefillRate(pool);
  }

  #newViews(pool: Pool): PoolViews {
    const workers = pool.workers.map((worker) => ({
      loads: worker.loads,
      kept: this.#newRanks(worker),
    }));
    const kept = workers.flatMap((worker) => worker.kept);
    return {
      kept,
      ranks: kept.map(({ view }) => view),
      workers,
      poolRate: poolPrefillRate(pool),
      costRevision: -1,
      queued: { atMs: -Infinity, workRevision: -1, isLate: false },
    };
  }

  /** Ranks that the worker has reported; rank 0 before its first report. */
  #newRanks(worker: WorkerRecord): KeptView[] {
    const { facts, state } = worker;
    const { workerId } = facts;
    const ranks = worker.loads.length === 0 ? [0] : worker.loads.map((load) => load.rank);
    const kind = kindOf(facts);
    return ranks.map((rank) => {
      const reported = worker.loads.find((load) => load.rank === rank);
      const place = { workerId, rank };
      const account = this.#book.bookings.account(workerId, rank);
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
        cost: { fixedMs: 0, perTokenMs: 0, perPairMs: 0 },
      };
      const line = this.#work.line(place);
      const ownRate = measuredRate(worker, reported);
      return { view, kind, ownRate, account, line, isCalibrated: false };
    });
  }

  #price({ kept, poolRate }: PoolViews): void {
    for (let i = 0; i < kept.length; i += 1) {
      const one = kept[i] as KeptView;
      const rate = one.ownRate || poolRate;
      one.view.cost = this.#costs.cost(one.kind, one.view.name, rate);
      one.isCalibrated = this.#costs.isCalibrated(one.kind, rate);
    }
  }

  #queue({ kept, queued }: PoolViews, isLate: boolean, nowMs: number): void {
    const workRevision = this.#work.revision;
    if (queued.atMs === nowMs && queued.workRevision === workRevision && queued.isLate === isLate) {
      return;
    }
    queued.atMs = nowMs;
    queued.workRevision = workRevision;
    queued.isLate = isLate;
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

/** Until the first of the ranks that have no room now is done; Infinity when all have some. */
export function soonestRoomMs(fleet: FleetView): number {
  return computing(fleet).reduce(
    (least, { hasRoom, queueMs }) => (hasRoom ? least : Math.min(least, queueMs)),
    Infinity,
  );
}

/** Takes in what workers have said of their load; false when some have other ranks than before. */
function hear(pool: Pool, views: PoolViews): boolean {
  let isNew = false;
  for (let at = 0; at < pool.workers.length; at += 1) {
    const worker = pool.workers[at] as WorkerRecord;
    const heard = views.workers[at];
    if (worker.loads === heard?.loads) continue;
    isNew = true;
    if (heard === undefined || worker.loads.length !== heard.kept.length) return false;
    heard.loads = worker.loads;
    for (let i = 0; i < worker.loads.length; i += 1) {
      const load = worker.loads[i] as RankLoad;
      const one = heard.kept[i] as KeptView;
      if (one.view.rank !== load.rank) return false;
      one.view.reported = load;
      one.ownRate = measuredRate(worker, load);
    }
  }
  if (!isNew) return true;
  views.poolRate = poolPrefillRate(pool);
  views.costRevision = -1;
  return true;
}

/** A decode worker computes too few prompt tokens to measure its rate. */
function measuredRate(worker: WorkerRecord, load: RankLoad | undefined): number {
  return canPrefill(worker.facts) ? (load?.prefillTokensPerSec ?? 0) : 0;
}

/** Mean of what prefill workers measured, else of what the others did; 0 when nobody has measured. */
function poolPrefillRate({ workers }: Pool): number {
  return meanRate(workers, true) || meanRate(workers, false);
}

function meanRate(workers: readonly WorkerRecord[], prefills: boolean): number {
  let sum = 0;
  let count = 0;
  for (const { facts, loads } of workers) {
    if (canPrefill(facts) !== prefills) continue;
    for (const { prefillTokensPerSec: rate } of loads) {
      if (rate <= 0) continue;
      sum += rate;
      count += 1;
    }
  }
  return count === 0 ? 0 : sum / count;
}
