/** Share of a new answer in the mean: about the last 50 count. */
const WEIGHT = 0.02;
/** Before the first answer. */
const FIRST_GUESS_TOKENS = 256;
/** Models that are remembered. */
const MAX_MODELS = 256;

/**
 * Predicts how many tokens an answer will have: the mean of the model's recent answers, and no more
 * than the client allows. What the answer will be in truth nobody can know.
 */
export class RecentMean {
  readonly name = 'recent-mean';
  readonly #means = new Map<string, { tokens: number; answers: number }>();

  /** @param maxOutputTokens that the client allows; 0 for no limit */
  predict(model: string, maxOutputTokens: number): number {
    const tokens = this.#means.get(model)?.tokens ?? FIRST_GUESS_TOKENS;
    return maxOutputTokens > 0 ? Math.min(tokens, maxOutputTokens) : tokens;
  }

  /** An answer has come to its end. */
  observe(model: string, outputTokens: number): void {
    const mean = this.#means.get(model) ?? { tokens: 0, answers: 0 };
    mean.answers += 1;
    mean.tokens += Math.max(WEIGHT, 1 / mean.answers) * (outputTokens - mean.tokens);
    this.#means.delete(model);
    this.#means.set(model, mean);
    for (const oldest of this.#means.keys()) {
      if (this.#means.size <= MAX_MODELS) break;
      this.#means.delete(oldest);
    }
  }
}
