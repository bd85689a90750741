import { Tier } from '@baton/kv';
import { HeldDigest } from './held-digest.ts';
import { LruList } from './lru-list.ts';

/** Room of each tier in blocks; 0 where there is none. */
export interface TierBlocks {
  hbmBlocks: number;
  dramBlocks: number;
  ssdBlocks: number;
}

export type SimTier = typeof Tier.HBM | typeof Tier.DRAM | typeof Tier.SSD;

/** Told of each change of what a tier holds, in order. */
export type OnKvChange = (kind: 'store' | 'remove', tier: SimTier, block: number) => void;

/** What somebody uses of the HBM: its leading blocks are named and stay, the others have no name yet. */
export interface KvHold {
  readonly blocks: readonly number[];
  /** Leading blocks that are in HBM and pinned. */
  named: number;
  /** Room without a name: of blocks to come, of unfinished and of generated ones. */
  unnamed: number;
}

/** What a rank has of a run of blocks, from its first one on without a gap. */
export interface HeldBlocks {
  hbm: number;
  /** Behind those in HBM, in a lower tier or again in HBM. */
  dram: number;
  ssd: number;
}

/**
 * What one simulated rank holds. HBM belongs to running work first, which pins its blocks; what nobody uses stays as a
 * cache and gives way, least recently used first, into DRAM and from there to SSD where these exist.
 */
export class KvCache {
  readonly digests: ReadonlyMap<SimTier, HeldDigest> = new Map([
    [Tier.HBM, new HeldDigest()],
    [Tier.DRAM, new HeldDigest()],
    [Tier.SSD, new HeldDigest()],
  ]);
  readonly #room: TierBlocks;
  readonly #onChange: OnKvChange;
  /** How many use a block. */
  readonly #pins = new Map<number, number>();
  readonly #unused = new LruList();
  readonly #dram = new LruList();
  readonly #ssd = new LruList();
  #unnamed = 0;
  #peak = 0;

  constructor(room: TierBlocks, onChange: OnKvChange) {
    this.#room = room;
    this.#onChange = onChange;
  }

  /** Blocks of HBM in use or kept as a cache. */
  get usedBlocks(): number {
    return this.#pins.size + this.#unused.size + this.#unnamed;
  }

  /** Blocks in HBM that have a name and are in use. */
  get pinnedBlocks(): number {
    return this.#pins.size;
  }

  /** Blocks of HBM that running work uses. */
  get blocksInUse(): number {
    return this.#pins.size + this.#unnamed;
  }

  /** Most blocks of HBM that were ever taken. */
  get peakBlocks(): number {
    return this.#peak;
  }

  /**
   * @param limit leading blocks that count
   * @param ssdLimit leading blocks of which some may be on SSD
   */
  lookup(blocks: readonly number[], limit: number, ssdLimit = 0): HeldBlocks {
    const held = { hbm: 0, dram: 0, ssd: 0 };
    for (const [at, block] of blocks.slice(0, limit).entries()) {
      const isInHbm = this.#pins.has(block) || this.#unused.has(block);
      if (isInHbm && held.dram + held.ssd === 0) held.hbm += 1;
      else if (isInHbm || this.#dram.has(block)) held.dram += 1;
      else if (at < ssdLimit && this.#ssd.has(block)) held.ssd += 1;
      else break;
    }
    return held;
  }

  /**
   * Pins the first `pinned` blocks, which must be in HBM, and makes room for `total` in all; undefined, and nothing is
   * changed, when others use too much.
   */
  acquire(blocks: readonly number[], pinned: number, total: number): KvHold | undefined {
    let newlyPinned = 0;
    for (let i = 0; i < pinned; i += 1) {
      if (!this.#pins.has(blocks[i] ?? NaN)) newlyPinned += 1;
    }
    const unnamed = total - pinned;
    const inUse = this.#pins.size + newlyPinned + this.#unnamed + unnamed;
    if (inUse > this.#room.hbmBlocks) return undefined;
    for (const block of blocks.slice(0, pinned)) this.#pin(block);
    this.#unnamed += unnamed;
    while (this.usedBlocks > this.#room.hbmBlocks) this.#evict();
    this.#peak = Math.max(this.#peak, this.usedBlocks);
    return { blocks, named: pinned, unnamed };
  }

  /** Gives the blocks of a hold up to this one their names: now others find them. */
  publish(hold: KvHold, until: number): void {
    for (const block of hold.blocks.slice(hold.named, until)) {
      // Somebody else may have computed the same block meanwhile: then one of the two is enough.
      hold.unnamed -= 1;
      this.#unnamed -= 1;
      if (!this.#pins.has(block) && !this.#unused.has(block))
        this.#changed('store', Tier.HBM, block);
      this.#pin(block);
    }
    hold.named = Math.max(hold.named, until);
  }

  /** From the tail to the head, so that blocks without which others are of no use stay longest. */
  release(hold: KvHold): void {
    for (let i = hold.named - 1; i >= 0; i -= 1) {
      const block = hold.blocks[i] ?? NaN;
      const pins = (this.#pins.get(block) ?? 1) - 1;
      if (pins > 0) this.#pins.set(block, pins);
      else {
        this.#pins.delete(block);
        this.#unused.touch(block);
      }
    }
    this.#unnamed -= hold.unnamed;
    hold.named = 0;
    hold.unnamed = 0;
  }

  /** Everything that a tier holds. */
  held(tier: SimTier): number[] {
    if (tier === Tier.HBM) return [...this.#pins.keys(), ...this.#unused.values()];
    return [...(tier === Tier.DRAM ? this.#dram : this.#ssd).values()];
  }

  #pin(block: number): void {
    this.#unused.remove(block);
    this.#pins.set(block, (this.#pins.get(block) ?? 0) + 1);
  }

  #evict(): void {
    const block = this.#unused.takeOldest();
    if (block === undefined) throw new RangeError('more HBM is in use than there is');
    this.#changed('remove', Tier.HBM, block);
    const fromDram = this.#sink(this.#dram, Tier.DRAM, this.#room.dramBlocks, block);
    if (fromDram !== undefined) this.#sink(this.#ssd, Tier.SSD, this.#room.ssdBlocks, fromDram);
  }

  /** Puts a block into a lower tier and returns what had to leave it, which is the block itself where there is none. */
  #sink(list: LruList, tier: SimTier, room: number, block: number): number | undefined {
    if (room === 0) return block;
    if (list.touch(block)) this.#changed('store', tier, block);
    if (list.size <= room) return undefined;
    const out = list.takeOldest();
    if (out !== undefined) this.#changed('remove', tier, out);
    return out;
  }

  #changed(kind: 'store' | 'remove', tier: SimTier, block: number): void {
    const digest = this.digests.get(tier);
    if (kind === 'store') digest?.add(block);
    else digest?.remove(block);
    this.#onChange(kind, tier, block);
  }
}
