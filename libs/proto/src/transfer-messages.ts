import type {
  TransferOrder,
  TransferReason,
  TransferResult,
  TransferStatus,
} from '@baton/transfers';
import { FieldReader, read, type Unusable, type WireNumbers } from './field-reader.ts';
import { baton } from './generated/baton.js';
import { workerIdFrom } from './worker-messages.ts';

const { TransferReason: WireReason, TransferStatus: WireStatus } = baton.v1;

const reasons: WireNumbers<TransferReason> = {
  prefix: WireReason.TRANSFER_REASON_PREFIX,
  handover: WireReason.TRANSFER_REASON_HANDOVER,
  replicate: WireReason.TRANSFER_REASON_REPLICATE,
  promote: WireReason.TRANSFER_REASON_PROMOTE,
  migrate: WireReason.TRANSFER_REASON_MIGRATE,
};

const statuses: WireNumbers<TransferStatus> = {
  done: WireStatus.TRANSFER_STATUS_DONE,
  partial: WireStatus.TRANSFER_STATUS_PARTIAL,
  failed: WireStatus.TRANSFER_STATUS_FAILED,
  cancelled: WireStatus.TRANSFER_STATUS_CANCELLED,
};

/** The message has no destination: it goes to the agent of `order.destinationWorker`. */
export function transferOrderMessage(order: TransferOrder): baton.v1.ITransferOrder {
  const { transferId, planId, sourceWorker, sourceAddress, keys } = order;
  const { withTail, timeoutMs, traceparent } = order;
  return {
    transferId,
    planId,
    reason: reasons[order.reason],
    sourceWorker,
    sourceAddress,
    keys,
    withTail,
    timeoutMs,
    traceparent,
  };
}

/** `destinationWorker` is whoever was sent it. */
export function readTransferOrder(
  message: baton.v1.ITransferOrder,
  destinationWorker: string,
): TransferOrder | Unusable {
  return read(() => {
    const order = new FieldReader(message, 'TransferOrder');
    const withTail = order.flag('withTail');
    const keys = order.keys('keys');
    if (keys.length === 0 && !withTail) order.refuse('keys', 'must not be empty without a tail');
    return {
      transferId: order.name('transferId', 1),
      planId: order.name('planId', withTail ? 1 : 0),
      reason: order.word('reason', reasons),
      destinationWorker,
      sourceWorker: order.name('sourceWorker'),
      sourceAddress: order.address('sourceAddress'),
      keys,
      withTail,
      timeoutMs: order.whole('timeoutMs', 1),
      traceparent: order.name('traceparent'),
    };
  });
}

export function transferResultMessage(result: TransferResult): baton.v1.ITransferResult {
  return { ...result, status: statuses[result.status] };
}

export function readTransferResult(message: baton.v1.ITransferResult): TransferResult | Unusable {
  return read(() => {
    const result = new FieldReader(message, 'TransferResult');
    return {
      transferId: result.name('transferId', 1),
      workerId: workerIdFrom(result),
      status: result.word('status', statuses),
      segments: result.whole('segments'),
      bytes: result.whole('bytes'),
      durationMs: result.amount('durationMs'),
      bytesPerSec: result.amount('bytesPerSec'),
      backend: result.name('backend'),
      code: result.name('code'),
    };
  });
}
