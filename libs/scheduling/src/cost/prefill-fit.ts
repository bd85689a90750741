import { pairs, prefillMs, type PrefillCost } from './prefill-cost.ts';

/** A prefill that ran alone, and how long it took. */
export interface PrefillObservation {
  newTokens: number;
  contextTokens: number;
  ms: number;
}

/** Weight of what was seen before, at each new observation: about the last 200 count. */
const FORGET = 0.995;
/** An observation that is further off than this, relative to the prediction, counts as this far. */
const MAX_RESIDUAL = 1;
/** How little is known at first, in shares of a typical prefill. */
const PRIOR_VARIANCE = 0.25;
/** Certainty never falls below this, however seldom a kind of prompt comes. */
const MAX_VARIANCE = 1;
/** Of the prompt by whose cost the three terms are brought to one scale. */
const TYPICAL_TOKENS = 4_000;
const TERMS = 3;

/**
 * Fits {@link PrefillCost} to observations: recursive least squares over relative errors, with
 * forgetting, limited residuals and no negative term.
 */
export class PrefillFit {
  readonly #scale: readonly number[];
  /** The three terms, each as a share of the typical prefill's time. */
  #terms: number[];
  #variance: number[][];
  #observations = 0;
  #errorShare = 0;

  /** @param prior what is believed at first; `perTokenMs` must be more than 0 */
  constructor(prior: PrefillCost) {
    const typicalMs = prefillMs(prior, TYPICAL_TOKENS, 0);
    this.#scale = [typicalMs, typicalMs / TYPICAL_TOKENS, typicalMs / pairs(TYPICAL_TOKENS, 0)];
    const values = [prior.fixedMs, prior.perTokenMs, prior.perPairMs];
    this.#terms = values.map((value, i) => value / at(this.#scale, i));
    this.#variance = identity(PRIOR_VARIANCE);
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
    if (predictedMs <= 0) return;
    // What is believed at first may be of another machine: the first prompt tells which.
    if (this.#observations === 0) this.#terms = this.#terms.map((t) => (t * ms) / predictedMs);
    this.#learn(newTokens, contextTokens, ms);
    this.#observations += 1;
    const weight = Math.max(1 / this.#observations, 1 - FORGET);
    this.#errorShare += weight * (Math.abs(ms / predictedMs - 1) - this.#errorShare);
  }

  #learn(newTokens: number, contextTokens: number, ms: number): void {
    const predictedMs = prefillMs(this.cost(), newTokens, contextTokens);
    const amounts = [1, newTokens, pairs(newTokens, contextTokens)];
    const x = amounts.map((amount, i) => (amount * at(this.#scale, i)) / predictedMs);
    const residual = Math.max(-MAX_RESIDUAL, Math.min(MAX_RESIDUAL, ms / predictedMs - 1));
    const px = this.#variance.map((row) => dot(row, x));
    const gain = px.map((value) => value / (FORGET + dot(x, px)));
    this.#terms = this.#terms.map((term, i) => Math.max(0, term + at(gain, i) * residual));
    this.#variance = this.#variance.map((row, i) =>
      row.map((value, j) => (value - at(gain, i) * at(px, j)) / FORGET),
    );
    this.#limitVariance();
  }

  /** Forgetting would let the variance of what is never seen grow for ever. */
  #limitVariance(): void {
    const largest = Math.max(...this.#variance.map((row, i) => at(row, i)));
    if (largest <= MAX_VARIANCE) return;
    const shrink = MAX_VARIANCE / largest;
    this.#variance = this.#variance.map((row) => row.map((value) => value * shrink));
  }
}

function identity(diagonal: number): number[][] {
  return Array.from({ length: TERMS }, (_, i) =>
    Array.from({ length: TERMS }, (_unused, j) => (i === j ? diagonal : 0)),
  );
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * at(b, i), 0);
}

function at(values: readonly number[], i: number): number {
  return values[i] as number;
}
