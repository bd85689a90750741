import type { Tier } from '@baton/kv';
import { Holder, holdingIndex, type Holding, type RankEntry, type WorkerEntry } from './holder.ts';

/** Ids are 16 bits in the sets. */
const MAX_HOLDERS = 65_535;

/**
 * Who is who: workers, their ranks, and the holders of each rank in each tier. Holders that are let
 * go are invisible at once and wait in a line until what they held is taken out of the sets.
 */
export class Holders {
  readonly #maxRanks: number;
  readonly #workers = new Map<string, WorkerEntry>();
  readonly #ranks: (RankEntry | undefined)[] = [];
  readonly #holders: (Holder | undefined)[] = [];
  readonly #freeIds: number[] = [];
  /** By holder id: 1 << holdingIndex while it counts in matches, else 0; and the id of its rank. */
  #bits = new Uint16Array(64);
  #rankIds = new Int32Array(64);
  readonly #leaving: Holder[] = [];
  #rankCount = 0;

  constructor(maxRanks: number) {
    this.#maxRanks = maxRanks;
  }

  get rankCount(): number {
    return this.#rankCount;
  }

  /** All rank ids are below this. */
  get rankLimit(): number {
    return this.#ranks.length;
  }

  get sizeBytes(): number {
    return this.#holders.reduce((sum, holder) => sum + (holder?.sizeBytes ?? 0), 0);
  }

  get bits(): Uint16Array {
    return this.#bits;
  }

  get rankIds(): Int32Array {
    return this.#rankIds;
  }

  rankById(id: number): RankEntry | undefined {
    return this.#ranks[id];
  }

  /** The next holder whose segments are to be taken out of the sets. */
  get leaving(): Holder | undefined {
    return this.#leaving[0];
  }

  /** Segments that holders on their way out still stand in the sets with. */
  get leavingReplicas(): number {
    return this.#leaving.reduce((sum, holder) => sum + holder.size, 0);
  }

  worker(workerId: string): WorkerEntry {
    let worker = this.#workers.get(workerId);
    if (worker === undefined) {
      worker = { ranks: new Map(), isHybrid: false, isIncomplete: false, isAsideIncomplete: false };
      this.#workers.set(workerId, worker);
    }
    return worker;
  }

  known(workerId: string): WorkerEntry | undefined {
    return this.#workers.get(workerId);
  }

  rank(workerId: string, rank: number): RankEntry | undefined {
    return this.#workers.get(workerId)?.ranks.get(rank);
  }

  holder(id: number): Holder | undefined {
    return this.#holders[id];
  }

  find(workerId: string, rank: number, tier: Tier, holding: Holding): Holder | undefined {
    return this.rank(workerId, rank)?.holders[holdingIndex(tier, holding)];
  }

  /** The rank, made when it is new; undefined at the limit. */
  ensureRank(workerId: string, rank: number): RankEntry | undefined {
    const worker = this.worker(workerId);
    const known = worker.ranks.get(rank);
    if (known !== undefined) return known;
    if (this.#rankCount >= this.#maxRanks) return undefined;
    const hole = this.#ranks.indexOf(undefined);
    const id = hole >= 0 ? hole : this.#ranks.length;
    const entry: RankEntry = { workerId, worker, rank, id, holders: [], aside: undefined };
    this.#ranks[id] = entry;
    this.#rankCount += 1;
    worker.ranks.set(rank, entry);
    return entry;
  }

  /** The holder, made when it is new; undefined when all ids are taken. */
  ensure(rank: RankEntry, tier: Tier, holding: Holding, isAside: boolean): Holder | undefined {
    const list = isAside ? (rank.aside ??= []) : rank.holders;
    const at = holdingIndex(tier, holding);
    const known = list[at];
    if (known !== undefined) return known;
    const id = this.#freeIds.pop() ?? this.#holders.length;
    if (id >= MAX_HOLDERS) return undefined;
    if (id >= this.#bits.length) this.#grow();
    const holder = new Holder(id, rank.id, tier, holding, isAside ? 'aside' : 'live');
    this.#holders[id] = holder;
    this.#rankIds[id] = rank.id;
    this.#bits[id] = isAside ? 0 : 1 << at;
    list[at] = holder;
    return holder;
  }

  /** What was built aside takes the place of what was there. */
  promote(rank: RankEntry): void {
    for (const holder of rank.holders) this.letGo(holder);
    rank.holders = rank.aside ?? [];
    rank.aside = undefined;
    rank.holders.forEach((holder, at) => {
      if (holder === undefined) return;
      holder.state = 'live';
      this.#bits[holder.id] = 1 << at;
    });
  }

  discardAside(rank: RankEntry): void {
    for (const holder of rank.aside ?? []) this.letGo(holder);
    rank.aside = undefined;
  }

  /** Out of sight now, out of the sets later. The caller takes it off its rank. */
  letGo(holder: Holder | undefined): void {
    if (holder === undefined) return;
    holder.state = 'leaving';
    this.#bits[holder.id] = 0;
    this.#leaving.push(holder);
  }

  /** A holder that has left the sets altogether. */
  left(holder: Holder): void {
    this.#leaving.shift();
    this.#holders[holder.id] = undefined;
    this.#freeIds.push(holder.id);
  }

  clear(workerId: string, rank: number, tier: Tier, holding: Holding): void {
    const entry = this.rank(workerId, rank);
    const at = holdingIndex(tier, holding);
    if (entry === undefined) return;
    this.letGo(entry.holders[at]);
    entry.holders[at] = undefined;
  }

  /** Something that this holder held was evicted. */
  markIncomplete(holder: Holder): void {
    const worker = holder.state === 'leaving' ? undefined : this.#ranks[holder.rankId]?.worker;
    if (worker === undefined) return;
    if (holder.state === 'aside') worker.isAsideIncomplete = true;
    else worker.isIncomplete = true;
  }

  dropRank(workerId: string, rank: number): void {
    const worker = this.#workers.get(workerId);
    const entry = worker?.ranks.get(rank);
    if (worker === undefined || entry === undefined) return;
    for (const holder of entry.holders) this.letGo(holder);
    this.discardAside(entry);
    worker.ranks.delete(rank);
    this.#ranks[entry.id] = undefined;
    this.#rankCount -= 1;
  }

  dropWorker(workerId: string): void {
    for (const rank of [...(this.#workers.get(workerId)?.ranks.keys() ?? [])]) {
      this.dropRank(workerId, rank);
    }
    this.#workers.delete(workerId);
  }

  #grow(): void {
    const bits = new Uint16Array(this.#bits.length * 2);
    bits.set(this.#bits);
    this.#bits = bits;
    const rankIds = new Int32Array(bits.length);
    rankIds.set(this.#rankIds);
    this.#rankIds = rankIds;
  }
}
