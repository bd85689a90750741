/** Where a segment's bytes are; the numbers are those of baton.v1.Tier. */
export const Tier = {
  /** The engine's own cache. */
  HBM: 1,
  /** The agent's arena in memory. */
  DRAM: 2,
  /** The agent's log on local disk. */
  SSD: 3,
  /** Memory beside the engine that it or its offloader owns. */
  HOST: 4,
  /** A disk or object store that the engine or another system owns. */
  STORAGE: 5,
} as const;

export type Tier = (typeof Tier)[keyof typeof Tier];

/** All tiers, nearest to the engine first. */
export const tiers: readonly Tier[] = [Tier.HBM, Tier.HOST, Tier.DRAM, Tier.SSD, Tier.STORAGE];

const names: Readonly<Record<Tier, string>> = {
  1: 'hbm',
  2: 'dram',
  3: 'ssd',
  4: 'host',
  5: 'storage',
};

/** Lower-case name for people and attributes. */
export function tierName(tier: Tier): string {
  return names[tier];
}

/** True for the number of a known tier; a message may carry any. */
export function isTier(value: number): value is Tier {
  return Number.isInteger(value) && value >= Tier.HBM && value <= Tier.STORAGE;
}
