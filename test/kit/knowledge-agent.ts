import type { Bus } from '@baton/bus';
import { KEY_BYTES, keyAt, xorKeys } from '@baton/kv';
import { baton } from '@baton/proto';
import { knowledgeBeat } from './knowledge-beat.ts';

const { KvOpKind, WorkerState } = baton.v1;

/** Where in a worker something is held, and as what. */
export interface KnowledgePlace {
  rank: number;
  tier: number;
  resumePoints: boolean;
}

interface Held extends KnowledgePlace {
  /** Hex. */
  keys: Set<string>;
  xor: Uint8Array;
}

const KEYS_PER_CHUNK = 8192;
/** As an epoch wants it: two agents in one moment differ. */
let nonces = 0;

/** The knowledge side of an agent, without an engine: what it holds, its deltas, beats and snapshots. */
export class KnowledgeAgent {
  readonly workerId: string;
  snapshots = 0;
  readonly #bus: Bus;
  readonly #hybrid: boolean;
  readonly #held = new Map<string, Held>();
  #epoch: baton.v1.IEpoch = { startedAtMs: Date.now(), nonce: ++nonces };
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(bus: Bus, workerId: string, hybrid = false) {
    this.#bus = bus;
    this.workerId = workerId;
    this.#hybrid = hybrid;
    bus.serveSnapshots(workerId, ({ snapshotId }) => this.#snapshot(snapshotId));
  }

  /** Number of the last delta. */
  get seq(): number {
    return this.#seq;
  }

  /** False when the delta was given up on the way: its number is used all the same. */
  store(place: KnowledgePlace, keys: Uint8Array): boolean {
    const held = this.#at(place);
    namesOf(keys).forEach((name, i) => {
      if (held.keys.has(name)) return;
      held.keys.add(name);
      xorKeys(keyAt(keys, i), held.xor);
    });
    return this.#tell(KvOpKind.KV_OP_KIND_STORE, place, keys);
  }

  remove(place: KnowledgePlace, keys: Uint8Array): boolean {
    const held = this.#at(place);
    namesOf(keys).forEach((name, i) => {
      if (held.keys.delete(name)) xorKeys(keyAt(keys, i), held.xor);
    });
    return this.#tell(KvOpKind.KV_OP_KIND_REMOVE, place, keys);
  }

  clear(place: KnowledgePlace): boolean {
    const held = this.#at(place);
    held.keys.clear();
    held.xor.fill(0);
    return this.#tell(KvOpKind.KV_OP_KIND_CLEAR, place, new Uint8Array(0));
  }

  /** A new incarnation that holds nothing. */
  restart(): void {
    this.#held.clear();
    this.#epoch = { startedAtMs: Date.now(), nonce: ++nonces };
    this.#seq = 0;
  }

  start(beatMs: number): void {
    this.beat();
    this.#timer = setInterval(() => this.beat(), beatMs);
  }

  beat(state = WorkerState.WORKER_STATE_READY): void {
    this.#bus.publishBeat({
      ...knowledgeBeat(this.workerId, this.#hybrid),
      epoch: this.#epoch,
      state,
      lastDeltaSeq: this.#seq,
      tiers: this.places().map(({ keys, ...place }) => ({
        ...place,
        segments: keys.size,
      })),
    });
  }

  /** Everywhere where this incarnation has held something. */
  places(): Held[] {
    return [...this.#held.values()];
  }

  stop(): void {
    clearInterval(this.#timer);
    this.beat(WorkerState.WORKER_STATE_LEAVING);
  }

  #tell(kind: baton.v1.KvOpKind, place: KnowledgePlace, keys: Uint8Array): boolean {
    const { rank, tier, resumePoints } = place;
    const op = { kind, rank, tier, resumePoints, keys };
    this.#seq += 1;
    const { workerId } = this;
    return this.#bus.publishDelta({ workerId, epoch: this.#epoch, seq: this.#seq, ops: [op] });
  }

  #snapshot(snapshotId: number): baton.v1.ISnapshotChunk[] {
    this.snapshots += 1;
    const ops: baton.v1.IKvOp[] = [];
    for (const { keys, rank, tier, resumePoints } of this.#held.values()) {
      const all = [...keys];
      for (let at = 0; at < all.length; at += KEYS_PER_CHUNK) {
        const part = packed(all.slice(at, at + KEYS_PER_CHUNK));
        ops.push({ kind: KvOpKind.KV_OP_KIND_STORE, rank, tier, resumePoints, keys: part });
      }
    }
    const count = Math.max(1, ops.length);
    const { workerId } = this;
    const common = { workerId, epoch: this.#epoch, snapshotId, count, seq: this.#seq };
    return Array.from({ length: count }, (_, index) => {
      const op = ops[index];
      return { ...common, index, ops: op === undefined ? [] : [op] };
    });
  }

  #at(place: KnowledgePlace): Held {
    const name = `${place.rank} ${place.tier} ${place.resumePoints}`;
    const held = this.#held.get(name) ?? {
      ...{ rank: place.rank, tier: place.tier, resumePoints: place.resumePoints },
      ...{ keys: new Set<string>(), xor: new Uint8Array(KEY_BYTES) },
    };
    this.#held.set(name, held);
    return held;
  }
}

/** Each key in hex; all of a list at once, since tests hold many. */
function namesOf(keys: Uint8Array): string[] {
  const hex = Buffer.from(keys.buffer, keys.byteOffset, keys.length).toString('hex');
  const digits = KEY_BYTES * 2;
  return Array.from({ length: keys.length / KEY_BYTES }, (_, i) =>
    hex.slice(i * digits, (i + 1) * digits),
  );
}

function packed(names: readonly string[]): Uint8Array {
  return Buffer.from(names.join(''), 'hex');
}
