import type { HeldBlocks } from '../kv/kv-cache.ts';

export interface TierRates {
  dramBytesPerSec: number;
  ssdBytesPerSec: number;
}

/** Brings blocks from the lower tiers of a worker into its HBM, one request after the other. */
export class TierLoader {
  readonly #rates: TierRates;
  readonly #blockBytes: number;
  readonly #measured: TierRates = { dramBytesPerSec: 0, ssdBytesPerSec: 0 };
  #freeAtMs = 0;

  constructor(rates: TierRates, blockBytes: number) {
    this.#rates = rates;
    this.#blockBytes = blockBytes;
  }

  /** As far as there was something to load; 0 before. */
  get measured(): Readonly<TierRates> {
    return this.#measured;
  }

  /** When blocks that are asked for now will be there. */
  loadedAtMs({ dram, ssd }: HeldBlocks, nowMs: number): number {
    const loadMs = this.#load('dramBytesPerSec', dram) + this.#load('ssdBytesPerSec', ssd);
    this.#freeAtMs = Math.max(nowMs, this.#freeAtMs) + loadMs;
    return this.#freeAtMs;
  }

  #load(rate: keyof TierRates, blocks: number): number {
    if (blocks === 0) return 0;
    this.#measured[rate] = this.#rates[rate];
    return ((this.#blockBytes * blocks) / this.#rates[rate]) * 1_000;
  }
}
