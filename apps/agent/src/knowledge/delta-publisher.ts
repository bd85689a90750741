import { Tier } from '@baton/kv';
import { baton } from '@baton/proto';
import { DELTA_DELAY_MS, MAX_KEYS_PER_CHUNK, MAX_KEYS_PER_DELTA } from '../core/agent-limits.ts';
import { packHex } from '../core/packed-keys.ts';
import { SegmentLedger } from '../core/segment-ledger.ts';
import type { LedgerOpKind } from '../core/segment-ledger.ts';

export interface DeltaPublisherOptions {
  workerId: string;
  epoch: baton.v1.IEpoch;
  /** May lose the delta: its number is used all the same, so that the gap is seen. */
  publish(delta: baton.v1.IKvDelta): void;
}

const KINDS: Record<LedgerOpKind, baton.v1.KvOpKind> = {
  store: baton.v1.KvOpKind.KV_OP_KIND_STORE,
  remove: baton.v1.KvOpKind.KV_OP_KIND_REMOVE,
  clear: baton.v1.KvOpKind.KV_OP_KIND_CLEAR,
};
const RANK = 0;

/** Tells the conductor what this worker holds: changes in batches, counted without gaps, and everything on request. */
export class DeltaPublisher {
  readonly ledger: SegmentLedger;
  readonly #options: DeltaPublisherOptions;
  #lastSeq = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DeltaPublisherOptions) {
    this.#options = options;
    this.ledger = new SegmentLedger([Tier.HBM, Tier.DRAM], () => {
      this.#timer ??= setTimeout(() => this.flush(), DELTA_DELAY_MS);
    });
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
      publish({
        workerId,
        epoch,
        seq: this.#lastSeq,
        ops: ops.map(({ kind, tier, keys }) => ({
          kind: KINDS[kind],
          tier,
          rank: RANK,
          keys: packHex(keys),
        })),
      });
    }
  }

  /** Everything held at this moment, in chunks. */
  snapshot(request: { snapshotId: number }): baton.v1.ISnapshotChunk[] {
    this.flush();
    const { workerId, epoch } = this.#options;
    const ops = this.ledger.tierList.flatMap((tier) => chunked(this.ledger.keys(tier), tier));
    const count = Math.max(ops.length, 1);
    return Array.from({ length: count }, (_, index) => {
      const op = ops[index];
      return {
        workerId,
        epoch,
        snapshotId: request.snapshotId,
        index,
        count,
        seq: this.#lastSeq,
        ops: op ? [op] : [],
      };
    });
  }

  /** State of each tier as of the last delta. */
  tiers(capacityOf: (tier: Tier) => number): baton.v1.ITierState[] {
    return this.ledger.tierList.map((tier) => ({
      tier,
      rank: RANK,
      ...this.ledger.tier(tier),
      capacitySegments: capacityOf(tier),
    }));
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

function chunked(keys: readonly string[], tier: Tier): baton.v1.IKvOp[] {
  const ops: baton.v1.IKvOp[] = [];
  for (let start = 0; start < keys.length; start += MAX_KEYS_PER_CHUNK) {
    const part = keys.slice(start, start + MAX_KEYS_PER_CHUNK);
    ops.push({ kind: KINDS.store, tier, rank: RANK, keys: packHex(part) });
  }
  return ops;
}
