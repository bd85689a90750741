import { BatonError } from '@baton/kv';
import { protocolOf, type EngineProtocol, type LegRequest } from '@baton/engine-protocols';
import { spans } from '@baton/telemetry';
import type { Plan, PlanLeg } from '../planning/request-plan.ts';
import { answerWith, type PlanEnd } from './answering-leg.ts';
import { runConcurrentPair } from './concurrent-pair.ts';
import type { RequestRun } from './request-run.ts';
import { resume, runResumingPair } from './resuming-pair.ts';
import { runSequentialPair } from './sequential-pair.ts';

/**
 * Runs the legs of one plan and puts what they give into the answer. When it returns, no leg is open any more. What the
 * client has already seen is never sent again: after a prefill leg's first token every leg resumes behind it.
 */
export async function runPlan(
  run: RequestRun,
  plan: Plan,
  onPrefilled: () => void,
): Promise<PlanEnd> {
  const request: LegRequest = { ...run.legRequest, planId: plan.planId };
  const { prefill, decode } = plan;
  const isPair = plan.mode === 'disaggregated';
  const protocol = protocolOf(decode.engine, decode.connector, isPair);
  if (protocol === undefined || prefill.engine !== decode.engine) return unspoken(plan);
  run.protocol = protocol;
  if (run.sampled !== undefined) {
    if (protocol.order !== 'resuming') return unspoken(plan);
    return resume(run, plan, request, protocol, run.sampled, 0);
  }
  // Of an answer of one token nothing is left to hand over, wherever it is computed.
  const isShort = request.maxOutputTokens === 1 && !prefill.pairOnly;
  if (!isPair || isShort) return alone(run, plan, request, protocol);
  switch (protocol.order) {
    case 'resuming':
      return runResumingPair(run, plan, request, protocol);
    case 'sequential':
      return runSequentialPair(run, plan, request, protocol, onPrefilled);
    case 'concurrent':
      return runConcurrentPair(run, plan, request, protocol, onPrefilled);
  }
}

function alone(
  run: RequestRun,
  plan: Plan,
  request: LegRequest,
  protocol: EngineProtocol,
): Promise<PlanEnd> {
  return answerWith(run, plan, {
    kind: 'aggregated',
    span: spans.legAggregated,
    target: plan.mode === 'aggregated' ? plan.decode : plan.prefill,
    call: protocol.aggregated(request, plan.prefixTokens),
    retry: 0,
    firstByteMs: run.deps.config.timeLimits.prefillMs,
  });
}

/** The plan asks for what its engines cannot do, or nobody here can ask of them. */
function unspoken({ prefill, decode }: Plan): PlanEnd {
  const name = ({ engine, connector }: PlanLeg): string =>
    `"${engine}" with connector "${connector}"`;
  const message = `The plan asks for what is not known here: prefill on ${name(prefill)}, decode on ${name(decode)}.`;
  return {
    kind: 'failed',
    error: new BatonError('protocol_violation', message),
    worker: decode.workerId,
  };
}
