import type { BookedLoad, Cluster, RankLoad, WorkerRecord } from '@baton/cluster';
import type { IndexStats } from '@baton/index';
import { tierName, tiers } from '@baton/kv';
import type { TransferRecord, TransferTotals } from '@baton/transfers';
import type { Knowledge, SyncView } from './knowledge.ts';
import type { PlanBook, PlanRecord, PlanTotals } from './plan-book.ts';
import type { Planner } from './planner.ts';
import type { WaitingLine } from './waiting-line.ts';

/** The engine's last report, zero before the first, and what Baton has booked. */
export interface RankStatus extends RankLoad {
  booked: BookedLoad;
  /** Booked and foreign load together. */
  load: BookedLoad;
}

/** Of a worker that has not reported yet. */
const idle: RankLoad = {
  rank: 0,
  runningSequences: 0,
  waitingSequences: 0,
  pendingPrefillTokens: 0,
  kvUsedBlocks: 0,
  prefillTokensPerSec: 0,
  decodeTokensPerSec: 0,
};

export interface TierStatus {
  tier: string;
  rank: number;
  /** By the agent's account. */
  segments: number;
  capacitySegments: number;
  /** By the index. */
  indexedSegments: number;
}

export interface WorkerStatus {
  record: WorkerRecord;
  /** May be negative when the lease has just ended. */
  leaseLeftMs: number;
  ranks: RankStatus[];
  tiers: TierStatus[];
  sync: SyncView | undefined;
  /** Under way into or out of this worker. */
  transfers: TransferRecord[];
}

export interface IndexStatus {
  stats: IndexStats;
  workers: { workerId: string; sync: SyncView | undefined; tiers: TierStatus[] }[];
}

export interface PlansStatus {
  policy: string;
  totals: PlanTotals;
  transfers: TransferTotals;
  live: number;
  waiting: number;
}

/**
 * Read-only looks at the core for the admin API. Records are the core's own: do not change them.
 */
export class CoreView {
  readonly #cluster: Cluster;
  readonly #knowledge: Knowledge;
  readonly #book: PlanBook;
  readonly #planner: Planner;
  readonly #line: WaitingLine;

  constructor(
    cluster: Cluster,
    knowledge: Knowledge,
    book: PlanBook,
    planner: Planner,
    line: WaitingLine,
  ) {
    this.#cluster = cluster;
    this.#knowledge = knowledge;
    this.#book = book;
    this.#planner = planner;
    this.#line = line;
  }

  workers(nowMs: number): WorkerStatus[] {
    const active = this.#planner.ledger.active();
    return this.#cluster.workers().map((record) => {
      const { workerId } = record.facts;
      return {
        record,
        leaseLeftMs: record.leaseUntilMs - nowMs,
        ranks: this.#ranks(record),
        tiers: this.#tiers(record),
        sync: this.#knowledge.view(workerId),
        transfers: active.filter(
          (transfer) =>
            transfer.destinationWorker === workerId || transfer.sourceWorker === workerId,
        ),
      };
    });
  }

  index(): IndexStatus {
    return {
      stats: this.#knowledge.index.stats(),
      workers: this.#cluster.workers().map((record) => ({
        workerId: record.facts.workerId,
        sync: this.#knowledge.view(record.facts.workerId),
        tiers: this.#tiers(record),
      })),
    };
  }

  plans(): PlansStatus {
    return {
      policy: this.#planner.policyName,
      totals: { ...this.#book.totals },
      transfers: this.#planner.ledger.totals(),
      live: this.#book.liveCount,
      waiting: this.#line.length,
    };
  }

  /** Newest first. */
  lastPlans(limit: number): PlanRecord[] {
    return this.#book.all().slice(0, limit);
  }

  plan(planId: string): PlanRecord | undefined {
    return this.#book.find(planId);
  }

  /** Packed keys that a tier of a rank is believed to hold. */
  heldKeys(workerId: string, rank: number, tier: (typeof tiers)[number]): Uint8Array {
    return this.#knowledge.index.heldKeys(workerId, rank, tier);
  }

  #ranks(record: WorkerRecord): RankStatus[] {
    const { workerId } = record.facts;
    const bookings = this.#book.bookings;
    const loads = record.loads.length === 0 ? [idle] : record.loads;
    return loads.map((load) => ({
      ...load,
      booked: bookings.booked(workerId, load.rank),
      load: bookings.load(workerId, load.rank),
    }));
  }

  #tiers(record: WorkerRecord): TierStatus[] {
    const { workerId } = record.facts;
    const ranks = new Set([
      ...record.tiers.map((state) => state.rank),
      ...this.#knowledge.index.ranksOf(workerId),
    ]);
    return [...ranks].flatMap((rank) =>
      tiers.flatMap((tier) => {
        const state = record.tiers.find((entry) => entry.rank === rank && entry.tier === tier);
        const indexed = this.#knowledge.index.tierDigest(workerId, rank, tier).segments;
        if (state === undefined && indexed === 0) return [];
        return {
          tier: tierName(tier),
          rank,
          segments: state?.segments ?? 0,
          capacitySegments: state?.capacitySegments ?? 0,
          indexedSegments: indexed,
        };
      }),
    );
  }
}
