import type { PlacedRank } from '../policy.ts';
import { isRankOf, rankName } from '../rank-name.ts';
import type { PrefillCost } from './prefill-cost.ts';
import { prefillMs } from './prefill-cost.ts';
import { PrefillFit, type PrefillObservation } from './prefill-fit.ts';

export interface CostBookOptions {
  /** Of a worker of which nothing else is known. */
  prefillTokensPerSec: number;
  /** Known beforehand, e.g. from another day; then no worker has to be measured first. */
  prefillCost?: PrefillCost | undefined;
}

/** What a rank's engine has said of itself. */
export interface Reported {
  prefillTokensPerSec: number;
}

export interface LearnedCost {
  kind: string;
  cost: PrefillCost;
  observations: number;
  /** Mean distance of prediction and observation, as a share of the prediction. */
  errorShare: number;
}

/** Share of a new measurement in a rank's factor. */
const WEIGHT = 0.1;
/** A shorter prefill counts less: what surrounds it is most of its time, and that is no rank's own. */
const SURE_MS = 200;
/** One measurement counts as at most so many times too slow or too quick. */
const MAX_RATIO = 4;
const MAX_FACTOR = 10;
/** Kinds of workers that are remembered. */
const MAX_KINDS = 64;

/**
 * Prefill times of all ranks: the shape is learned from all workers of a kind (same model and engine),
 * and for each rank a factor.
 */
export class CostBook {
  readonly #options: CostBookOptions;
  readonly #kinds = new Map<string, PrefillFit>();
  /** By rank, how many times as long as its kind of worker it takes. */
  readonly #factors = new Map<string, number>();

  constructor(options: CostBookOptions) {
    this.#options = options;
  }

  /**
   * @param kind of worker
   * @param reported 0 tokens per second while its engine has measured nothing
   */
  cost(kind: string, place: PlacedRank, reported: Reported | undefined): PrefillCost {
    const shape = this.#kinds.get(kind)?.cost();
    if (shape === undefined) return this.#prior(reported?.prefillTokensPerSec ?? 0);
    return scaled(shape, this.#factors.get(rankName(place)) ?? 1);
  }

  /** Whether a prediction for this rank rests on anything that was measured or given. */
  isCalibrated(kind: string, reported: Reported | undefined): boolean {
    const isKnown = this.#options.prefillCost !== undefined || this.#kinds.has(kind);
    return isKnown || (reported?.prefillTokensPerSec ?? 0) > 0;
  }

  observe(
    kind: string,
    place: PlacedRank,
    reported: Reported | undefined,
    observation: PrefillObservation,
  ): void {
    const fit = this.#fitOf(kind, reported);
    const expectedMs = prefillMs(fit.cost(), observation.newTokens, observation.contextTokens);
    let factor = this.#factors.get(rankName(place)) ?? 1;
    // The first one tells how wrong the belief about the kind was, and nothing of the rank.
    if (fit.observations > 0 && expectedMs > 0 && observation.ms > 0) {
      const ratio = clamp(observation.ms / expectedMs, MAX_RATIO);
      const weight = WEIGHT * Math.min(1, expectedMs / SURE_MS);
      factor = clamp(factor + weight * (ratio - factor), MAX_FACTOR);
      this.#factors.set(rankName(place), factor);
    }
    fit.observe({ ...observation, ms: observation.ms / factor });
  }

  /** What has been learned of each kind of worker. */
  learned(): LearnedCost[] {
    return [...this.#kinds].map(([kind, fit]) => ({
      kind,
      cost: fit.cost(),
      observations: fit.observations,
      errorShare: fit.errorShare,
    }));
  }

  forgetWorker(workerId: string): void {
    for (const name of [...this.#factors.keys()]) {
      if (isRankOf(workerId, name)) this.#factors.delete(name);
    }
  }

  #fitOf(kind: string, reported: Reported | undefined): PrefillFit {
    let fit = this.#kinds.get(kind);
    if (fit === undefined) {
      fit = new PrefillFit(this.#prior(reported?.prefillTokensPerSec ?? 0));
      this.#kinds.set(kind, fit);
      for (const oldest of this.#kinds.keys()) {
        if (this.#kinds.size <= MAX_KINDS) break;
        this.#kinds.delete(oldest);
      }
    }
    return fit;
  }

  #prior(tokensPerSec: number): PrefillCost {
    const { prefillCost, prefillTokensPerSec } = this.#options;
    if (prefillCost !== undefined) return prefillCost;
    const perSec = tokensPerSec > 0 ? tokensPerSec : prefillTokensPerSec;
    return { fixedMs: 0, perTokenMs: 1000 / perSec, perPairMs: 0 };
  }
}

function scaled({ fixedMs, perTokenMs, perPairMs }: PrefillCost, factor: number): PrefillCost {
  return {
    fixedMs: fixedMs * factor,
    perTokenMs: perTokenMs * factor,
    perPairMs: perPairMs * factor,
  };
}

function clamp(value: number, limit: number): number {
  return Math.min(limit, Math.max(1 / limit, value));
}
