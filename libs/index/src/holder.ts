import type { Tier } from '@baton/kv';

const FIRST_PAGE = 32;
const MAX_PAGE = 4096;

/** What a holder holds: KV, or points at whose end a hybrid model's sequence can be resumed. */
export type Holding = 'kv' | 'resumePoints';

/** Live ones count in matches; what leaves is no longer anybody's. */
export type HolderState = 'live' | 'aside' | 'leaving';

export interface WorkerEntry {
  ranks: Map<number, RankEntry>;
  /** True for a model whose sequences can be resumed at marked segments only. */
  isHybrid: boolean;
  /** True when something that the worker holds is not here. */
  isIncomplete: boolean;
  /** The same of what is built aside. */
  isAsideIncomplete: boolean;
}

/** One data-parallel rank of a worker. */
export interface RankEntry {
  workerId: string;
  worker: WorkerEntry;
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
 * has lost again stay in the log until they are half of it and somebody tidies up.
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
  readonly #pages: Int32Array[] = [];
  /** Entries of the first page that were taken off already. */
  #goneOfFirst = 0;
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
      page = new Int32Array(Math.min(MAX_PAGE, Math.max(FIRST_PAGE, this.#logged)));
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
    if (this.#logged === 0) this.#empty();
    else if (this.#usedInLast === 0) {
      this.#pages.pop();
      this.#usedInLast = this.#pages[this.#pages.length - 1]?.length ?? 0;
    }
    return segment;
  }

  /** Takes the oldest entry off the log; -1 when it is empty. */
  shift(): number {
    const [page] = this.#pages;
    if (page === undefined) return -1;
    const segment = page[this.#goneOfFirst] as number;
    this.#goneOfFirst += 1;
    this.#logged -= 1;
    if (this.#logged === 0) this.#empty();
    else if (this.#goneOfFirst === page.length) {
      this.#pages.shift();
      this.#goneOfFirst = 0;
    }
    return segment;
  }

  each(visit: (segment: number) => void): void {
    let from = this.#goneOfFirst;
    let left = this.#logged;
    for (const page of this.#pages) {
      const end = Math.min(from + left, page.length);
      for (let i = from; i < end; i += 1) visit(page[i] as number);
      left -= end - from;
      from = 0;
    }
  }

  #empty(): void {
    this.#pages.length = 0;
    this.#goneOfFirst = 0;
    this.#usedInLast = 0;
  }
}

/** Position of a holding among the holders of a rank: KV and resume points of each tier side by side. */
export function holdingIndex(tier: Tier, holding: Holding): number {
  return (tier - 1) * 2 + (holding === 'kv' ? 0 : 1);
}
