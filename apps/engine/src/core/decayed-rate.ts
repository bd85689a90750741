const HALF_LIFE_SEC = 10;

/** An amount per second of busy time; what is longer ago counts less. */
export class DecayedRate {
  #amount = 0;
  #seconds = 0;

  add(amount: number, seconds: number): void {
    if (amount <= 0 || seconds <= 0) return;
    const keep = 0.5 ** (seconds / HALF_LIFE_SEC);
    this.#amount = this.#amount * keep + amount;
    this.#seconds = this.#seconds * keep + seconds;
  }

  /** 0 while nothing was measured. */
  get perSec(): number {
    return this.#seconds === 0 ? 0 : this.#amount / this.#seconds;
  }
}
