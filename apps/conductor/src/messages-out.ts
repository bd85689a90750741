import type { Role } from '@baton/cluster';
import type { PlanAnswer, PlannedLeg, PlanRefusal, PoolView } from '@baton/core';
import { baton } from '@baton/proto';
import type { TransferOrder, TransferReason } from '@baton/transfers';

const { PlanMode, TransferReason: ProtoReason } = baton.v1;

const reasons: Readonly<Record<TransferReason, baton.v1.TransferReason>> = {
  prefix: ProtoReason.TRANSFER_REASON_PREFIX,
  handover: ProtoReason.TRANSFER_REASON_HANDOVER,
  replicate: ProtoReason.TRANSFER_REASON_REPLICATE,
  promote: ProtoReason.TRANSFER_REASON_PROMOTE,
  migrate: ProtoReason.TRANSFER_REASON_MIGRATE,
};

export function fleetMessage(pools: readonly PoolView[]): baton.v1.IFleetUpdate {
  return {
    models: pools.map((pool) => ({
      ...pool,
      workers: pool.workers.map((worker: { workerId: string; engineUrl: string; role: Role }) => ({
        ...worker,
      })),
    })),
  };
}

export function planMessage(reply: PlanAnswer | PlanRefusal): baton.v1.IPlanReply {
  if (reply.kind === 'refused') {
    const { requestId, code, message, retryAfterMs } = reply;
    return { requestId, refusal: { code, message, retryAfterMs } };
  }
  const { requestId, planId, prefixTokens, predictedTtftMs, leaseMs } = reply;
  return {
    requestId,
    planId,
    mode:
      reply.mode === 'aggregated'
        ? PlanMode.PLAN_MODE_AGGREGATED
        : PlanMode.PLAN_MODE_DISAGGREGATED,
    prefill: legMessage(reply.prefill),
    decode: legMessage(reply.decode),
    prefixTokens,
    predictedTtftMs,
    leaseMs,
  };
}

export function orderMessage(order: TransferOrder): baton.v1.ITransferOrder {
  return {
    transferId: order.transferId,
    planId: order.planId,
    reason: reasons[order.reason],
    sourceWorker: order.sourceWorker,
    sourceAddress: order.sourceAddress,
    keys: order.keys,
    firstSegment: order.firstSegment,
    withTail: order.withTail,
    timeoutMs: order.timeoutMs,
    traceparent: order.traceparent,
  };
}

function legMessage({ workerId, engineUrl, heldTokens }: PlannedLeg): baton.v1.ILeg {
  return { workerId, engineUrl, heldTokens };
}
