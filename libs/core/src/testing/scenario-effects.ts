import type { Effect, PlanAnswer, PlanRefusal } from '../effects.ts';

/** One line for one effect; `show` turns packed keys into names. */
export function showEffect(effect: Effect, show: (keys: Uint8Array) => string): string {
  switch (effect.type) {
    case 'planReply':
      return `reply ${effect.sessionId} ${showReply(effect.reply)}`;
    case 'transferOrder': {
      const { destinationWorker, transferId, sourceWorker, keys, withTail } = effect.order;
      const tail = withTail ? ' +tail' : '';
      return `order ${destinationWorker} ${transferId} from ${sourceWorker}: ${show(keys)}${tail}`;
    }
    case 'cancelPlan':
      return `cancel ${effect.planId} at ${effect.workerId}: ${effect.reason}`;
    case 'requestSnapshot':
      return `ask ${effect.workerId} for snapshot ${effect.snapshotId}`;
    case 'fleetUpdate': {
      const pools = effect.pools.map((pool) => {
        const ids = pool.workers.map((worker) => worker.workerId).join(' ');
        return `${pool.model}${pool.ready ? '' : ' (not ready)'}: ${ids || 'nobody'}`;
      });
      return `fleet ${pools.join('; ') || 'empty'}`;
    }
    case 'workerJoined':
      return `joined ${effect.workerId}${effect.replaced ? ' (new incarnation)' : ''}`;
    case 'workerLost':
      return `lost ${effect.workerId}: ${effect.reason}`;
    case 'workerRefused':
      return `refused worker ${effect.workerId}: ${effect.reason}`;
    case 'resync':
      return `resync ${effect.workerId}: ${effect.reason}`;
  }
}

function showReply(reply: PlanAnswer | PlanRefusal): string {
  if (reply.kind === 'refused') {
    return `${reply.requestId} refused ${reply.code} (${reply.message}) retry=${reply.retryAfterMs}`;
  }
  const { requestId, planId, mode, prefill, decode, prefixTokens, predictedTtftMs } = reply;
  const where =
    mode === 'aggregated'
      ? `${decode.workerId}[${decode.heldTokens}]`
      : `${prefill.workerId}[${prefill.heldTokens}] > ${decode.workerId}[${decode.heldTokens}]`;
  const pulled = prefixTokens > 0 ? ` pulled=${prefixTokens}` : '';
  const known = `matched=${reply.matchedTokens} candidates=${reply.candidates}`;
  return `${requestId} ${planId} ${mode} ${where}${pulled} ttft=${predictedTtftMs.toFixed(1)}ms ${known}`;
}
