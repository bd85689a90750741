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
const SWEEPS = 30;

/**
 * Fits a time to a sum of terms, each a coefficient times an amount: least squares over relative errors
 * with forgetting, limited outliers and no negative coefficient, drawn a little towards what was believed
 * at first.
 */
export class DecayedFit {
  readonly #scale: readonly number[];
  /** The coefficients, each as a share of the typical time. */
  readonly #terms: number[];
  #prior: number[];
  /** Decayed sums of x·xᵀ and x·y of the observations. */
  readonly #squares: number[][];
  readonly #products: number[];
  #observations = 0;
  #errorShare = 0;

  /**
   * @param prior coefficients that are believed at first; their time of `typical` must be more than 0
   * @param typical amounts by whose time the terms are brought to one scale
   */
  constructor(prior: readonly number[], typical: readonly number[]) {
    const typicalMs = timeOf(prior, typical);
    this.#scale = typical.map((amount) => typicalMs / amount);
    this.#terms = prior.map((value, i) => value / at(this.#scale, i));
    this.#prior = [...this.#terms];
    this.#squares = prior.map(() => prior.map(() => 0));
    this.#products = prior.map(() => 0);
  }

  get observations(): number {
    return this.#observations;
  }

  /** Mean distance of prediction and observation, as a share of the prediction; decays. */
  get errorShare(): number {
    return this.#errorShare;
  }

  coefficients(): number[] {
    return this.#terms.map((term, i) => term * at(this.#scale, i));
  }

  /** Times that are no positive number are passed over. */
  observe(amounts: readonly number[], ms: number): void {
    if (!Number.isFinite(ms) || ms <= 0) return;
    const predictedMs = timeOf(this.coefficients(), amounts);
    // What is believed at first may be of another machine: the first observation tells which.
    if (this.#observations === 0) this.#rescale(ms / predictedMs);
    this.#learn(amounts, ms);
    this.#observations += 1;
    const weight = Math.max(1 / this.#observations, 1 - FORGET);
    this.#errorShare += weight * (Math.abs(ms / predictedMs - 1) - this.#errorShare);
  }

  #rescale(factor: number): void {
    this.#prior = this.#prior.map((term) => term * factor);
    this.#prior.forEach((term, i) => (this.#terms[i] = term));
  }

  #learn(amounts: readonly number[], ms: number): void {
    const predictedMs = timeOf(this.coefficients(), amounts);
    const x = amounts.map((amount, i) => (amount * at(this.#scale, i)) / predictedMs);
    const y = Math.max(LEAST_RATIO, Math.min(MOST_RATIO, ms / predictedMs));
    for (let i = 0; i < x.length; i += 1) {
      this.#products[i] = FORGET * at(this.#products, i) + at(x, i) * y;
      const row = this.#squares[i] as number[];
      for (let j = 0; j < x.length; j += 1) row[j] = FORGET * at(row, j) + at(x, i) * at(x, j);
    }
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) this.#sweep();
  }

  /** Brings each term in turn to where the error is least, the others as they are. */
  #sweep(): void {
    for (let i = 0; i < this.#terms.length; i += 1) {
      const row = this.#squares[i] as number[];
      let rest = at(this.#products, i) + PRIOR_WEIGHT * at(this.#prior, i);
      for (let j = 0; j < row.length; j += 1) if (j !== i) rest -= at(row, j) * at(this.#terms, j);
      this.#terms[i] = Math.max(0, rest / (at(row, i) + PRIOR_WEIGHT));
    }
  }
}

function timeOf(coefficients: readonly number[], amounts: readonly number[]): number {
  return coefficients.reduce((sum, coefficient, i) => sum + coefficient * at(amounts, i), 0);
}

function at(values: readonly number[], i: number): number {
  return values[i] as number;
}
