import type {
  AgentCounters,
  BookedLoad,
  Cluster,
  PoolAdapter,
  RankLoad,
  WorkerRecord,
} from '@baton/cluster';
import type { Holding, IndexLimits, IndexStats, Match } from '@baton/index';
import { tierName, tiers, type Tier } from '@baton/kv';
import type { LearnedCost, LearnedDecodeCost } from '@baton/scheduling';
import type { TransferRecord, TransferTotals } from '@baton/transfers';
import type { Knowledge, SyncView } from './knowledge.ts';
import type { ModelSettings } from './model-settings.ts';
import type { PlanBook, PlanRecord, PlanTotals } from './plan-book.ts';
import type { Planner } from './planner.ts';
import type { OwnSettings } from './settings-change.ts';
import type { WaitingRequests } from './waiting-requests.ts';

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
  dramBytesPerSec: 0,
  ssdBytesPerSec: 0,
};

export interface TierStatus {
  tier: string;
  rank: number;
  /** KV, or points at whose end a hybrid model's sequence can be resumed. */
  holding: Holding;
  /** By the agent's account. */
  segments: number;
  capacitySegments: number;
  /** By the index. */
  indexedSegments: number;
  /** Both have the same keys, as far as count and XOR tell. */
  same: boolean;
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

export interface WorkerKnowledge {
  workerId: string;
  hybrid: boolean;
  sync: SyncView | undefined;
  tiers: TierStatus[];
  /** What its agent has counted on the way from the engine's events, by name; some are states of now. */
  events: AgentCounters;
}

export interface IndexStatus {
  stats: IndexStats;
  limits: IndexLimits;
  /** Replicas of KV by the tier's name, of all workers. */
  replicas: Record<string, number>;
  resumePoints: number;
  /** Messages of workers that are not known, or no longer. */
  strayMessages: number;
  workers: WorkerKnowledge[];
}

/** Those of an agent's counters that say how well it follows its engine. */
const eventCounters = [
  'eventGaps',
  'replayedBatches',
  'eventResets',
  'engineRestarts',
  'eventDecodeFailures',
  'malformedEvents',
  'eventMismatches',
  'otherBlockSizes',
  'ignoredBlocks',
  'refusedBlocks',
  'unresolvedBlocks',
  'hybridRefusedRanks',
  'engineCacheResets',
  'engineCacheResetFailures',
  'journalFailures',
] as const;

export type EventCounter = (typeof eventCounters)[number];

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
  readonly #waiting: WaitingRequests;

  constructor(
    cluster: Cluster,
    knowledge: Knowledge,
    book: PlanBook,
    planner: Planner,
    waiting: WaitingRequests,
  ) {
    this.#cluster = cluster;
    this.#knowledge = knowledge;
    this.#book = book;
    this.#planner = planner;
    this.#waiting = waiting;
  }

  /** Why a worker is kept out of its model's pool; undefined where it is not. */
  misfit(workerId: string): string | undefined {
    const record = this.#cluster.get(workerId);
    return record?.fitsPool === false ? record.reason : undefined;
  }

  /** Live plans that need a worker. */
  using(workerId: string): number {
    return this.#book.using(workerId);
  }

  /** Live plans that need an adapter on a worker. */
  usingAdapter(workerId: string, name: string): number {
    return this.#book.usingAdapter(workerId, name);
  }

  /** An adapter as a model's pool serves it; undefined where nobody has it. */
  adapter(model: string, name: string): PoolAdapter | undefined {
    return this.#cluster.pool(model)?.adapters.get(name);
  }

  /** Whether a worker can use an adapter without loading it first. */
  isAdapterWarm(workerId: string, name: string): boolean {
    return this.#planner.adapters.isWarm(workerId, name);
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
    const workers = this.#cluster.workers().map((record) => ({
      workerId: record.facts.workerId,
      hybrid: record.facts.hybrid === true,
      sync: this.#knowledge.view(record.facts.workerId),
      tiers: this.#tiers(record),
      events: Object.fromEntries(eventCounters.map((name) => [name, record.counters[name] ?? 0])),
    }));
    const held = workers.flatMap((worker) => worker.tiers);
    const sum = (entries: TierStatus[]): number =>
      entries.reduce((total, { indexedSegments }) => total + indexedSegments, 0);
    const kv = held.filter(({ holding }) => holding === 'kv');
    return {
      stats: this.#knowledge.index.stats(),
      limits: this.#knowledge.limits,
      replicas: Object.fromEntries(
        tiers.map(tierName).map((name) => [name, sum(kv.filter(({ tier }) => tier === name))]),
      ),
      resumePoints: sum(held) - sum(kv),
      strayMessages: this.#knowledge.counters.strayMessages,
      workers,
    };
  }

  plans(): PlansStatus {
    return {
      policy: this.#planner.treatments.defaults.policy,
      totals: { ...this.#book.totals },
      transfers: this.#planner.ledger.totals(),
      live: this.#book.liveCount,
      waiting: this.#waiting.length,
    };
  }

  /** How requests are treated: by default, and those of single models. */
  treatments(): { defaults: ModelSettings; models: Record<string, OwnSettings> } {
    const { defaults, own } = this.#planner.treatments;
    return { defaults, models: own };
  }

  /** How long decode steps take, as learned from answers. */
  decodeCosts(): LearnedDecodeCost[] {
    return this.#planner.decodes.learned();
  }

  /** Name of what predicts the lengths of answers. */
  outputPredictor(): string {
    return this.#planner.decodes.predictor;
  }

  /** How long prefills take, as learned from those that were given. */
  prefillCosts(): LearnedCost[] {
    return this.#planner.costs.learned();
  }

  /** Newest first. */
  lastPlans(limit: number): PlanRecord[] {
    return this.#book.all().slice(0, limit);
  }

  plan(planId: string): PlanRecord | undefined {
    return this.#book.find(planId);
  }

  /** What the fleet holds of a prompt. @throws RangeError when the keys are not a multiple of 16 bytes */
  lookup(keys: Uint8Array): Match {
    return this.#knowledge.index.match(keys);
  }

  /** Packed keys that a tier of a rank is believed to hold. */
  heldKeys(workerId: string, rank: number, tier: Tier, holding: Holding = 'kv'): Uint8Array {
    return this.#knowledge.index.heldKeys(workerId, rank, tier, holding);
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

  #tiers({ facts: { workerId }, tiers }: WorkerRecord): TierStatus[] {
    return this.#knowledge.accounts(workerId, tiers).map((account) => ({
      tier: tierName(account.tier),
      rank: account.rank,
      holding: account.holding,
      segments: account.state?.segments ?? 0,
      capacitySegments: account.state?.capacitySegments ?? 0,
      indexedSegments: account.indexedSegments,
      same: account.isSame,
    }));
  }
}
