import type { Leg, RankView } from './policy.ts';

/** Tokens that the rank has yet to compute or, where it decodes, whose KV it keeps. */
export function tokensToDo(leg: Leg, { load, facts }: RankView): number {
  return leg === 'decode' ? load.kvBlocks * facts.layout.blockTokens : load.prefillTokens;
}

/** Share of its KV blocks that the engine says are in use; undefined before its first report. */
export function reportedKvUsage({ reported, facts }: RankView): number | undefined {
  return reported === undefined ? undefined : reported.kvUsedBlocks / facts.kvCapacityBlocks;
}
