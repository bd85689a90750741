import type { LegRequest, ResumingProtocol } from '@baton/engine-protocols';
import { spans } from '@baton/telemetry';
import { asObject, malformed, onlyChoice } from '../answer/answer.ts';
import type { Plan } from '../planning/request-plan.ts';
import {
  answerWith,
  failed,
  limitTakeover,
  openAnswering,
  openPrefill,
  relay,
  type PlanEnd,
  type Source,
} from './answering-leg.ts';
import type { OpenLeg } from './open-leg.ts';
import { hasAdvanced, type RequestRun } from './request-run.ts';

/** Both legs at once: the first token is prefill's, and decode goes on behind it when the KV has come. */
export async function runResumingPair(
  run: RequestRun,
  plan: Plan,
  request: LegRequest,
  protocol: ResumingProtocol,
): Promise<PlanEnd> {
  const { prefillMs, handoverMs } = run.deps.config.timeLimits;
  const decode = openAnswering(run, plan, {
    kind: 'decode',
    span: spans.legDecode,
    target: plan.decode,
    call: protocol.decode(request),
    retry: 0,
    firstByteMs: prefillMs + handoverMs,
  });
  const facts = { decodeHeldTokens: plan.decode.heldTokens, prefixTokens: plan.prefixTokens };
  const prefill = openPrefill(run, plan, protocol.prefill(request, facts), spans.legPrefill);
  try {
    const handedOver = await takeFirstToken(run, plan, prefill, protocol);
    if (handedOver.kind !== 'goes on') return handedOver;
    return await takeOver(run, plan, request, decode, protocol);
  } finally {
    prefill.cancel();
    decode.cancel();
  }
}

/** Goes on behind tokens that another leg has given. */
export function resume(
  run: RequestRun,
  plan: Plan,
  request: LegRequest,
  protocol: ResumingProtocol,
  sampled: readonly number[],
  retry: number,
): Promise<PlanEnd> {
  return answerWith(run, plan, {
    kind: 'decode',
    span: spans.legDecode,
    target: plan.decode,
    call: protocol.resume(request, sampled),
    retry,
    firstByteMs: run.deps.config.timeLimits.prefillMs,
  });
}

async function takeFirstToken(
  run: RequestRun,
  plan: Plan,
  prefill: OpenLeg<unknown>,
  protocol: ResumingProtocol,
): Promise<PlanEnd | { kind: 'goes on' }> {
  const answered = await prefill.result;
  try {
    if (!answered.ok) throw answered.error;
    const answer = asObject(answered.value);
    if (answer === undefined) throw malformed('it is no object');
    const reason = onlyChoice(answer)['finish_reason'];
    const last = reason !== 'length';
    if (last && reason !== 'stop') throw malformed(`prefill ended with ${String(reason)}`);
    if (!last) {
      const read = protocol.readPrefill(answer, plan.planId);
      if (!read.ok) throw malformed(read.reason);
      run.sampled = read.value.tokenIds;
      prefill.accounted(read.value.accounting);
    }
    const { answer: out } = run;
    run.answering = 'prefill';
    const drained = out.streamed
      ? out.stream.prefilled(answer, last)
      : out.whole.prefilled(answer, last);
    prefill.close();
    if (drained !== undefined) await drained;
    return last ? { kind: 'finished' } : { kind: 'goes on' };
  } catch (error) {
    return failed(prefill, error);
  }
}

/** Relays the decode leg; where KV did not arrive, the same worker computes what it lacks. */
async function takeOver(
  run: RequestRun,
  plan: Plan,
  request: LegRequest,
  decode: OpenLeg<Source>,
  protocol: ResumingProtocol,
): Promise<PlanEnd> {
  const timer = limitTakeover(run, decode);
  const answered = await decode.result;
  clearTimeout(timer);
  const end = await relay(run, decode, 'decode', answered);
  const lost = end.kind === 'failed' && end.error.code === 'kv_transfer_failed';
  if (!lost || hasAdvanced(run) || run.signal.aborted) return end;
  return resume(run, plan, request, protocol, run.sampled ?? [], 1);
}
