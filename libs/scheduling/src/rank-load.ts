import type { Leg, RankView } from './policy.ts';

/** Tokens that the rank has yet to compute or, where it decodes, whose KV it keeps. */
export function tokensToDo(leg: Leg, { load, facts }: RankView): number {
  return leg === 'decode' ? load.kvBlocks * facts.layout.blockTokens : load.prefillTokens;
}

/**
 * Share of its KV blocks that requests use, those that only cache left out; undefined before the
 * engine's first report, which shows what others than Baton have sent.
 */
export function kvUsage({ reported, load, facts }: RankView): number | undefined {
  return reported === undefined ? undefined : load.kvBlocks / facts.kvCapacityBlocks;
}
