/** Once the link is up, each side says something at least this often. */
export const LINK_WORD_MS = 1_000;
/** Silence after which the other side counts as hung. Its link stays: it may go on where it stopped. */
export const LINK_SILENCE_MS = 3_000;

/** Looks have to come more often than this. */
const LONGEST_STEP_MS = 500;

/**
 * Tells when the other side of a link is hung. Time in which nobody looked does not count: this process was stopped
 * itself then, and words may wait to be read.
 */
export class SilenceWatch {
  #lookedAtMs: number;
  #silentMs = 0;

  constructor(nowMs: number) {
    this.#lookedAtMs = nowMs;
  }

  get isSilent(): boolean {
    return this.#silentMs >= LINK_SILENCE_MS;
  }

  /** Something was heard. */
  heard(): void {
    this.#silentMs = 0;
  }

  look(nowMs: number): void {
    this.#silentMs += Math.min(nowMs - this.#lookedAtMs, LONGEST_STEP_MS);
    this.#lookedAtMs = nowMs;
  }
}
