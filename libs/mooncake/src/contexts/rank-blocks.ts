import { TIERS, type BlockIndex } from './block-index.ts';

/**
 * What one rank puts into the index of its context: the store that its {@link EngineCache} keeps its segments in. Here a
 * segment is a block, so the cache's answers to "who ends here, who holds it" are the index itself.
 */
export class RankBlocks {
  readonly #index: BlockIndex;
  readonly #holders: readonly number[];
  /** Engines' blocks beyond the first that hold the same block in the same tier, by holding and id. */
  readonly #further: Map<number, number>[] = Array.from({ length: TIERS }, () => new Map());
  /** Blocks held, by tier. */
  readonly #held = new Float64Array(TIERS);
  /** Ids that its cache let go of since the rank is leaving, which are still to be taken out. */
  readonly #left = { ids: new Int32Array(0), count: 0 };
  /** What is released and dropped is remembered. */
  isLeaving = false;
  isGone = false;

  /** @param rank number of the rank in the context */
  constructor(index: BlockIndex, rank: number) {
    this.#index = index;
    this.#holders = Array.from({ length: TIERS }, (_, tier) => index.takeHolder({ rank, tier }));
  }

  get isFull(): boolean {
    return this.#index.isFull;
  }

  get idEnd(): number {
    return this.#index.idLimit;
  }

  held(tier: number): number {
    return this.#held[tier] ?? 0;
  }

  acquire(key: DataView, at: number): number {
    return this.#index.acquire(key, at);
  }

  release(id: number): void {
    if (!this.isLeaving) return this.#index.release(id);
    this.#left.ids[this.#left.count] = id;
    this.#left.count += 1;
  }

  hold(id: number, holding: number): boolean {
    const holder = this.#holders[holding];
    if (holder === undefined) return false;
    if (this.#index.isHeld(id, holder)) {
      const further = this.#further[holding] as Map<number, number>;
      further.set(id, (further.get(id) ?? 0) + 1);
      return false;
    }
    this.#index.add(id, holder);
    this.#held[holding] = (this.#held[holding] as number) + 1;
    return true;
  }

  drop(id: number, holding: number): boolean {
    const holder = this.#holders[holding];
    const further = this.#further[holding];
    if (holder === undefined || further === undefined || this.isLeaving) return false;
    const copies = further.get(id) ?? 0;
    if (copies > 1) further.set(id, copies - 1);
    else if (copies === 1) further.delete(id);
    else {
      this.#index.remove(id, holder);
      this.#held[holding] = (this.#held[holding] as number) - 1;
      return true;
    }
    return false;
  }

  isHeld(id: number, holding: number): boolean {
    const holder = this.#holders[holding];
    return holder !== undefined && this.#index.isHeld(id, holder);
  }

  write(id: number, view: DataView, at: number): void {
    this.#index.write(id, view, at);
  }

  /** Nobody finds the rank any more. */
  hide(): void {
    for (const holder of this.#holders) this.#index.hideHolder(holder);
  }

  /**
   * The rank leaves: what its cache lets go of from here on is remembered, and taken out by {@link sweep}.
   *
   * @param blocks at most so many
   */
  leave(blocks: number): void {
    this.isLeaving = true;
    this.#left.ids = new Int32Array(blocks);
    for (const further of this.#further) further.clear();
  }

  /** Takes at most `maxBlocks` of them out and says how many; with the last one the rank is gone. */
  sweep(maxBlocks: number): number {
    const { ids } = this.#left;
    const end = Math.max(0, this.#left.count - maxBlocks);
    const swept = this.#left.count - end;
    for (let i = this.#left.count - 1; i >= end; i -= 1) {
      const id = ids[i] as number;
      for (const holder of this.#holders) {
        if (this.#index.isHeld(id, holder)) this.#index.remove(id, holder);
      }
      this.#index.release(id);
    }
    this.#left.count = end;
    if (end === 0) this.close();
    return swept;
  }

  /** The rank is gone and its numbers are free; the index has nothing of it any more. */
  close(): void {
    if (this.isGone) return;
    this.isGone = true;
    for (const holder of this.#holders) this.#index.freeHolder(holder);
  }
}
