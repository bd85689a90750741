import { sampleBeat, type Epoch, type WorkerBeat, type WorkerFacts } from '@baton/cluster';
import type { KvOp } from '@baton/index';
import { keyCount, keyFromHex, keyHex, tiers, unpackKeys, xorKeys, type Tier } from '@baton/kv';
import type { KvDelta, SnapshotChunk } from '../inputs.ts';

/** An agent as the conductor sees it, for tests: what it holds, and the messages that say so. */
export class FakeAgent {
  readonly facts: Partial<WorkerFacts> & { workerId: string };
  epoch: Epoch;
  seq = 0;
  readonly #held = new Map<Tier, Set<string>>(tiers.map((tier) => [tier, new Set<string>()]));

  constructor(facts: Partial<WorkerFacts> & { workerId: string }, startedAtMs = 1) {
    this.facts = facts;
    this.epoch = { startedAtMs, nonce: 0 };
  }

  store(tier: Tier, keys: Uint8Array): KvDelta {
    for (const key of unpackKeys(keys)) this.#set(tier).add(keyHex(key));
    return this.#delta({ kind: 'store', tier, rank: 0, keys });
  }

  remove(tier: Tier, keys: Uint8Array): KvDelta {
    for (const key of unpackKeys(keys)) this.#set(tier).delete(keyHex(key));
    return this.#delta({ kind: 'remove', tier, rank: 0, keys });
  }

  clear(tier: Tier): KvDelta {
    this.#set(tier).clear();
    return this.#delta({ kind: 'clear', tier, rank: 0, keys: new Uint8Array(0) });
  }

  /** A new incarnation: the engine's cache is empty, what the agent had in DRAM and SSD is, too. */
  restart(): void {
    this.epoch = { startedAtMs: this.epoch.startedAtMs + 1, nonce: 0 };
    this.seq = 0;
    for (const set of this.#held.values()) set.clear();
  }

  beat(changes: Partial<Omit<WorkerBeat, 'worker'>> = {}): WorkerBeat {
    const states = tiers.map((tier) => {
      const keys = this.held(tier);
      return {
        tier,
        rank: 0,
        segments: keyCount(keys),
        capacitySegments: 1000,
        xor: xorKeys(keys),
      };
    });
    return sampleBeat(this.facts, {
      epoch: this.epoch,
      lastDeltaSeq: this.seq,
      tiers: states,
      ...changes,
    });
  }

  snapshot(snapshotId: number, count: number): SnapshotChunk[] {
    const all = tiers.flatMap((tier) =>
      [...this.#set(tier)].map((hex): KvOp => ({
        kind: 'store',
        tier,
        rank: 0,
        keys: keyFromHex(hex),
      })),
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

  /** Packed keys, sorted. */
  held(tier: Tier): Uint8Array {
    const hex = [...this.#set(tier)].sort();
    const packed = new Uint8Array(hex.length * 16);
    hex.forEach((key, i) => packed.set(keyFromHex(key), i * 16));
    return packed;
  }

  #set(tier: Tier): Set<string> {
    return this.#held.get(tier) ?? new Set();
  }

  #delta(op: KvOp): KvDelta {
    this.seq += 1;
    return { workerId: this.facts.workerId, epoch: this.epoch, seq: this.seq, ops: [op] };
  }
}
