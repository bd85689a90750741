import { isTier, KEY_BYTES, keyCount, viewOf, type Tier } from '@baton/kv';
import { AgeHand } from './age-hand.ts';
import type { Holder, Holding } from './holder.ts';
import { EMPTY_SET, HolderSets } from './holder-sets.ts';
import { Holders } from './holders.ts';
import { BATCH_KEYS, KeyTable, MAX_KEYS } from './key-table.ts';
import { LogTidier } from './log-tidier.ts';
import type { Match } from './match.ts';
import { Matcher } from './matcher.ts';

export type KvOpKind = 'store' | 'remove' | 'clear';

/** One change of what a tier of a rank holds. */
export interface KvOp {
  kind: KvOpKind;
  /** A number that is no known tier makes the change be ignored and counted. */
  tier: number;
  rank: number;
  /** Packed; empty with `clear`. */
  keys: Uint8Array;
  /** What the keys name; KV when absent. */
  holding?: Holding | undefined;
}

export interface IndexLimits {
  /**
   * Segments times holders. At the limit the segments that were not used for longest make room, are
   * counted, and their workers are marked incomplete.
   */
  maxReplicas: number;
  maxRanks: number;
}

export interface TierDigest {
  segments: number;
  /** XOR of the held keys. */
  xor: Uint8Array;
}

export interface IndexStats {
  segments: number;
  replicas: number;
  ranks: number;
  /** Different sets of holders. */
  holderSets: number;
  sizeBytes: number;
  /** Replicas that no longer count and whose room is still to be won back. */
  leavingReplicas: number;
  evictedSegments: number;
  evictedReplicas: number;
  /** Stores of ranks beyond `maxRanks`. */
  refusedStores: number;
  /** Removals of what was not there. */
  absentRemovals: number;
  /** Changes with an unknown tier or damaged keys. */
  ignoredOps: number;
}

/** Columns of the table. */
const SET = 0;
const STAMP = 1;
const COLUMNS = 2;

const noIds: Int32Array = new Int32Array(0);
/** Replicas of holders on their way out that each store takes along when the index is full. */
const SWEEP_WHEN_FULL = 64;
/** Entries of logs that each store looks at, where any are to be tidied: twice as fast as logs can grow. */
const TIDIED_WITH_A_STORE = 4;

/**
 * Which rank holds which segment in which tier. Sets, not counts: a second store of the same
 * changes nothing.
 */
export class SegmentIndex {
  readonly #limits: IndexLimits;
  readonly #table = new KeyTable(COLUMNS);
  readonly #sets = new HolderSets();
  readonly #ages = new AgeHand(this.#table, SET, STAMP);
  readonly #holders: Holders;
  readonly #matcher: Matcher;
  readonly #tidier = new LogTidier((segment, holder) => this.#isHeld(segment, holder));
  #replicas = 0;
  #evictedSegments = 0;
  #evictedReplicas = 0;
  #refusedStores = 0;
  #absentRemovals = 0;
  #ignoredOps = 0;

  /** @throws RangeError when a limit is beyond what the index can address. */
  constructor(limits: IndexLimits) {
    if (!(limits.maxReplicas >= 1 && limits.maxReplicas <= MAX_KEYS)) {
      throw new RangeError(`maxReplicas must be 1 to ${MAX_KEYS}, not ${limits.maxReplicas}`);
    }
    this.#limits = limits;
    this.#holders = new Holders(limits.maxRanks);
    this.#matcher = new Matcher(this.#holders, this.#sets);
  }

  /** Applies one change. What is damaged is counted and skipped; it never throws. */
  apply(workerId: string, op: KvOp): void {
    this.#apply(workerId, op, false);
  }

  /**
   * Stores of a snapshot: they count when {@link swapIn} puts them in the place of all that was known
   * of the worker.
   */
  applyAside(workerId: string, op: KvOp): void {
    if (op.kind === 'store') this.#apply(workerId, op, true);
    else this.#ignoredOps += 1;
  }

  swapIn(workerId: string): void {
    const worker = this.#holders.worker(workerId);
    for (const rank of [...worker.ranks.values()]) {
      if (rank.aside === undefined) this.#holders.dropRank(workerId, rank.rank);
      else this.#holders.promote(rank);
    }
    worker.isIncomplete = worker.isAsideIncomplete;
    worker.isAsideIncomplete = false;
  }

  /** Forgets a snapshot that was not completed. */
  discardAside(workerId: string): void {
    const worker = this.#holders.known(workerId);
    if (worker === undefined) return;
    for (const rank of worker.ranks.values()) this.#holders.discardAside(rank);
    worker.isAsideIncomplete = false;
  }

  /**
   * Forgets everything of a worker: at once for matches; its room is won back by {@link sweep}, in
   * time proportional to what it held.
   */
  dropWorker(workerId: string): void {
    this.#holders.dropWorker(workerId);
  }

  dropRank(workerId: string, rank: number): void {
    this.#holders.dropRank(workerId, rank);
  }

  /** Matches of this worker's ranks end at the last segment that has a resume point. */
  setHybrid(workerId: string, isHybrid: boolean): void {
    this.#holders.worker(workerId).isHybrid = isHybrid;
  }

  /** Wins back the room of up to so many dropped replicas. True when none is left. */
  sweep(maxReplicas: number): boolean {
    for (let left = maxReplicas; left > 0; left -= 1) {
      const holder = this.#holders.leaving;
      if (holder === undefined) return true;
      const segment = holder.size > 0 ? holder.pop() : -1;
      if (segment < 0) this.#holders.left(holder);
      else this.#forget(segment, holder);
    }
    return this.#holders.leaving === undefined;
  }

  /**
   * What the fleet holds of a prompt. @throws RangeError when the keys are not a multiple of 16
   * bytes.
   */
  match(keys: Uint8Array): Match {
    const segments = keyCount(keys);
    const view = viewOf(keys);
    const newest = this.#ages.use(segments);
    const matcher = this.#matcher;
    matcher.begin();
    let set = EMPTY_SET;
    let first = 0;
    let index = 0;
    let ids = noIds;
    for (; index < segments; index += 1) {
      if (index % BATCH_KEYS === 0) ids = this.#find(view, index);
      const segment = ids[index % BATCH_KEYS] as number;
      if (segment < 0) break;
      const next = this.#table.get(segment, SET);
      if (next !== set) {
        if (!matcher.isHeld(next)) break;
        if (set !== EMPTY_SET) matcher.span(set, first, index);
        set = next;
        first = index;
      }
      this.#ages.touch(segment, newest, index);
    }
    if (set !== EMPTY_SET) matcher.span(set, first, index);
    return matcher.finish(segments, index);
  }

  /** Count and XOR of what a tier of a rank holds, to compare with the agent's own. */
  tierDigest(workerId: string, rank: number, tier: Tier, holding: Holding = 'kv'): TierDigest {
    const xor = new Uint8Array(KEY_BYTES);
    const holder = this.#holders.find(workerId, rank, tier, holding);
    if (holder === undefined) return { segments: 0, xor };
    const view = viewOf(xor);
    holder.xor.forEach((word, i) => view.setInt32(i * 4, word, true));
    return { segments: holder.size, xor };
  }

  /** Packed keys that a tier of a rank holds, in no order. */
  heldKeys(workerId: string, rank: number, tier: Tier, holding: Holding = 'kv'): Uint8Array {
    const holder = this.#holders.find(workerId, rank, tier, holding);
    if (holder === undefined) return new Uint8Array(0);
    const packed = new Uint8Array(holder.size * KEY_BYTES);
    const view = viewOf(packed);
    const isWritten = new Uint8Array(this.#table.idLimit);
    let offset = 0;
    holder.each((segment) => {
      if (isWritten[segment] === 1 || !this.#isHeld(segment, holder)) return;
      isWritten[segment] = 1;
      this.#table.write(segment, view, offset);
      offset += KEY_BYTES;
    });
    return packed;
  }

  ranksOf(workerId: string): number[] {
    return [...(this.#holders.known(workerId)?.ranks.keys() ?? [])].sort((a, b) => a - b);
  }

  /**
   * True when something of this worker was evicted or refused: its digests cannot be compared until
   * it is dropped or a snapshot is swapped in.
   */
  isIncomplete(workerId: string): boolean {
    return this.#holders.known(workerId)?.isIncomplete ?? false;
  }

  stats(): IndexStats {
    return {
      segments: this.#table.size,
      replicas: this.#replicas,
      ranks: this.#holders.rankCount,
      holderSets: this.#sets.size,
      sizeBytes: this.#table.sizeBytes + this.#sets.sizeBytes + this.#holders.sizeBytes,
      leavingReplicas: this.#holders.leavingReplicas,
      evictedSegments: this.#evictedSegments,
      evictedReplicas: this.#evictedReplicas,
      refusedStores: this.#refusedStores,
      absentRemovals: this.#absentRemovals,
      ignoredOps: this.#ignoredOps,
    };
  }

  #apply(workerId: string, op: KvOp, isAside: boolean): void {
    if (!isTier(op.tier) || op.keys.length % KEY_BYTES !== 0) {
      this.#ignoredOps += 1;
      return;
    }
    const holding = op.holding ?? 'kv';
    if (op.kind === 'store') {
      const holder = this.#holderFor(workerId, op.rank, op.tier, holding, isAside);
      if (holder === undefined) this.#refuse(workerId, op.keys.length / KEY_BYTES, isAside);
      else this.#store(holder, op.keys);
    } else if (op.kind === 'remove') {
      this.#remove(this.#holders.find(workerId, op.rank, op.tier, holding), op.keys);
    } else {
      this.#holders.clear(workerId, op.rank, op.tier, holding);
    }
  }

  #holderFor(
    workerId: string,
    rank: number,
    tier: Tier,
    holding: Holding,
    isAside: boolean,
  ): Holder | undefined {
    const entry = this.#holders.ensureRank(workerId, rank);
    if (entry === undefined) return undefined;
    return this.#holders.ensure(entry, tier, holding, isAside);
  }

  #store(holder: Holder, keys: Uint8Array): void {
    const view = viewOf(keys);
    const newest = this.#ages.use(keys.length / KEY_BYTES);
    let ids = noIds;
    for (let offset = 0; offset < keys.length; offset += KEY_BYTES) {
      const index = offset / KEY_BYTES;
      if (index % BATCH_KEYS === 0) ids = this.#find(view, index);
      let segment = ids[index % BATCH_KEYS] as number;
      if (segment >= 0 && this.#isHeld(segment, holder)) continue;
      if (this.#replicas >= this.#limits.maxReplicas) {
        this.#makeRoom();
        // Any of them may have had to go.
        ids.fill(-1);
        segment = -1;
      }
      if (segment < 0) {
        segment = this.#table.add(view, offset);
        if (this.#isHeld(segment, holder)) continue;
      }
      this.#table.set(segment, SET, this.#sets.add(this.#table.get(segment, SET), holder.id));
      this.#ages.touch(segment, newest, index);
      holder.append(segment);
      this.#account(segment, holder, 1);
      if (holder.isSparse) this.#tidier.add(holder);
      this.#tidier.step(TIDIED_WITH_A_STORE, this.#table.idLimit);
    }
  }

  #remove(holder: Holder | undefined, keys: Uint8Array): void {
    const count = keys.length / KEY_BYTES;
    if (holder === undefined) {
      this.#absentRemovals += count;
      return;
    }
    const view = viewOf(keys);
    let ids = noIds;
    for (let index = 0; index < count; index += 1) {
      if (index % BATCH_KEYS === 0) ids = this.#find(view, index);
      const segment = ids[index % BATCH_KEYS] as number;
      if (segment < 0 || !this.#forget(segment, holder)) this.#absentRemovals += 1;
    }
  }

  /** False when the holder does not have the segment (any more). */
  #forget(segment: number, holder: Holder): boolean {
    if (!this.#isHeld(segment, holder)) return false;
    const set = this.#table.get(segment, SET);
    const left = this.#sets.remove(set, holder.id);
    this.#table.set(segment, SET, left);
    this.#account(segment, holder, -1);
    if (left === EMPTY_SET) this.#table.remove(segment);
    return true;
  }

  #account(segment: number, holder: Holder, change: number): void {
    this.#replicas += change;
    holder.size += change;
    const { xor } = holder;
    for (let i = 0; i < 4; i += 1) xor[i] = (xor[i] as number) ^ this.#table.word(segment, i);
  }

  #isHeld(segment: number, holder: Holder): boolean {
    return this.#sets.has(this.#table.get(segment, SET), holder.id);
  }

  #makeRoom(): void {
    this.sweep(SWEEP_WHEN_FULL);
    while (this.#replicas >= this.#limits.maxReplicas) this.#evict(this.#ages.victim());
  }

  /** Takes out a segment with all its replicas. */
  #evict(victim: number): void {
    const set = this.#table.get(victim, SET);
    for (const id of this.#sets.members(set)) {
      const holder = this.#holders.holder(id) as Holder;
      this.#account(victim, holder, -1);
      this.#evictedReplicas += holder.state === 'leaving' ? 0 : 1;
      this.#holders.markIncomplete(holder);
    }
    this.#sets.release(set);
    this.#table.set(victim, SET, EMPTY_SET);
    this.#table.remove(victim);
    this.#evictedSegments += 1;
  }

  #refuse(workerId: string, stores: number, isAside: boolean): void {
    this.#refusedStores += stores;
    const worker = this.#holders.worker(workerId);
    if (isAside) worker.isAsideIncomplete = true;
    else worker.isIncomplete = true;
  }

  /** Ids of the next keys from this one on, until the next call. */
  #find(view: DataView, index: number): Int32Array {
    const left = view.byteLength / KEY_BYTES - index;
    return this.#table.findMany(view, index * KEY_BYTES, Math.min(left, BATCH_KEYS));
  }
}
