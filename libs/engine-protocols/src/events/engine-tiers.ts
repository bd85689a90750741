import { Tier } from '@baton/kv';

/** The tiers that an engine speaks of; their place here is their bit in a set of tiers. */
export const engineTiers: readonly Tier[] = [Tier.HBM, Tier.HOST, Tier.STORAGE];

/** How many they are. */
export const ENGINE_TIERS = engineTiers.length;

/** Ways in which an engine holds a segment: each tier, and each tier as a resume point. */
export const HOLDINGS = ENGINE_TIERS * 2;

/** The set of all tiers. */
export const ALL_TIERS = 0b111;

export const HBM_INDEX = 0;
export const HBM_BIT = 1 << HBM_INDEX;

/** The holding of a tier, by its place. */
export function holdingOf(tier: number, resumePoints: boolean): number {
  return resumePoints ? ENGINE_TIERS + tier : tier;
}

/** Place of a tier among them; -1 for one that no engine speaks of. */
export function engineTierIndex(tier: number): number {
  switch (tier) {
    case Tier.HBM:
      return HBM_INDEX;
    case Tier.HOST:
      return 1;
    case Tier.STORAGE:
      return 2;
    default:
      return -1;
  }
}
