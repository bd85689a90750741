import { KEY_BYTES } from '@baton/kv';
import type { TransferOrder, TransferReason } from './orders.ts';

export type TransferStatus = 'done' | 'partial' | 'failed' | 'cancelled';

/** What an agent says at a transfer's end. */
export interface TransferResult {
  transferId: string;
  /** The worker whose agent pulled. */
  workerId: string;
  status: TransferStatus;
  segments: number;
  bytes: number;
  durationMs: number;
  bytesPerSec: number;
  backend: string;
  code: string;
}

export interface TransferRecord {
  transferId: string;
  planId: string;
  reason: TransferReason;
  sourceWorker: string;
  destinationWorker: string;
  orderedSegments: number;
  orderedAtMs: number;
  /** After this nothing is heard of it any more. */
  deadlineMs: number;
  status: 'ordered' | TransferStatus;
  segments: number;
  bytes: number;
  durationMs: number;
  bytesPerSec: number;
  backend: string;
  code: string;
}

export interface TransferTotals {
  ordered: number;
  done: number;
  partial: number;
  failed: number;
  cancelled: number;
  segments: number;
  bytes: number;
}

/** Time for a final status after a transfer's own time-out. */
const GRACE_MS = 5000;
/** Time for a final status after the end of the plan; by then both agents have heard of it, or it was lost. */
const PLAN_GRACE_MS = 2000;

/** Transfers that were ordered and have no final status yet. */
export class TransferLedger {
  readonly #active = new Map<string, TransferRecord>();
  readonly #totals: TransferTotals = {
    ordered: 0,
    done: 0,
    partial: 0,
    failed: 0,
    cancelled: 0,
    segments: 0,
    bytes: 0,
  };

  ordered(order: TransferOrder, nowMs: number): TransferRecord {
    const record: TransferRecord = {
      transferId: order.transferId,
      planId: order.planId,
      reason: order.reason,
      sourceWorker: order.sourceWorker,
      destinationWorker: order.destinationWorker,
      orderedSegments: order.keys.length / KEY_BYTES,
      orderedAtMs: nowMs,
      deadlineMs: nowMs + order.timeoutMs + GRACE_MS,
      status: 'ordered',
      segments: 0,
      bytes: 0,
      durationMs: 0,
      bytesPerSec: 0,
      backend: '',
      code: '',
    };
    this.#active.set(order.transferId, record);
    this.#totals.ordered += 1;
    return record;
  }

  /** Undefined when the transfer is not known or has ended before. */
  finished(result: TransferResult): TransferRecord | undefined {
    const record = this.#active.get(result.transferId);
    if (record === undefined || record.destinationWorker !== result.workerId) return undefined;
    const { status, segments, bytes, durationMs, bytesPerSec, backend, code } = result;
    Object.assign(record, { status, segments, bytes, durationMs, bytesPerSec, backend, code });
    this.#end(record);
    return record;
  }

  /** The order was refused or could not be delivered. */
  refused(transferId: string, code: string): TransferRecord | undefined {
    const record = this.#active.get(transferId);
    if (record === undefined) return undefined;
    Object.assign(record, { status: 'failed', code });
    this.#end(record);
    return record;
  }

  /** Nobody needs these any more: what was not heard soon was lost on its way. */
  planEnded(records: readonly TransferRecord[], nowMs: number): void {
    for (const record of records) {
      record.deadlineMs = Math.min(record.deadlineMs, nowMs + PLAN_GRACE_MS);
    }
  }

  /** Gives up on transfers of which nothing was heard in time. */
  expire(nowMs: number): void {
    for (const record of [...this.#active.values()]) {
      if (record.deadlineMs <= nowMs) this.refused(record.transferId, 'deadline_exceeded');
    }
  }

  /** Gives up on transfers into a worker that is gone: nobody will report their end. */
  workerLost(workerId: string): void {
    for (const record of [...this.#active.values()]) {
      if (record.destinationWorker === workerId) this.refused(record.transferId, 'no_worker');
    }
  }

  /** In the order in which they were ordered. */
  active(): TransferRecord[] {
    return [...this.#active.values()];
  }

  totals(): TransferTotals {
    return { ...this.#totals };
  }

  #end(record: TransferRecord): void {
    this.#active.delete(record.transferId);
    if (record.status !== 'ordered') this.#totals[record.status] += 1;
    this.#totals.segments += record.segments;
    this.#totals.bytes += record.bytes;
  }
}
