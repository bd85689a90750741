import { KEY_BYTES } from '@baton/kv';
import { baton } from '@baton/proto';

/** Bytes of a message as `T`, or a sentence that says what is wrong with it. */
export type Decoded<T> = { message: T } | { fault: string };

interface MessageType<T> {
  decode(bytes: Uint8Array): T;
}

/** What a decoder cannot see: fields that must be there, keys that are whole. */
function decoder<T>(
  type: MessageType<T>,
  check: (message: T, subjectWorker: string) => string | undefined,
): (bytes: Uint8Array, subjectWorker: string) => Decoded<T> {
  return (bytes, subjectWorker) => {
    let message: T;
    try {
      message = type.decode(bytes);
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) };
    }
    const fault = check(message, subjectWorker);
    return fault === undefined ? { message } : { fault };
  };
}

function wrongWorker(field: string, given: string, expected: string): string | undefined {
  return given === expected ? undefined : `${field} is not the worker of the subject`;
}

function wholeKeys(field: string, keys: Uint8Array | null | undefined): string | undefined {
  if ((keys?.length ?? 0) % KEY_BYTES === 0) return undefined;
  return `${field} must be a multiple of ${KEY_BYTES} bytes`;
}

function wholeOps(ops: readonly baton.v1.IKvOp[]): string | undefined {
  for (const op of ops) {
    const fault = wholeKeys('ops.keys', op.keys);
    if (fault) return fault;
  }
  return undefined;
}

const missing = (field: string, value: unknown): string | undefined =>
  value === null || value === undefined || value === '' ? `${field} is missing` : undefined;

export const decodeBeat = decoder<baton.v1.WorkerBeat>(
  baton.v1.WorkerBeat,
  (beat, worker) =>
    missing('worker', beat.worker) ??
    missing('epoch', beat.epoch) ??
    wrongWorker('worker.worker_id', beat.worker?.workerId ?? '', worker),
);

export const decodeDelta = decoder<baton.v1.KvDelta>(
  baton.v1.KvDelta,
  (delta, worker) =>
    wrongWorker('worker_id', delta.workerId, worker) ??
    missing('epoch', delta.epoch) ??
    wholeOps(delta.ops),
);

export const decodeSnapshotRequest = decoder<baton.v1.SnapshotRequest>(
  baton.v1.SnapshotRequest,
  () => undefined,
);

export const decodeSnapshotChunk = decoder<baton.v1.SnapshotChunk>(
  baton.v1.SnapshotChunk,
  (chunk, worker) =>
    wrongWorker('worker_id', chunk.workerId, worker) ??
    missing('epoch', chunk.epoch) ??
    (chunk.index < chunk.count ? undefined : 'index must be below count') ??
    wholeOps(chunk.ops),
);

export const decodeTransferOrder = decoder<baton.v1.TransferOrder>(
  baton.v1.TransferOrder,
  (order) => missing('transfer_id', order.transferId) ?? wholeKeys('keys', order.keys),
);

export const decodeTransferAck = decoder<baton.v1.TransferAck>(
  baton.v1.TransferAck,
  () => undefined,
);

export const decodeTransferResult = decoder<baton.v1.TransferResult>(
  baton.v1.TransferResult,
  (result, worker) =>
    missing('transfer_id', result.transferId) ?? wrongWorker('worker_id', result.workerId, worker),
);

export const decodeCancelPlan = decoder<baton.v1.CancelPlan>(baton.v1.CancelPlan, (cancel) =>
  missing('plan_id', cancel.planId),
);
