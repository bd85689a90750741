import { baton } from '@baton/proto';

/** Bytes of a message as `T`, or a sentence that says what is wrong with it. */
export type Decoded<T> = { message: T } | { fault: string };

interface MessageType<T> {
  decode(bytes: Uint8Array): T;
}

/** `check` says what is wrong for the bus; the fields themselves are checked by the readers of `@baton/proto`. */
function decoder<T>(
  type: MessageType<T>,
  check: (message: T, subjectWorker: string) => string | undefined = () => undefined,
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

export const decodeBeat = decoder<baton.v1.WorkerBeat>(baton.v1.WorkerBeat, (beat, worker) =>
  wrongWorker('worker.worker_id', beat.worker?.workerId ?? '', worker),
);

export const decodeDelta = decoder<baton.v1.KvDelta>(baton.v1.KvDelta, (delta, worker) =>
  wrongWorker('worker_id', delta.workerId, worker),
);

export const decodeSnapshotRequest = decoder<baton.v1.SnapshotRequest>(baton.v1.SnapshotRequest);

export const decodeSnapshotChunk = decoder<baton.v1.SnapshotChunk>(
  baton.v1.SnapshotChunk,
  (chunk, worker) =>
    wrongWorker('worker_id', chunk.workerId, worker) ??
    (chunk.index < chunk.count ? undefined : 'index must be below count'),
);

export const decodeTransferOrder = decoder<baton.v1.TransferOrder>(baton.v1.TransferOrder);

export const decodeTransferAck = decoder<baton.v1.TransferAck>(baton.v1.TransferAck);

export const decodeTransferResult = decoder<baton.v1.TransferResult>(
  baton.v1.TransferResult,
  (result, worker) => wrongWorker('worker_id', result.workerId, worker),
);

export const decodeCancelPlan = decoder<baton.v1.CancelPlan>(baton.v1.CancelPlan, (cancel) =>
  cancel.planId === '' ? 'plan_id is missing' : undefined,
);
