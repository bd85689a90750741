import { DecayedFit } from './decayed-fit.ts';
import { pairs, type PrefillCost } from './prefill-cost.ts';

/** A prefill that ran alone, and how long it took. */
export interface PrefillObservation {
  newTokens: number;
  contextTokens: number;
  ms: number;
}

const TYPICAL_TOKENS = 4_000;

/** Fits {@link PrefillCost} to observations, see {@link DecayedFit}. */
export class PrefillFit {
  readonly #fit: DecayedFit;

  /** @param prior what is believed at first; `perTokenMs` must be more than 0 */
  constructor({ fixedMs, perTokenMs, perPairMs }: PrefillCost) {
    const typical = [1, TYPICAL_TOKENS, pairs(TYPICAL_TOKENS, 0)];
    this.#fit = new DecayedFit([fixedMs, perTokenMs, perPairMs], typical);
  }

  get observations(): number {
    return this.#fit.observations;
  }

  /** Mean distance of prediction and observation, as a share of the prediction; decays. */
  get errorShare(): number {
    return this.#fit.errorShare;
  }

  cost(): PrefillCost {
    const [fixedMs = 0, perTokenMs = 0, perPairMs = 0] = this.#fit.coefficients();
    return { fixedMs, perTokenMs, perPairMs };
  }

  observe({ newTokens, contextTokens, ms }: PrefillObservation): void {
    if (newTokens < 1) return;
    this.#fit.observe([1, newTokens, pairs(newTokens, contextTokens)], ms);
  }
}
