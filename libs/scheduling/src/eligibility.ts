import { canDecode, canMoveKv, canPrefill } from '@baton/cluster';
import type { Explanation, FleetView, PlanQuery, RankView } from './policy.ts';

export type Ineligible = Explanation['ineligible'];

/** Output for which decode keeps room when the client allows more. */
export const RESERVED_OUTPUT_TOKENS = 1024;

/** Who may run what of one request now, before anybody is preferred. */
export interface Eligible {
  /** May prefill for another worker, now. */
  prefill: RankView[];
  /** Have room for the whole KV and for one more stream, as decode needs it. */
  decode: RankView[];
  /** Of `decode`, those that may be given the prefill as well, now. */
  whole: RankView[];
  /** Prefill for another worker is possible, now or later. */
  hasPairs: boolean;
  /** Workers could serve the request later, only not now. */
  isBusy: boolean;
  ineligible: Ineligible;
}

export function eligibleRanks(query: PlanQuery, fleet: FleetView): Eligible {
  const ineligible: Ineligible = [];
  const usable = fleet.ranks.filter((rank) => isUsable(rank, query, ineligible));
  const able = usable.filter((rank) => fitsPrompt(rank, query, ineligible));
  const decoders = able.filter((rank) => canDecode(rank.facts));
  const decode = decoders.filter((rank) => hasDecodeRoom(rank, query, ineligible));
  const prefillers = fleet.transfersPossible ? able.filter((rank) => canPrefill(rank.facts)) : [];
  const prefill = prefillers.filter((rank) => mayPrefill(rank, ineligible));
  const whole = decode.filter((rank) => mayPrefill(rank, ineligible));
  const isBusy =
    decoders.length > decode.length ||
    decode.length > whole.length ||
    prefillers.length > prefill.length;
  const hasPairs = prefillers.some((from) => decoders.some((to) => canPair(from, to)));
  return { prefill, decode, whole, hasPairs, isBusy, ineligible };
}

/** A request may be prefilled here and decoded there. */
export function canPair(from: RankView, to: RankView): boolean {
  if (from.facts.workerId === to.facts.workerId) return false;
  return canMoveKv(from.facts.layout, to.facts.layout);
}

/** The least of what the ranks that prefill, or where there are none those that decode, would take. */
export function leastMs(
  { excluded }: PlanQuery,
  { ranks }: FleetView,
  isNow: boolean,
  workMs: (rank: RankView) => number,
): number {
  const usable = ranks.filter(
    ({ state, facts }) => state === 'ready' && !excluded.has(facts.workerId),
  );
  const prefillers = usable.filter((rank) => canPrefill(rank.facts));
  const able = prefillers.length > 0 ? prefillers : usable;
  return able.reduce(
    (least, rank) => (isNow && !rank.hasRoom ? least : Math.min(least, workMs(rank))),
    Infinity,
  );
}

/** Blocks that the request takes at decode, output included; never more than the rank has. */
export function decodeBlocks(query: PlanQuery, { facts }: RankView): number {
  const { maxOutputTokens, promptTokens } = query;
  const output = Math.min(maxOutputTokens || RESERVED_OUTPUT_TOKENS, RESERVED_OUTPUT_TOKENS);
  const blocks = Math.ceil((promptTokens + output) / facts.layout.blockTokens);
  return Math.min(blocks, facts.kvCapacityBlocks);
}

export function promptBlocks({ promptTokens }: PlanQuery, { facts }: RankView): number {
  return Math.ceil(promptTokens / facts.layout.blockTokens);
}

function mayPrefill(rank: RankView, ineligible: Ineligible): boolean {
  if (!rank.hasRoom) addOnce(ineligible, rank.facts.workerId, 'busy with prefills');
  return rank.hasRoom;
}

function isUsable(rank: RankView, query: PlanQuery, ineligible: Ineligible): boolean {
  const { workerId } = rank.facts;
  if (query.excluded.has(workerId)) addOnce(ineligible, workerId, 'failed for this request before');
  else if (rank.state !== 'ready') addOnce(ineligible, workerId, rank.state);
  else return true;
  return false;
}

function fitsPrompt(rank: RankView, query: PlanQuery, ineligible: Ineligible): boolean {
  if (promptBlocks(query, rank) <= rank.facts.kvCapacityBlocks) return true;
  addOnce(ineligible, rank.facts.workerId, 'prompt exceeds its KV cache');
  return false;
}

function hasDecodeRoom(rank: RankView, query: PlanQuery, ineligible: Ineligible): boolean {
  const { workerId, kvCapacityBlocks, maxSequences } = rank.facts;
  let reason: string | undefined;
  if (rank.load.kvBlocks + decodeBlocks(query, rank) > kvCapacityBlocks) reason = 'KV cache full';
  else if (rank.load.streams >= maxSequences) reason = 'all sequences taken';
  if (reason !== undefined) addOnce(ineligible, workerId, reason);
  return reason === undefined;
}

function addOnce(ineligible: Ineligible, workerId: string, reason: string): void {
  const isKnown = ineligible.some((one) => one.workerId === workerId && one.reason === reason);
  if (!isKnown) ineligible.push({ workerId, reason });
}
