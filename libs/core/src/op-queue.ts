import type { KvOp } from '@baton/index';
import { Fifo, KEY_BYTES } from '@baton/kv';

/** A view that keeps so many times its own size from being given back is copied. */
const MAX_PINNED_TIMES = 4;

/** What a change costs, in keys: one without keys is not free. */
export function opCost(op: KvOp): number {
  return Math.max(1, op.keys.length / KEY_BYTES);
}

export function opsCost(ops: readonly KvOp[]): number {
  return ops.reduce((sum, op) => sum + opCost(op), 0);
}

/** Changes that wait for their turn and come out in order, in pieces of a bounded size. */
export class OpQueue {
  readonly #ops = new Fifo<KvOp>();
  #cost = 0;

  /** Keys in the queue; a change without keys counts as one. */
  get cost(): number {
    return this.#cost;
  }

  get isEmpty(): boolean {
    return this.#cost === 0;
  }

  push(ops: readonly KvOp[]): void {
    for (const op of ops) {
      const kept = unpinned(op);
      this.#ops.push(kept);
      this.#cost += opCost(kept);
    }
  }

  /** The next changes, at most `maxCost` keys together. */
  take(maxCost: number): KvOp[] {
    const taken: KvOp[] = [];
    let room = maxCost;
    while (room > 0) {
      const op = this.#ops.first;
      if (op === undefined) break;
      const cost = opCost(op);
      if (cost > room) {
        taken.push({ ...op, keys: op.keys.subarray(0, room * KEY_BYTES) });
        this.#ops.replaceFirst({ ...op, keys: op.keys.subarray(room * KEY_BYTES) });
        this.#cost -= room;
        return taken;
      }
      taken.push(op);
      this.#ops.shift();
      this.#cost -= cost;
      room -= cost;
    }
    return taken;
  }

  clear(): void {
    this.#ops.clear();
    this.#cost = 0;
  }
}

/** What waits must not keep the whole network buffer that it came in. */
export function unpinned(op: KvOp): KvOp {
  const { keys } = op;
  if (keys.buffer.byteLength <= keys.length * MAX_PINNED_TIMES) return op;
  return { ...op, keys: Uint8Array.from(keys) };
}
