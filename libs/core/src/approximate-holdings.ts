import type { Cluster, WorkerFacts } from '@baton/cluster';
import type { SegmentIndex } from '@baton/index';
import { KEY_BYTES, keyFromHex, keyHex, Tier } from '@baton/kv';
import type { Choice, LegChoice } from '@baton/scheduling';

/** A leg of a plan on a worker of whose cache nobody tells. */
interface Place {
  facts: WorkerFacts;
  rank: number;
}

interface Given {
  keys: Uint8Array;
  prefill: Place | undefined;
  decode: Place | undefined;
}

/** Of one rank, least recently used first. */
type Held = Map<string, undefined>;

/**
 * What the caches of workers must hold of which nobody tells: the prompts that they were given, as far as there is room,
 * least recently used first gone, of one prompt its end before its beginning. Other clients of an engine and what it
 * generates go unseen, so that it is a guess; a wrong one costs a recompute.
 */
export class ApproximateHoldings {
  readonly #index: SegmentIndex;
  readonly #cluster: Cluster;
  readonly #ranks = new Map<string, Map<number, Held>>();
  /** Prompts of plans, by plan, with which of their legs will hold them. */
  readonly #given = new Map<string, Given>();

  constructor(index: SegmentIndex, cluster: Cluster) {
    this.#index = index;
    this.#cluster = cluster;
  }

  /** @param keys packed, of the prompt's whole segments */
  given(planId: string, keys: Uint8Array, { prefill, decode }: Choice): void {
    const places = { prefill: this.#untold(prefill), decode: this.#untold(decode) };
    if (places.prefill === undefined && places.decode === undefined) return;
    this.#given.set(planId, { keys: keys.slice(), ...places });
  }

  /** The prompt is in the cache of the worker that computed it. */
  computed(planId: string): void {
    const given = this.#given.get(planId);
    if (given?.prefill !== undefined) this.#holds(given.prefill, given.keys);
  }

  /** The prompt is in the cache of the worker that answers. */
  answering(planId: string): void {
    const given = this.#given.get(planId);
    if (given?.decode !== undefined) this.#holds(given.decode, given.keys);
  }

  ended(planId: string): void {
    this.#given.delete(planId);
  }

  /** Undefined where it is known what the leg's worker holds. */
  #untold({ workerId, rank }: LegChoice): Place | undefined {
    const facts = this.#cluster.get(workerId)?.facts;
    return facts?.approximate === true ? { facts, rank } : undefined;
  }

  #holds({ facts, rank }: Place, keys: Uint8Array): void {
    const { workerId } = facts;
    const room = Math.floor(
      (facts.kvCapacityBlocks * facts.layout.blockTokens) / facts.segmentTokens,
    );
    const count = Math.min(keys.length / KEY_BYTES, room);
    const held = this.#heldBy(workerId, rank);
    const place = { tier: Tier.HBM, rank };
    for (let at = count - 1; at >= 0; at -= 1) {
      const name = keyHex(keys.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES));
      held.delete(name);
      held.set(name, undefined);
    }
    this.#index.apply(workerId, {
      ...{ kind: 'store', ...place },
      keys: keys.slice(0, count * KEY_BYTES),
    });
    if (held.size <= room) return;
    const gone = new Uint8Array((held.size - room) * KEY_BYTES);
    let end = 0;
    for (const [oldest] of held) {
      if (end === gone.length) break;
      gone.set(keyFromHex(oldest), end);
      end += KEY_BYTES;
      held.delete(oldest);
    }
    this.#index.apply(workerId, { kind: 'remove', ...place, keys: gone });
  }

  forgetWorker(workerId: string): void {
    this.#ranks.delete(workerId);
    for (const given of this.#given.values()) {
      if (given.prefill?.facts.workerId === workerId) given.prefill = undefined;
      if (given.decode?.facts.workerId === workerId) given.decode = undefined;
    }
  }

  #heldBy(workerId: string, rank: number): Held {
    let ranks = this.#ranks.get(workerId);
    if (ranks === undefined) this.#ranks.set(workerId, (ranks = new Map<number, Held>()));
    let held = ranks.get(rank);
    if (held === undefined) ranks.set(rank, (held = new Map()));
    return held;
  }
}
