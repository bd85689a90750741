import type { Tier } from '@baton/kv';
import { baton } from '@baton/proto';
import { DELTA_DELAY_MS, MAX_KEYS_PER_CHUNK, MAX_KEYS_PER_DELTA } from './limits.ts';
import type { LedgerOp, LedgerOpKind } from './ledger-op.ts';
import { SegmentLedger } from './segment-ledger.ts';

export interface DeltaPublisherOptions {
  workerId: string;
  epoch: baton.v1.IEpoch;
  /** That are accounted for from the start; others follow as they come. */
  tiers: readonly Tier[];
  /** May lose the delta: its number is used all the same, so that the gap is seen. */
  publish(delta: baton.v1.IKvDelta): void;
}

const KINDS: Record<LedgerOpKind, baton.v1.KvOpKind> = {
  store: baton.v1.KvOpKind.KV_OP_KIND_STORE,
  remove: baton.v1.KvOpKind.KV_OP_KIND_REMOVE,
  clear: baton.v1.KvOpKind.KV_OP_KIND_CLEAR,
};

/** Tells the conductor what this worker holds: changes in batches, counted without gaps, and everything on request. */
export class DeltaPublisher {
  readonly ledger: SegmentLedger;
  readonly #options: DeltaPublisherOptions;
  #lastSeq = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DeltaPublisherOptions) {
    this.#options = options;
    const places = options.tiers.map((tier) => ({ rank: 0, tier, resumePoints: false }));
    this.ledger = new SegmentLedger(places, () => this.#changed());
  }

  /** Number of the last delta told. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Tells everything that is still to be told. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { workerId, epoch, publish } = this.#options;
    for (;;) {
      const ops = this.ledger.drain(MAX_KEYS_PER_DELTA);
      if (ops.length === 0) return;
      this.#lastSeq += 1;
      publish({ workerId, epoch, seq: this.#lastSeq, ops: ops.map(wireOp) });
    }
  }

  /** Everything held at this moment, in chunks. */
  snapshot(request: { snapshotId: number }): baton.v1.ISnapshotChunk[] {
    this.flush();
    const { workerId, epoch } = this.#options;
    const { snapshotId } = request;
    const seq = this.#lastSeq;
    const held = [...this.ledger.contents(MAX_KEYS_PER_CHUNK)].map((op) => [wireOp(op)]);
    const chunks = held.length > 0 ? held : [[]];
    const count = chunks.length;
    return chunks.map((ops, index) => ({ workerId, epoch, snapshotId, index, count, seq, ops }));
  }

  /** What is held, as of the last delta. */
  tiers(capacityOf: (tier: Tier) => number): baton.v1.ITierState[] {
    return this.ledger
      .states()
      .map((state) => ({ ...state, capacitySegments: capacityOf(state.tier) }));
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #changed(): void {
    if (this.ledger.pendingKeys >= MAX_KEYS_PER_DELTA) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), DELTA_DELAY_MS);
  }
}

function wireOp({ kind, tier, rank, resumePoints, keys }: LedgerOp): baton.v1.IKvOp {
  return { kind: KINDS[kind], tier, rank, resumePoints, keys };
}
