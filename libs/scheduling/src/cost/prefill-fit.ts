import { pairs, prefillMs, type PrefillCost } from './prefill-cost.ts';

/** A prefill that ran alone, and how long it took. */
export interface PrefillObservation {
  newTokens: number;
  contextTokens: number;
  ms: number;
}

/** Weight of what was seen before, at each new observation: about the last 200 count. */
const FORGET = 0.995;
/**
 * An observation that is further off than this, relative to the prediction, counts as this far: as a
 * prompt that shared its steps with another may seem to have taken no time, and one behind work that
 * nobody knew of very long.
 */
const LEAST_RATIO = 0.5;
const MOST_RATIO = 2;
/** How many observations what is believed at first is worth. */
const PRIOR_WEIGHT = 0.05;
/** Of the prompt by whose cost the three terms are brought to one scale. */
const TYPICAL_TOKENS = 4_000;
const TERMS = 3;
const SWEEPS = 30;

/**
 * Fits {@link PrefillCost} to observations: least squares over relative errors with forgetting, limited
 * outliers and no negative term, drawn a little towards what was believed at first.
 */
export class PrefillFit {
  readonly #scale: readonly number[];
  /** The three terms, each as a share of the typical prefill's time. */
  readonly #terms: number[];
  #prior: number[];
  /** Decayed sums of x·xᵀ and x·y of the observations. */
  readonly #squares = Array.from({ length: TERMS }, () => new Array<number>(TERMS).fill(0));
  readonly #products = new Array<number>(TERMS).fill(0);
  #observations = 0;
  #errorShare = 0;

  /** @param prior what is believed at first; `perTokenMs` must be more than 0 */
  constructor(prior: PrefillCost) {
    const typicalMs = prefillMs(prior, TYPICAL_TOKENS, 0);
    this.#scale = [typicalMs, typicalMs / TYPICAL_TOKENS, typicalMs / pairs(TYPICAL_TOKENS, 0)];
    const values = [prior.fixedMs, prior.perTokenMs, prior.perPairMs];
    this.#terms = values.map((value, i) => value / at(this.#scale, i));
    this.#prior = [...this.#terms];
  }

  get observations(): number {
    return this.#observations;
  }

  /** Mean distance of prediction and observation, as a share of the prediction; decays. */
  get errorShare(): number {
    return this.#errorShare;
  }

  cost(): PrefillCost {
    const [fixedMs = 0, perTokenMs = 0, perPairMs = 0] = this.#terms.map(
      (term, i) => term * at(this.#scale, i),
    );
    return { fixedMs, perTokenMs, perPairMs };
  }

  observe({ newTokens, contextTokens, ms }: PrefillObservation): void {
    if (newTokens < 1 || !Number.isFinite(ms) || ms <= 0) return;
    const predictedMs = prefillMs(this.cost(), newTokens, contextTokens);
    // What is believed at first may be of another machine: the first prompt tells which.
    if (this.#observations === 0) this.#rescale(ms / predictedMs);
    this.#learn(newTokens, contextTokens, ms);
    this.#observations += 1;
    const weight = Math.max(1 / this.#observations, 1 - FORGET);
    this.#errorShare += weight * (Math.abs(ms / predictedMs - 1) - this.#errorShare);
  }

  #rescale(factor: number): void {
    this.#prior = this.#prior.map((term) => term * factor);
    this.#prior.forEach((term, i) => (this.#terms[i] = term));
  }

  #learn(newTokens: number, contextTokens: number, ms: number): void {
    const predictedMs = prefillMs(this.cost(), newTokens, contextTokens);
    const amounts = [1, newTokens, pairs(newTokens, contextTokens)];
    const x = amounts.map((amount, i) => (amount * at(this.#scale, i)) / predictedMs);
    const y = Math.max(LEAST_RATIO, Math.min(MOST_RATIO, ms / predictedMs));
    for (let i = 0; i < TERMS; i += 1) {
      this.#products[i] = FORGET * at(this.#products, i) + at(x, i) * y;
      const row = this.#squares[i] as number[];
      for (let j = 0; j < TERMS; j += 1) row[j] = FORGET * at(row, j) + at(x, i) * at(x, j);
    }
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) this.#sweep();
  }

  /** Brings each term in turn to where the error is least, the others as they are. */
  #sweep(): void {
    for (let i = 0; i < TERMS; i += 1) {
      const row = this.#squares[i] as number[];
      let rest = at(this.#products, i) + PRIOR_WEIGHT * at(this.#prior, i);
      for (let j = 0; j < TERMS; j += 1) if (j !== i) rest -= at(row, j) * at(this.#terms, j);
      this.#terms[i] = Math.max(0, rest / (at(row, i) + PRIOR_WEIGHT));
    }
  }
}

function at(values: readonly number[], i: number): number {
  return values[i] as number;
}
