import { isTier, KEY_BYTES, keyCount, Tier, tiers } from '@baton/kv';
import type { HeldRun, Match, RankMatch } from './match.ts';
import { ReplicaLists } from './replica-lists.ts';
import { SegmentTable } from './segment-table.ts';

export type KvOpKind = 'store' | 'remove' | 'clear';

/** One change of what a tier of a rank holds. */
export interface KvOp {
  kind: KvOpKind;
  /** A number that is no known tier makes the change be ignored and counted. */
  tier: number;
  rank: number;
  /** Packed; empty with `clear`. */
  keys: Uint8Array;
}

export interface IndexLimits {
  /**
   * Segments times holders. At the limit stores are refused, counted, and their worker is marked
   * incomplete.
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
  sizeBytes: number;
  refusedStores: number;
  /** Removals of what was not there. */
  absentRemovals: number;
  /** Changes with an unknown tier or damaged keys. */
  ignoredOps: number;
}

interface RankEntry {
  workerId: string;
  rank: number;
  id: number;
}

const TIERS = tiers.length;
const WORDS = KEY_BYTES / 4;

/**
 * Which rank holds which segment in which tier. Sets, not counts: a second store of the same
 * changes nothing.
 */
export class SegmentIndex {
  readonly #limits: IndexLimits;
  readonly #table = new SegmentTable();
  readonly #replicas = new ReplicaLists();
  readonly #workers = new Map<string, Map<number, RankEntry>>();
  readonly #entries: (RankEntry | undefined)[] = [];
  readonly #incomplete = new Set<string>();
  #counts = new Int32Array(0);
  #xors = new Uint32Array(0);
  #runFirst = new Int32Array(0);
  #runEnd = new Int32Array(0);
  #refusedStores = 0;
  #absentRemovals = 0;
  #ignoredOps = 0;

  constructor(limits: IndexLimits) {
    this.#limits = limits;
  }

  /** Applies one change. What is damaged is counted and skipped; it never throws. */
  apply(workerId: string, op: KvOp): void {
    if (!isTier(op.tier) || op.keys.length % KEY_BYTES !== 0) {
      this.#ignoredOps += 1;
      return;
    }
    if (op.kind === 'clear') this.#clear(workerId, op.rank, op.tier);
    else if (op.kind === 'store') this.#store(workerId, op.rank, op.tier, op.keys);
    else this.#remove(workerId, op.rank, op.tier, op.keys);
  }

  /** Forgets everything of a worker, in time proportional to what it held. */
  dropWorker(workerId: string): void {
    for (const rank of [...(this.#workers.get(workerId)?.keys() ?? [])]) {
      this.dropRank(workerId, rank);
    }
    this.#incomplete.delete(workerId);
  }

  dropRank(workerId: string, rank: number): void {
    const entry = this.#workers.get(workerId)?.get(rank);
    if (entry === undefined) return;
    for (const tier of tiers) this.#clear(workerId, rank, tier);
    this.#entries[entry.id] = undefined;
    this.#workers.get(workerId)?.delete(rank);
    if (this.#workers.get(workerId)?.size === 0) this.#workers.delete(workerId);
  }

  /**
   * What the fleet holds of a prompt. @throws RangeError when the keys are not a multiple of 16
   * bytes.
   */
  match(keys: Uint8Array): Match {
    const segments = keyCount(keys);
    const view = viewOf(keys);
    const found = new Map<number, RankMatch>();
    const runs: HeldRun[] = [];
    const touched: number[] = [];
    let index = 0;
    for (; index < segments; index += 1) {
      const segment = this.#table.find(view, index * KEY_BYTES);
      if (segment < 0) break;
      let replica = this.#replicas.firstOfSegment(segment);
      for (; replica >= 0; replica = this.#replicas.nextOfSegment(replica)) {
        const holder = this.#replicas.holderOf(replica);
        this.#extend(found, holder, index);
        this.#extendRun(runs, touched, holder, index);
      }
    }
    for (const holder of touched) {
      runs.push(this.#run(holder));
      this.#runEnd[holder] = 0;
    }
    return {
      segments,
      knownSegments: index,
      ranks: [...found.values()].sort(byRank),
      runs: runs.sort((a, b) => byRank(a, b) || a.tier - b.tier || a.first - b.first),
    };
  }

  /** Count and XOR of what a tier of a rank holds, to compare with the agent's own. */
  tierDigest(workerId: string, rank: number, tier: Tier): TierDigest {
    const xor = new Uint8Array(KEY_BYTES);
    const entry = this.#workers.get(workerId)?.get(rank);
    if (entry === undefined) return { segments: 0, xor };
    const holder = holderId(entry.id, tier);
    const view = viewOf(xor);
    for (let word = 0; word < WORDS; word += 1) {
      view.setUint32(word * 4, this.#xors[holder * WORDS + word] ?? 0, true);
    }
    return { segments: this.#counts[holder] ?? 0, xor };
  }

  /** Packed keys that a tier of a rank holds, in no order. */
  heldKeys(workerId: string, rank: number, tier: Tier): Uint8Array {
    const entry = this.#workers.get(workerId)?.get(rank);
    if (entry === undefined) return new Uint8Array(0);
    const holder = holderId(entry.id, tier);
    const packed = new Uint8Array((this.#counts[holder] ?? 0) * KEY_BYTES);
    const view = viewOf(packed);
    let offset = 0;
    let replica = this.#replicas.firstOfHolder(holder);
    for (; replica >= 0; replica = this.#replicas.nextOfHolder(replica)) {
      this.#table.write(this.#replicas.segmentOf(replica), view, offset);
      offset += KEY_BYTES;
    }
    return packed;
  }

  ranksOf(workerId: string): number[] {
    return [...(this.#workers.get(workerId)?.keys() ?? [])].sort((a, b) => a - b);
  }

  /**
   * True when stores of this worker were refused: its digests cannot be compared until it is
   * dropped.
   */
  isIncomplete(workerId: string): boolean {
    return this.#incomplete.has(workerId);
  }

  stats(): IndexStats {
    return {
      segments: this.#table.size,
      replicas: this.#replicas.size,
      ranks: this.#entries.filter((entry) => entry !== undefined).length,
      sizeBytes: this.#table.sizeBytes + this.#replicas.sizeBytes,
      refusedStores: this.#refusedStores,
      absentRemovals: this.#absentRemovals,
      ignoredOps: this.#ignoredOps,
    };
  }

  #store(workerId: string, rank: number, tier: Tier, keys: Uint8Array): void {
    const entry = this.#entryOf(workerId, rank);
    if (entry === undefined) {
      this.#refuse(workerId, keys.length / KEY_BYTES);
      return;
    }
    const holder = holderId(entry.id, tier);
    const view = viewOf(keys);
    for (let offset = 0; offset < keys.length; offset += KEY_BYTES) {
      const known = this.#table.find(view, offset);
      if (known >= 0 && this.#replicas.has(known, holder)) continue;
      if (this.#replicas.size >= this.#limits.maxReplicas) {
        this.#refuse(workerId, 1);
        continue;
      }
      const segment = known >= 0 ? known : this.#table.add(view, offset);
      this.#replicas.add(segment, holder);
      this.#account(segment, holder, 1);
    }
  }

  #remove(workerId: string, rank: number, tier: Tier, keys: Uint8Array): void {
    const entry = this.#workers.get(workerId)?.get(rank);
    const view = viewOf(keys);
    for (let offset = 0; offset < keys.length; offset += KEY_BYTES) {
      const segment = entry === undefined ? -1 : this.#table.find(view, offset);
      if (entry === undefined || segment < 0 || !this.#forget(segment, holderId(entry.id, tier))) {
        this.#absentRemovals += 1;
      }
    }
  }

  #clear(workerId: string, rank: number, tier: Tier): void {
    const entry = this.#workers.get(workerId)?.get(rank);
    if (entry === undefined) return;
    const holder = holderId(entry.id, tier);
    for (;;) {
      const replica = this.#replicas.firstOfHolder(holder);
      if (replica < 0) return;
      this.#forget(this.#replicas.segmentOf(replica), holder);
    }
  }

  #forget(segment: number, holder: number): boolean {
    if (!this.#replicas.remove(segment, holder)) return false;
    this.#account(segment, holder, -1);
    if (this.#replicas.firstOfSegment(segment) < 0) this.#table.remove(segment);
    return true;
  }

  #account(segment: number, holder: number, change: number): void {
    this.#counts[holder] = (this.#counts[holder] ?? 0) + change;
    this.#table.xorInto(segment, this.#xors, holder * WORDS);
  }

  #refuse(workerId: string, stores: number): void {
    this.#refusedStores += stores;
    this.#incomplete.add(workerId);
  }

  #entryOf(workerId: string, rank: number): RankEntry | undefined {
    const known = this.#workers.get(workerId)?.get(rank);
    if (known !== undefined) return known;
    const hole = this.#entries.indexOf(undefined);
    const id = hole >= 0 ? hole : this.#entries.length;
    if (id >= this.#limits.maxRanks) return undefined;
    const entry = { workerId, rank, id };
    this.#entries[id] = entry;
    const ranks = this.#workers.get(workerId) ?? new Map<number, RankEntry>();
    this.#workers.set(workerId, ranks.set(rank, entry));
    this.#makeRoom((id + 1) * TIERS);
    return entry;
  }

  #makeRoom(holders: number): void {
    if (holders <= this.#counts.length) return;
    const length = Math.max(64, holders * 2);
    const counts = new Int32Array(length);
    counts.set(this.#counts);
    this.#counts = counts;
    const xors = new Uint32Array(length * WORDS);
    xors.set(this.#xors);
    this.#xors = xors;
    this.#runFirst = new Int32Array(length);
    this.#runEnd = new Int32Array(length);
  }

  #extend(found: Map<number, RankMatch>, holder: number, index: number): void {
    const id = Math.floor(holder / TIERS);
    let rank = found.get(id);
    if (rank === undefined) {
      const { workerId = '', rank: number = 0 } = this.#entries[id] ?? {};
      rank = { workerId, rank: number, hbmSegments: 0, memorySegments: 0, localSegments: 0 };
      found.set(id, rank);
    }
    const tier = tierOf(holder);
    if (rank.localSegments === index) rank.localSegments = index + 1;
    const isNextInHbm = tier === Tier.HBM && rank.hbmSegments === index;
    if (isNextInHbm) rank.hbmSegments = index + 1;
    if (isNextInHbm || (tier === Tier.DRAM && rank.memorySegments === index)) {
      rank.memorySegments = index + 1;
    }
  }

  /** `runEnd` 0 means that this match has not met the holder yet. */
  #extendRun(runs: HeldRun[], touched: number[], holder: number, index: number): void {
    const end = this.#runEnd[holder] ?? 0;
    if (end === 0) touched.push(holder);
    if (end !== index || end === 0) {
      if (end !== 0) runs.push(this.#run(holder));
      this.#runFirst[holder] = index;
    }
    this.#runEnd[holder] = index + 1;
  }

  #run(holder: number): HeldRun {
    const { workerId = '', rank = 0 } = this.#entries[Math.floor(holder / TIERS)] ?? {};
    const first = this.#runFirst[holder] ?? 0;
    return {
      workerId,
      rank,
      tier: tierOf(holder),
      first,
      count: (this.#runEnd[holder] ?? 0) - first,
    };
  }
}

function holderId(rankId: number, tier: Tier): number {
  return rankId * TIERS + tier - 1;
}

function tierOf(holder: number): Tier {
  return tiers[holder % TIERS] ?? Tier.HBM;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function byRank(a: RankMatch | HeldRun, b: RankMatch | HeldRun): number {
  if (a.workerId !== b.workerId) return a.workerId < b.workerId ? -1 : 1;
  return a.rank - b.rank;
}
