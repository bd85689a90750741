/** Where a segment's bytes are; the numbers are those of baton.v1.Tier. */
export const Tier = {
  /** The engine's own cache. */
  HBM: 1,
  /** The agent's arena in memory. */
  DRAM: 2,
  /** The agent's log on local disk. */
  SSD: 3,
} as const;

export type Tier = (typeof Tier)[keyof typeof Tier];

/** All tiers, nearest to the engine first. */
export const tiers: readonly Tier[] = [Tier.HBM, Tier.DRAM, Tier.SSD];

const names: Readonly<Record<Tier, string>> = { 1: 'hbm', 2: 'dram', 3: 'ssd' };

/** Lower-case name for people and attributes. */
export function tierName(tier: Tier): string {
  return names[tier];
}

/** True for the number of a known tier; a message may carry any. */
export function isTier(value: number): value is Tier {
  return value === Tier.HBM || value === Tier.DRAM || value === Tier.SSD;
}
