import { canDecode, canMoveKv, canPrefill, enginesMoveKv } from '@baton/cluster';
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
  /** The same for a worker that only prefills: one that is busy is waited for. */
  hasDedicated: boolean;
  /** Workers could serve the request later, only not now. */
  isBusy: boolean;
  ineligible: Ineligible;
}

export function eligibleRanks(query: PlanQuery, fleet: FleetView): Eligible {
  const ineligible: Ineligible = [];
  const prefill: RankView[] = [];
  const decode: RankView[] = [];
  const whole: RankView[] = [];
  const prefillers: RankView[] = [];
  const decoders: RankView[] = [];
  let isBusy = false;
  for (const rank of fleet.ranks) {
    const { facts } = rank;
    if (!isUsable(rank, query, ineligible) || !fitsPrompt(rank, query, ineligible)) continue;
    const isMoved = fleet.transfersPossible || enginesMoveKv(facts.layout);
    const prefills = isMoved && canPrefill(facts);
    const decodes = canDecode(facts);
    const hasDecode = decodes && hasDecodeRoom(rank, query, ineligible);
    if (prefills) prefillers.push(rank);
    if (decodes) decoders.push(rank);
    if (hasDecode) decode.push(rank);
    isBusy ||= decodes && !hasDecode;
    if (!prefills && !hasDecode) continue;
    if (rank.hasRoom) {
      if (prefills) prefill.push(rank);
      if (hasDecode && facts.pairOnly !== true) whole.push(rank);
    } else {
      addOnce(ineligible, facts.workerId, 'busy with prefills');
      isBusy = true;
    }
  }
  const canServe = (from: RankView): boolean => decoders.some((to) => canPair(from, to));
  const hasPairs = prefillers.some(canServe);
  const hasDedicated = prefillers.some((from) => from.facts.role === 'prefill' && canServe(from));
  return { prefill, decode, whole, hasPairs, hasDedicated, isBusy, ineligible };
}

/** A request may be prefilled here and decoded there. */
export function canPair(from: RankView, to: RankView): boolean {
  if (from.facts.workerId === to.facts.workerId) return false;
  return canMoveKv(from.facts.layout, to.facts.layout);
}

/** The least of what the ranks that prefill, or where there are none those that decode, would take. */
export function leastMs(
  { excluded, adapter }: PlanQuery,
  { ranks }: FleetView,
  isNow: boolean,
  workMs: (rank: RankView) => number,
): number {
  const isUsable = ({ state, facts }: RankView): boolean =>
    state === 'ready' &&
    !excluded.has(facts.workerId) &&
    adapter?.obstacle(facts.workerId) === undefined;
  const havePrefillers = ranks.some((rank) => canPrefill(rank.facts) && isUsable(rank));
  let least = Infinity;
  for (const rank of ranks) {
    if (havePrefillers && !canPrefill(rank.facts)) continue;
    if ((isNow && !rank.hasRoom) || !isUsable(rank)) continue;
    least = Math.min(least, workMs(rank));
  }
  return least;
}

/** Blocks that the request takes at decode, output included; never more than the rank has. */
export function decodeBlocks(query: PlanQuery, { facts }: RankView): number {
  const { maxOutputTokens, promptTokens } = query;
  const output = Math.min(maxOutputTokens || RESERVED_OUTPUT_TOKENS, RESERVED_OUTPUT_TOKENS);
  const blocks = Math.ceil((promptTokens + output) / facts.layout.blockTokens);
  return Math.min(blocks, facts.kvCapacityBlocks);
}

/** Loading the request's adapter there; 0 without one. */
export function adapterMs({ adapter }: PlanQuery, { facts }: RankView): number {
  return adapter?.loadMs(facts) ?? 0;
}

export function promptBlocks({ promptTokens }: PlanQuery, { facts }: RankView): number {
  return Math.ceil(promptTokens / facts.layout.blockTokens);
}

function isUsable(rank: RankView, query: PlanQuery, ineligible: Ineligible): boolean {
  const { workerId } = rank.facts;
  const obstacle = query.adapter?.obstacle(workerId);
  if (query.excluded.has(workerId)) addOnce(ineligible, workerId, 'failed for this request before');
  else if (rank.state !== 'ready') addOnce(ineligible, workerId, rank.state);
  else if (obstacle !== undefined) addOnce(ineligible, workerId, obstacle);
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
  else if (isTooSlow(rank, query)) reason = 'tokens would come slower than promised';
  if (reason !== undefined) addOnce(ineligible, workerId, reason);
  return reason === undefined;
}

/** An idle rank does it as well as it can be done. */
function isTooSlow(rank: RankView, { tbt }: PlanQuery): boolean {
  if (tbt === undefined || rank.load.streams === 0) return false;
  return (tbt.predictedMs(rank) ?? 0) > tbt.sloMs;
}

/** Ranks of a worker come one after the other. */
function addOnce(ineligible: Ineligible, workerId: string, reason: string): void {
  for (let at = ineligible.length - 1; at >= 0; at -= 1) {
    const one = ineligible[at];
    if (one?.workerId !== workerId) break;
    if (one.reason === reason) return;
  }
  ineligible.push({ workerId, reason });
}
