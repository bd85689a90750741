import type { HeldBlocks } from '../kv/kv-cache.ts';

export interface TierRates {
  dramBytesPerSec: number;
  ssdBytesPerSec: number;
}

/** Brings blocks from the lower tiers of a worker into its HBM, one request after the other. */
export class TierLoader {
  readonly #rates: TierRates;
  readonly #blockBytes: number;
  #freeAtMs = 0;

  constructor(rates: TierRates, blockBytes: number) {
    this.#rates = rates;
    this.#blockBytes = blockBytes;
  }

  /** When blocks that are asked for now will be there. */
  loadedAtMs({ dram, ssd }: HeldBlocks, nowMs: number): number {
    const { dramBytesPerSec, ssdBytesPerSec } = this.#rates;
    const seconds =
      (this.#blockBytes * dram) / dramBytesPerSec + (this.#blockBytes * ssd) / ssdBytesPerSec;
    this.#freeAtMs = Math.max(nowMs, this.#freeAtMs) + seconds * 1_000;
    return this.#freeAtMs;
  }
}
