import { EMPTY_SET } from '@baton/index';
import { TIERS, type BlockIndex } from './block-index.ts';

/** Where a rank is on its way down: it takes what it finds in this tier or a lower one, and never returns upward. */
const DONE = TIERS;

/** Blocks from the first one on that a rank can use without computing: cumulative, none of them decreases. */
export interface RankBlocksFound {
  /** Number of the rank in the context. */
  rank: number;
  gpu: number;
  cpu: number;
  disk: number;
}

/**
 * Follows the blocks of a prompt through an index. Each rank has one cursor that goes through its own cache, then on
 * through memory, then on through disk, and stops at the first block that it lacks. Blocks that the same ranks hold in
 * the same tiers cost one step each, whoever holds them.
 */
export class BlockMatch {
  readonly #index: BlockIndex;
  /** By rank: tiers in which it holds the blocks of the present set. */
  #bits = new Uint8Array(0);
  #tier = new Uint8Array(0);
  #reached: Int32Array[] = [];
  /** Ranks whose cursor still moves, and all that ever did. */
  #active: number[] = [];
  #met: number[] = [];
  #set = EMPTY_SET;
  #blocks = 0;

  constructor(index: BlockIndex) {
    this.#index = index;
  }

  /** @param ranks numbers of ranks are below this */
  begin(ranks: number): void {
    if (this.#bits.length < ranks) {
      this.#bits = new Uint8Array(ranks * 2);
      this.#tier = new Uint8Array(ranks * 2);
      this.#reached = Array.from({ length: TIERS }, () => new Int32Array(ranks * 2));
    }
    this.#active = [];
    this.#met = [];
    this.#set = EMPTY_SET;
    this.#blocks = 0;
  }

  /** The prompt's next block, or -1 for one that nobody knows. False when nobody comes any further. */
  step(id: number): boolean {
    const set = id < 0 ? EMPTY_SET : this.#index.setOf(id);
    if (set === EMPTY_SET) return false;
    if (set !== this.#set && !this.#enter(set)) return false;
    this.#blocks += 1;
    return true;
  }

  /** Ranks that hold the first block at least. */
  finish(): RankBlocksFound[] {
    this.#leave();
    const [gpu, cpu, disk] = this.#reached as [Int32Array, Int32Array, Int32Array];
    return this.#met.map((rank) => {
      const found = {
        rank,
        gpu: gpu[rank] as number,
        cpu: cpu[rank] as number,
        disk: disk[rank] as number,
      };
      gpu[rank] = cpu[rank] = disk[rank] = this.#tier[rank] = 0;
      return found;
    });
  }

  /** From here on other ranks hold the blocks, or in other tiers; true when somebody goes on. */
  #enter(set: number): boolean {
    const isFirst = this.#set === EMPTY_SET;
    this.#leave();
    this.#set = set;
    const holders = this.#index.holders(set);
    for (let i = 0; i < holders.length; i += 1) {
      const place = this.#index.placeOf(holders[i] as number);
      if (place === undefined) continue;
      const bits = this.#bits[place.rank] as number;
      if (isFirst && bits === 0) this.#active.push(place.rank);
      this.#bits[place.rank] = bits | (1 << place.tier);
    }
    if (isFirst) this.#met = this.#active;
    this.#active = this.#active.filter((rank) => this.#descend(rank));
    for (let i = 0; i < holders.length; i += 1) {
      const place = this.#index.placeOf(holders[i] as number);
      if (place !== undefined) this.#bits[place.rank] = 0;
    }
    return this.#active.length > 0;
  }

  /** Down to the tier in which the rank goes on; false when there is none. */
  #descend(rank: number): boolean {
    const bits = this.#bits[rank] as number;
    let tier = this.#tier[rank] as number;
    while (tier < DONE && (bits & (1 << tier)) === 0) tier += 1;
    this.#tier[rank] = tier;
    return tier < DONE;
  }

  /** The blocks of a set are behind us. */
  #leave(): void {
    for (const rank of this.#active) {
      for (let tier = this.#tier[rank] as number; tier < TIERS; tier += 1) {
        (this.#reached[tier] as Int32Array)[rank] = this.#blocks;
      }
    }
  }
}
