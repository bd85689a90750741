import { TIERS, type BlockIndex } from './block-index.ts';

/** Places of resume points among the holdings begin here; contexts follow no hybrid models. */
const HOLDINGS = TIERS;

/**
 * What one rank puts into the index of its context: the store that its {@link EngineCache} keeps its segments in. Here a
 * segment is a block, so the cache's answers to "who ends here, who holds it" are the index itself.
 */
export class RankBlocks {
  readonly #index: BlockIndex;
  readonly #holders: readonly number[];
  /** Engines' blocks beyond the first that hold the same block in the same tier, by holding and id. */
  readonly #further: Map<number, number>[] = Array.from({ length: HOLDINGS }, () => new Map());
  /** Blocks held, by tier. */
  readonly #held = new Float64Array(HOLDINGS);

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

  find(key: DataView, at: number): number {
    return this.#index.find(key, at);
  }

  acquire(key: DataView, at: number): number {
    return this.#index.acquire(key, at);
  }

  release(id: number): void {
    this.#index.release(id);
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
    if (holder === undefined || further === undefined) return false;
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

  /** The rank leaves; its cache has let go of every block before. */
  close(): void {
    for (const holder of this.#holders) this.#index.freeHolder(holder);
  }
}
