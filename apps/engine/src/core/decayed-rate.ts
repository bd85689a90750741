const HALF_LIFE_SEC = 10;

/** Tokens per second of busy time; what is longer ago counts less. */
export class DecayedRate {
  #tokens = 0;
  #seconds = 0;

  add(tokens: number, seconds: number): void {
    if (tokens <= 0 || seconds <= 0) return;
    const keep = 0.5 ** (seconds / HALF_LIFE_SEC);
    this.#tokens = this.#tokens * keep + tokens;
    this.#seconds = this.#seconds * keep + seconds;
  }

  /** 0 while nothing was measured. */
  get tokensPerSec(): number {
    return this.#seconds === 0 ? 0 : this.#tokens / this.#seconds;
  }
}
