import { Tier } from '@baton/kv';

/** The tiers that an engine speaks of; their place here is their bit in a set of tiers. */
export const engineTiers: readonly Tier[] = [Tier.HBM, Tier.HOST, Tier.STORAGE];

export const ENGINE_TIERS = 3;

/** The set of all of them. */
export const ALL_TIERS = 0b111;

export const HBM_INDEX = 0;
export const HBM_BIT = 1 << HBM_INDEX;

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
