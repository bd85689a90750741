import { KEY_BYTES } from '@baton/kv';
import type { LedgerOp, LedgerOpKind, Place } from './ledger-op.ts';

/** Keys of one kind and place that follow each other. */
interface Run {
  kind: LedgerOpKind;
  place: Place;
  bytes: Uint8Array;
  from: number;
  to: number;
}

const FIRST_KEYS = 16;
const noBytes = new Uint8Array();

/** Changes that have not been told yet, in their order: a segment that comes and goes again comes and goes. */
export class PendingOps {
  #runs: Run[] = [];
  #keys = 0;

  get keys(): number {
    return this.#keys;
  }

  /** One key, at `offset` of a packed list. The same place is always given as the same object. */
  append(kind: 'store' | 'remove', place: Place, packed: Uint8Array, offset: number): void {
    let run = this.#runs[this.#runs.length - 1];
    if (run === undefined || run.kind !== kind || run.place !== place) {
      run = { kind, place, bytes: new Uint8Array(FIRST_KEYS * KEY_BYTES), from: 0, to: 0 };
      this.#runs.push(run);
    }
    if (run.to === run.bytes.length) {
      const longer = new Uint8Array(run.bytes.length * 2);
      longer.set(run.bytes);
      run.bytes = longer;
    }
    for (let i = 0; i < KEY_BYTES; i += 1) run.bytes[run.to + i] = packed[offset + i] as number;
    run.to += KEY_BYTES;
    this.#keys += 1;
  }

  /** What was to be told of this place is void. */
  clear(place: Place): void {
    this.#runs = this.#runs.filter((run) => run.place !== place);
    this.#keys = this.#runs.reduce((sum, run) => sum + (run.to - run.from) / KEY_BYTES, 0);
    this.#runs.push({ kind: 'clear', place, bytes: noBytes, from: 0, to: 0 });
  }

  /** What comes next, at most `maxKeys` keys. */
  drain(maxKeys: number): LedgerOp[] {
    const ops: LedgerOp[] = [];
    let room = maxKeys;
    let taken = 0;
    for (const run of this.#runs) {
      if (room <= 0) break;
      const keys = Math.min((run.to - run.from) / KEY_BYTES, room);
      const end = run.from + keys * KEY_BYTES;
      const { rank, tier, resumePoints } = run.place;
      ops.push({
        kind: run.kind,
        rank,
        tier,
        resumePoints,
        keys: run.bytes.subarray(run.from, end),
      });
      run.from = end;
      room -= Math.max(keys, 1);
      this.#keys -= keys;
      if (end === run.to) taken += 1;
    }
    this.#runs = this.#runs.slice(taken);
    return ops;
  }
}
