import type { Tier } from '@baton/kv';

const FIRST_PAGE = 32;
const MAX_PAGE = 4096;

/** What a holder holds: KV, or points at whose end a hybrid model's sequence can be resumed. */
export type Holding = 'kv' | 'resumePoints';

/** Live ones count in matches; what leaves is no longer anybody's. */
export type HolderState = 'live' | 'aside' | 'leaving';

/** One data-parallel rank of a worker. */
export interface RankEntry {
  workerId: string;
  rank: number;
  /** Small and dense; used again after the rank is dropped. */
  id: number;
  /** By {@link holdingIndex}. */
  holders: (Holder | undefined)[];
  /** The same, of a snapshot that is not complete yet. */
  aside: (Holder | undefined)[] | undefined;
}

/**
 * One holding of one rank in one tier. It logs the ids of the segments that it was given; those it
 * has lost again stay in the log until they are half of it.
 */
export class Holder {
  /** Its number in the sets. */
  readonly id: number;
  readonly rankId: number;
  readonly tier: Tier;
  readonly holding: Holding;
  /** XOR of the held keys, four words. */
  readonly xor = new Int32Array(4);
  state: HolderState;
  /** Segments held. */
  size = 0;
  #pages: Int32Array[] = [];
  #usedInLast = 0;
  #logged = 0;

  constructor(id: number, rankId: number, tier: Tier, holding: Holding, state: HolderState) {
    this.id = id;
    this.state = state;
    this.rankId = rankId;
    this.tier = tier;
    this.holding = holding;
  }

  get sizeBytes(): number {
    return this.#pages.reduce((sum, page) => sum + page.byteLength, 0);
  }

  /** Entries of the log, those that are no longer true included. */
  get logged(): number {
    return this.#logged;
  }

  get isSparse(): boolean {
    return this.#logged > 2 * this.size + FIRST_PAGE;
  }

  append(segment: number): void {
    let page = this.#pages[this.#pages.length - 1];
    if (page === undefined || this.#usedInLast === page.length) {
      page = new Int32Array(page === undefined ? FIRST_PAGE : Math.min(MAX_PAGE, page.length * 2));
      this.#pages.push(page);
      this.#usedInLast = 0;
    }
    page[this.#usedInLast] = segment;
    this.#usedInLast += 1;
    this.#logged += 1;
  }

  /** Takes the newest entry off the log; -1 when it is empty. */
  pop(): number {
    const page = this.#pages[this.#pages.length - 1];
    if (page === undefined) return -1;
    this.#usedInLast -= 1;
    this.#logged -= 1;
    const segment = page[this.#usedInLast] as number;
    if (this.#usedInLast === 0) {
      this.#pages.pop();
      this.#usedInLast = this.#pages[this.#pages.length - 1]?.length ?? 0;
    }
    return segment;
  }

  /** Keeps the entries for which `isCurrent` says so, in their order. */
  rewrite(isCurrent: (segment: number) => boolean): void {
    const old = this.#pages;
    let left = this.#logged;
    this.#pages = [];
    this.#usedInLast = 0;
    this.#logged = 0;
    for (const page of old) {
      const used = Math.min(left, page.length);
      for (let i = 0; i < used; i += 1) {
        if (isCurrent(page[i] as number)) this.append(page[i] as number);
      }
      left -= used;
    }
  }

  each(visit: (segment: number) => void): void {
    let left = this.#logged;
    for (const page of this.#pages) {
      const used = Math.min(left, page.length);
      for (let i = 0; i < used; i += 1) visit(page[i] as number);
      left -= used;
    }
  }
}

/** Position of a holding among the holders of a rank: KV by tier, then resume points by tier. */
export function holdingIndex(tier: Tier, holding: Holding): number {
  return (tier - 1) * 2 + (holding === 'kv' ? 0 : 1);
}
