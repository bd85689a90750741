import type { TierState } from '@baton/cluster';
import type { Holding, SegmentIndex } from '@baton/index';
import { isTier, KEY_BYTES, sameKey, tierName, tiers, type Tier } from '@baton/kv';

const holdings: readonly Holding[] = ['kv', 'resumePoints'];

/** One holding of one rank, by the agent's account and by the index. */
export interface TierAccount {
  rank: number;
  tier: Tier;
  holding: Holding;
  /** Undefined when the agent says nothing of it. */
  state: TierState | undefined;
  indexedSegments: number;
  isSame: boolean;
}

/**
 * Everything that the agent or the index knows of a worker, side by side. Tiers that are not known
 * are left out.
 */
export function tierAccounts(
  index: SegmentIndex,
  workerId: string,
  states: readonly TierState[],
): TierAccount[] {
  const told = new Map<string, TierState>();
  const ranks = new Set(index.ranksOf(workerId));
  for (const state of states) {
    if (!isTier(state.tier)) continue;
    told.set(nameOf(state.rank, state.tier, holdingOf(state)), state);
    ranks.add(state.rank);
  }
  const accounts: TierAccount[] = [];
  for (const rank of ranks) {
    for (const tier of tiers) {
      for (const holding of holdings) {
        const state = told.get(nameOf(rank, tier, holding));
        const ours = index.tierDigest(workerId, rank, tier, holding);
        if (state === undefined && ours.segments === 0) continue;
        const isSame =
          (state?.segments ?? 0) === ours.segments &&
          (state?.xor.length !== KEY_BYTES || sameKey(state.xor, ours.xor));
        accounts.push({
          ...{ rank, tier, holding, state },
          ...{ indexedSegments: ours.segments, isSame },
        });
      }
    }
  }
  return accounts;
}

/** The first difference between both accounts in words; undefined when they agree. */
export function firstDifference(accounts: readonly TierAccount[]): string | undefined {
  const account = accounts.find(({ isSame }) => !isSame);
  if (account === undefined) return undefined;
  const { rank, tier, holding, state, indexedSegments } = account;
  const kind = holding === 'kv' ? 'segments' : 'resume points';
  const what = `rank ${rank} ${tierName(tier)}:`;
  const theirs = state?.segments ?? 0;
  if (theirs === indexedSegments) return `${what} other ${kind}`;
  return `${what} ${indexedSegments} ${kind}, not ${theirs}`;
}

function holdingOf(state: TierState): Holding {
  return state.resumePoints === true ? 'resumePoints' : 'kv';
}

function nameOf(rank: number, tier: Tier, holding: Holding): string {
  return `${rank} ${tier} ${holding}`;
}
