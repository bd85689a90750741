import { sampleBeat, type Epoch, type WorkerBeat, type WorkerFacts } from '@baton/cluster';
import type { Holding, KvOp } from '@baton/index';
import { keyCount, keyFromHex, keyHex, tiers, unpackKeys, xorKeys, type Tier } from '@baton/kv';
import type { KvDelta, SnapshotChunk } from '../inputs.ts';

/** Where in a worker something is held, and as what. */
export interface Place {
  rank: number;
  tier: Tier;
  holding: Holding;
}

const kvOf = (tier: Tier): Place => ({ rank: 0, tier, holding: 'kv' });

/** An agent as the conductor sees it, for tests: what it holds, and the messages that say so. */
export class FakeAgent {
  readonly facts: Partial<WorkerFacts> & { workerId: string };
  epoch: Epoch;
  seq = 0;
  readonly #held = new Map<string, { place: Place; keys: Set<string> }>();

  constructor(facts: Partial<WorkerFacts> & { workerId: string }, startedAtMs = 1) {
    this.facts = facts;
    this.epoch = { startedAtMs, nonce: 0 };
    for (const tier of tiers) this.#at(kvOf(tier));
  }

  store(where: Tier | Place, keys: Uint8Array): KvDelta {
    const place = placeOf(where);
    for (const key of unpackKeys(keys)) this.#at(place).add(keyHex(key));
    return this.#delta({ kind: 'store', ...place, keys });
  }

  remove(where: Tier | Place, keys: Uint8Array): KvDelta {
    const place = placeOf(where);
    for (const key of unpackKeys(keys)) this.#at(place).delete(keyHex(key));
    return this.#delta({ kind: 'remove', ...place, keys });
  }

  clear(where: Tier | Place): KvDelta {
    const place = placeOf(where);
    this.#at(place).clear();
    return this.#delta({ kind: 'clear', ...place, keys: new Uint8Array(0) });
  }

  /** A new incarnation: the engine's cache is empty, what the agent had in DRAM and SSD is, too. */
  restart(): void {
    this.epoch = { startedAtMs: this.epoch.startedAtMs + 1, nonce: 0 };
    this.seq = 0;
    for (const { keys } of this.#held.values()) keys.clear();
  }

  beat(changes: Partial<Omit<WorkerBeat, 'worker'>> = {}): WorkerBeat {
    const states = this.places().map((place) => {
      const keys = this.held(place);
      return {
        tier: place.tier,
        rank: place.rank,
        segments: keyCount(keys),
        capacitySegments: 1000,
        xor: xorKeys(keys),
        resumePoints: place.holding === 'resumePoints',
      };
    });
    return sampleBeat(this.facts, {
      epoch: this.epoch,
      lastDeltaSeq: this.seq,
      // Nobody accounts for what one holds of which nobody tells.
      tiers: this.facts.approximate === true ? [] : states,
      ...changes,
    });
  }

  snapshot(snapshotId: number, count: number): SnapshotChunk[] {
    const all = [...this.#held.values()].flatMap(({ place, keys }) =>
      [...keys].map((hex): KvOp => ({ kind: 'store', ...place, keys: keyFromHex(hex) })),
    );
    return Array.from({ length: count }, (_, index) => ({
      workerId: this.facts.workerId,
      epoch: this.epoch,
      snapshotId,
      index,
      count,
      seq: this.seq,
      ops: all.filter((_op, i) => i % count === index),
    }));
  }

  /** Everywhere where it has ever held something. */
  places(): Place[] {
    return [...this.#held.values()].map(({ place }) => place);
  }

  /** Packed keys, sorted. */
  held(where: Tier | Place): Uint8Array {
    const hex = [...this.#at(placeOf(where))].sort();
    const packed = new Uint8Array(hex.length * 16);
    hex.forEach((key, i) => packed.set(keyFromHex(key), i * 16));
    return packed;
  }

  #at(place: Place): Set<string> {
    const name = `${place.rank} ${place.tier} ${place.holding}`;
    const known = this.#held.get(name) ?? { place, keys: new Set<string>() };
    this.#held.set(name, known);
    return known.keys;
  }

  #delta(op: KvOp): KvDelta {
    this.seq += 1;
    return { workerId: this.facts.workerId, epoch: this.epoch, seq: this.seq, ops: [op] };
  }
}

function placeOf(where: Tier | Place): Place {
  return typeof where === 'number' ? kvOf(where) : where;
}
