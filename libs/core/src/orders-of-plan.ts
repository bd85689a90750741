import { enginesMoveKv, type Cluster } from '@baton/cluster';
import type { Choice } from '@baton/scheduling';
import { transferOrders, type TransferOrder, type TransferPlan } from '@baton/transfers';
import type { PlanRequest } from './inputs.ts';
import type { CoreOptions } from './options.ts';
import type { PlanRecord } from './plan-book.ts';

/** What has to be moved for a plan. */
export function ordersOf(
  { planId }: PlanRecord,
  request: PlanRequest,
  { mode, prefill, decode, pulls }: Choice,
  cluster: Cluster,
  { pullTimeoutMs, handoverTimeoutMs }: CoreOptions,
): TransferOrder[] {
  const address = (workerId: string): string => cluster.get(workerId)?.facts.transferAddress ?? '';
  const transfers: TransferPlan = {
    planId,
    keys: request.segmentKeys,
    traceparent: request.traceparent,
  };
  const layout = cluster.get(prefill.workerId)?.facts.layout;
  if (mode === 'disaggregated' && (layout === undefined || !enginesMoveKv(layout))) {
    transfers.handover = {
      sourceWorker: prefill.workerId,
      sourceAddress: address(prefill.workerId),
      destinationWorker: decode.workerId,
      heldSegments: decode.heldSegments,
      timeoutMs: handoverTimeoutMs,
    };
  }
  transfers.pulls = pulls.map(({ sourceWorker, firstSegment, segments }) => ({
    sourceWorker,
    sourceAddress: address(sourceWorker),
    destinationWorker: prefill.workerId,
    firstSegment,
    segments,
    timeoutMs: pullTimeoutMs,
  }));
  return transferOrders(transfers);
}
