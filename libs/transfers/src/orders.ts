import { KEY_BYTES, keyCount } from '@baton/kv';

export type TransferReason = 'prefix' | 'handover' | 'replicate' | 'promote' | 'migrate';

/**
 * An order to the agent of `destinationWorker` to pull segments from the agent of `sourceWorker`.
 */
export interface TransferOrder {
  transferId: string;
  planId: string;
  reason: TransferReason;
  destinationWorker: string;
  sourceWorker: string;
  /** host:port. */
  sourceAddress: string;
  /** Packed, in prompt order. */
  keys: Uint8Array;
  withTail: boolean;
  timeoutMs: number;
  /** W3C trace context of the plan, or empty. */
  traceparent: string;
}

/** What a plan says about moving KV. */
export interface TransferPlan {
  planId: string;
  /** Packed keys of the prompt's whole segments. */
  keys: Uint8Array;
  traceparent: string;
  /** Runs to bring to the prefill worker. */
  pulls?: readonly {
    sourceWorker: string;
    sourceAddress: string;
    destinationWorker: string;
    firstSegment: number;
    segments: number;
    timeoutMs: number;
  }[];
  /** From prefill to decode; `heldSegments` are the leading ones that decode has already. */
  handover?:
    | {
        sourceWorker: string;
        sourceAddress: string;
        destinationWorker: string;
        heldSegments: number;
        timeoutMs: number;
      }
    | undefined;
}

/**
 * The orders of a plan. A handover brings the segments from the first one on that decode lacks,
 * and the tail, even when it lacks none: the tail carries the first token. A pull brings a run
 * without a tail; several of one plan are numbered from the second on.
 */
export function transferOrders(plan: TransferPlan): TransferOrder[] {
  const orders: TransferOrder[] = [];
  const { planId, keys, traceparent, pulls = [], handover } = plan;
  const whole = keyCount(keys);
  for (const pull of pulls) {
    const last = Math.min(pull.firstSegment + pull.segments, whole);
    orders.push({
      transferId: `${planId}-prefix${orders.length === 0 ? '' : `-${orders.length + 1}`}`,
      planId,
      reason: 'prefix',
      destinationWorker: pull.destinationWorker,
      sourceWorker: pull.sourceWorker,
      sourceAddress: pull.sourceAddress,
      keys: keys.slice(pull.firstSegment * KEY_BYTES, last * KEY_BYTES),
      withTail: false,
      timeoutMs: pull.timeoutMs,
      traceparent,
    });
  }
  if (handover !== undefined) {
    const first = Math.min(handover.heldSegments, whole);
    orders.push({
      transferId: `${planId}-handover`,
      planId,
      reason: 'handover',
      destinationWorker: handover.destinationWorker,
      sourceWorker: handover.sourceWorker,
      sourceAddress: handover.sourceAddress,
      keys: keys.slice(first * KEY_BYTES),
      withTail: true,
      timeoutMs: handover.timeoutMs,
      traceparent,
    });
  }
  return orders;
}
