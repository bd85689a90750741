import { tiers } from '@baton/kv';
import { holdingIndex, type RankEntry } from './holder.ts';
import type { Holders } from './holders.ts';
import type { HolderSets } from './holder-sets.ts';
import { Match, NO_HOLDER, type MatchedRank, type MatchSpan } from './match.ts';

/** Bit of a holding in {@link Holders.bits}: KV at even places, resume points at odd ones. */
const HBM_KV = 1 << 0;
const HBM_RESUME = 1 << 1;
const DRAM_KV = 1 << 2;
const DRAM_RESUME = 1 << 3;
const MEMORY_KV = HBM_KV | DRAM_KV;
const ANY_KV = bitsAt(0);
const ANY_RESUME = bitsAt(1);
/** Of the KV in each tier, in their order. */
const KV_PLACES = tiers.map((tier) => holdingIndex(tier, 'kv'));

/**
 * Follows a prompt through the spans of segments that have the same holders, and says how far each
 * rank comes without a gap. Works on arrays that are kept from match to match.
 */
export class Matcher {
  readonly #holders: Holders;
  readonly #sets: HolderSets;
  readonly #spans: MatchSpan[] = [];
  /** Ranks met in this match, and in its newest span. */
  #met: number[] = [];
  #inSpan: number[] = [];
  /** By rank id, zero between matches: what it holds in this span and in any. */
  #bits = new Uint16Array(0);
  #union = new Uint16Array(0);
  /** How far it comes in HBM, in HBM and then DRAM, in any tier; and where it could resume. */
  #hbm = new Int32Array(0);
  #memory = new Int32Array(0);
  #local = new Int32Array(0);
  #hbmResume = new Int32Array(0);
  #memoryResume = new Int32Array(0);
  #localResume = new Int32Array(0);
  /** Where its last segment in memory ends. */
  #reach = new Int32Array(0);

  constructor(holders: Holders, sets: HolderSets) {
    this.#holders = holders;
    this.#sets = sets;
  }

  begin(): void {
    this.#spans.length = 0;
    this.#met = [];
    if (this.#bits.length < this.#holders.rankLimit) this.#makeRoom(this.#holders.rankLimit);
  }

  /** True when anybody who counts is in the set. */
  isHeld(set: number): boolean {
    const bits = this.#holders.bits;
    return this.#sets.members(set).some((holder) => bits[holder] !== 0);
  }

  /** Segments `first` to `end` (exclusive) have this set of holders. Spans come in order, without gaps. */
  span(set: number, first: number, end: number): void {
    const { bits, rankIds } = this.#holders;
    const holders = this.#sets.members(set).slice();
    this.#spans.push({ first, end, holders });
    this.#inSpan.length = 0;
    for (let i = 0; i < holders.length; i += 1) {
      const holder = holders[i] as number;
      const bit = bits[holder] as number;
      if (bit === 0) continue;
      const rank = rankIds[holder] as number;
      if (this.#bits[rank] === 0) this.#inSpan.push(rank);
      this.#bits[rank] = (this.#bits[rank] as number) | bit;
    }
    for (const rank of this.#inSpan) {
      const held = this.#bits[rank] as number;
      this.#bits[rank] = 0;
      if (this.#union[rank] === 0) this.#met.push(rank);
      this.#union[rank] = (this.#union[rank] as number) | held;
      this.#advance(rank, held, first, end);
    }
  }

  finish(segments: number, knownSegments: number): Match {
    const ranks: MatchedRank[] = [];
    const holders = new Uint16Array(this.#met.length * tiers.length);
    for (let i = 0; i < this.#met.length; i += 1) {
      const id = this.#met[i] as number;
      const entry = this.#holders.rankById(id);
      if (entry !== undefined) ranks.push(this.#matched(id, entry, ranks.length, holders));
      this.#union[id] = 0;
      this.#hbm[id] = this.#memory[id] = this.#local[id] = this.#reach[id] = 0;
      this.#hbmResume[id] = this.#memoryResume[id] = this.#localResume[id] = 0;
    }
    return new Match(segments, knownSegments, ranks, [...this.#spans], holders);
  }

  #advance(rank: number, held: number, first: number, end: number): void {
    if ((held & MEMORY_KV) !== 0) this.#reach[rank] = end;
    if ((held & ANY_KV) !== 0 && this.#local[rank] === first) {
      this.#local[rank] = end;
      if ((held & ANY_RESUME) !== 0) this.#localResume[rank] = end;
    }
    if ((held & HBM_KV) !== 0 && this.#hbm[rank] === first) {
      this.#hbm[rank] = this.#memory[rank] = end;
      if ((held & HBM_RESUME) !== 0) this.#hbmResume[rank] = this.#memoryResume[rank] = end;
    } else if ((held & DRAM_KV) !== 0 && this.#memory[rank] === first) {
      this.#memory[rank] = end;
      if ((held & DRAM_RESUME) !== 0) this.#memoryResume[rank] = end;
    }
  }

  #matched(id: number, entry: RankEntry, position: number, ids: Uint16Array): MatchedRank {
    const { workerId, worker, rank, holders } = entry;
    const isCut = worker.isHybrid;
    const held = {
      workerId,
      rank,
      hbmSegments: (isCut ? this.#hbmResume : this.#hbm)[id] as number,
      memorySegments: (isCut ? this.#memoryResume : this.#memory)[id] as number,
      localSegments: (isCut ? this.#localResume : this.#local)[id] as number,
    };
    const union = this.#union[id] as number;
    for (let i = 0; i < KV_PLACES.length; i += 1) {
      const place = KV_PLACES[i] as number;
      const isHolder = (union & (1 << place)) !== 0;
      ids[position * KV_PLACES.length + i] = isHolder
        ? (holders[place]?.id ?? NO_HOLDER)
        : NO_HOLDER;
    }
    return { held, reachSegments: this.#reach[id] as number, position, sibling: undefined };
  }

  #makeRoom(ranks: number): void {
    const length = Math.max(16, ranks * 2);
    this.#bits = new Uint16Array(length);
    this.#union = new Uint16Array(length);
    this.#hbm = new Int32Array(length);
    this.#memory = new Int32Array(length);
    this.#local = new Int32Array(length);
    this.#hbmResume = new Int32Array(length);
    this.#memoryResume = new Int32Array(length);
    this.#localResume = new Int32Array(length);
    this.#reach = new Int32Array(length);
  }
}

function bitsAt(offset: number): number {
  return tiers.reduce((bits, tier) => bits | (1 << ((tier - 1) * 2 + offset)), 0);
}
