import { isRankOf } from '../rank-name.ts';
import type { PrefillCost } from './prefill-cost.ts';
import { prefillMs } from './prefill-cost.ts';
import { PrefillFit, type PrefillObservation } from './prefill-fit.ts';
import { RankFactors } from './rank-factors.ts';

export interface CostBookOptions {
  /** Of a worker of which nothing else is known. */
  prefillTokensPerSec: number;
}

export interface LearnedCost {
  kind: string;
  cost: PrefillCost;
  observations: number;
  /** Mean distance of prediction and observation, as a share of the prediction. */
  errorShare: number;
}

/** A shorter prefill counts less: its time is mostly what surrounds computing, and that varies. */
const SURE_MS = 200;
/** Kinds of workers that are remembered. */
const MAX_KINDS = 64;

/** What is known of workers with the same model and engine. */
interface Kind {
  fit: PrefillFit;
  /** Of the fit as it is now. */
  cost: PrefillCost;
  factors: RankFactors;
}

/**
 * Prefill times of all ranks: the shape is learned from all workers of a kind (same model and engine),
 * and for each rank a factor of what it computes. The fixed part is the way to the engine and back, and
 * no rank's own: else a rank that computes a little quicker would seem to be nearer, too.
 */
export class CostBook {
  readonly #options: CostBookOptions;
  readonly #kinds = new Map<string, Kind>();
  #revision = 0;

  constructor(options: CostBookOptions) {
    this.#options = options;
  }

  /** Another number after each change of what is known. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * @param kind of worker
   * @param rank by {@link rankName}
   * @param reportedRate tokens per second; 0 while its engine has measured nothing
   */
  cost(kind: string, rank: string, reportedRate: number): PrefillCost {
    const known = this.#kinds.get(kind);
    if (known === undefined) return this.#prior(reportedRate);
    const { fixedMs, perTokenMs, perPairMs } = known.cost;
    const factor = known.factors.of(rank);
    return { fixedMs, perTokenMs: perTokenMs * factor, perPairMs: perPairMs * factor };
  }

  /** Whether a prediction for a rank rests on anything that was measured. */
  isCalibrated(kind: string, reportedRate: number): boolean {
    return reportedRate > 0 || this.#kinds.has(kind);
  }

  /**
   * @param rank by {@link rankName}
   * @param reportedRate as in {@link CostBook.cost}
   */
  observe(kind: string, rank: string, reportedRate: number, observation: PrefillObservation): void {
    this.#revision += 1;
    const known = this.#kindOf(kind, reportedRate);
    const { fit, factors, cost } = known;
    const expectedMs =
      prefillMs(cost, observation.newTokens, observation.contextTokens) - cost.fixedMs;
    const computedMs = Math.max(0, observation.ms - cost.fixedMs);
    // The first one tells how wrong the belief about the kind was, and nothing of the rank.
    if (fit.observations > 0 && expectedMs > 0 && observation.ms > 0) {
      factors.observe(rank, computedMs / expectedMs, Math.min(1, expectedMs / SURE_MS));
    }
    const fixedMs = observation.ms - computedMs;
    fit.observe({ ...observation, ms: fixedMs + computedMs / factors.of(rank) });
    known.cost = fit.cost();
  }

  /** What has been learned of each kind of worker. */
  learned(): LearnedCost[] {
    return [...this.#kinds].map(([kind, { fit }]) => ({
      kind,
      cost: fit.cost(),
      observations: fit.observations,
      errorShare: fit.errorShare,
    }));
  }

  forgetWorker(workerId: string): void {
    this.#revision += 1;
    for (const { factors } of this.#kinds.values()) {
      factors.forget((rank) => isRankOf(workerId, rank));
    }
  }

  #kindOf(name: string, reportedRate: number): Kind {
    let kind = this.#kinds.get(name);
    if (kind === undefined) {
      const fit = new PrefillFit(this.#prior(reportedRate));
      kind = { fit, cost: fit.cost(), factors: new RankFactors() };
      this.#kinds.set(name, kind);
      for (const oldest of this.#kinds.keys()) {
        if (this.#kinds.size <= MAX_KINDS) break;
        this.#kinds.delete(oldest);
      }
    }
    return kind;
  }

  #prior(tokensPerSec: number): PrefillCost {
    const perSec = tokensPerSec > 0 ? tokensPerSec : this.#options.prefillTokensPerSec;
    return { fixedMs: 0, perTokenMs: 1000 / perSec, perPairMs: 0 };
  }
}
