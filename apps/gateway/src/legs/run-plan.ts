import { BatonError, toBatonError } from '@baton/kv';
import type { JsonObject, LegCall, LegRequest } from '@baton/engine-protocols';
import type { EngineStream } from '@baton/engine-clients';
import { spans } from '@baton/telemetry';
import { asObject, malformed, onlyChoice } from '../answer/answer.ts';
import type { Plan, PlanLeg } from '../planning/request-plan.ts';
import { OpenLeg } from './open-leg.ts';
import { hasAdvanced, type RequestRun } from './request-run.ts';

/** How a plan ended; `worker` is the one whose leg failed. */
export type PlanEnd = { kind: 'finished' } | { kind: 'failed'; error: BatonError; worker: string };

/** What a leg that goes on to the end answers with. */
type Source = { stream: EngineStream } | { whole: JsonObject };

interface AnsweringLeg {
  span: string;
  target: PlanLeg;
  call: LegCall;
  retry: number;
  firstByteMs: number;
}

/**
 * Runs the legs of one plan and puts what they give into the answer. When it returns, no leg is open any more. What the
 * client has already seen is never sent again: after a prefill leg's first token every leg resumes behind it.
 */
export async function runPlan(run: RequestRun, plan: Plan): Promise<PlanEnd> {
  const request: LegRequest = { ...run.legRequest, planId: plan.planId };
  const { protocol, config } = run.deps;
  const firstByteMs = config.timeLimits.prefillMs;
  if (run.sampled !== undefined) {
    return resume(run, plan, request, run.sampled, 0);
  }
  // Of an answer of one token nothing is left to hand over, wherever it is computed.
  if (plan.mode === 'aggregated' || request.maxOutputTokens === 1) {
    const target = plan.mode === 'aggregated' ? plan.decode : plan.prefill;
    const call = protocol.aggregated(request, plan.prefixTokens);
    const span = spans.legAggregated;
    return answerWith(run, plan, { span, target, call, retry: 0, firstByteMs });
  }
  return disaggregated(run, plan, request);
}

async function disaggregated(run: RequestRun, plan: Plan, request: LegRequest): Promise<PlanEnd> {
  const { engines, protocol, config } = run.deps;
  const { prefillMs, handoverMs, idleMs } = config.timeLimits;
  const decode = openAnswering(run, plan, {
    span: spans.legDecode,
    target: plan.decode,
    call: protocol.decode(request),
    retry: 0,
    firstByteMs: prefillMs + handoverMs,
  });
  const facts = { decodeHeldTokens: plan.decode.heldTokens, prefixTokens: plan.prefixTokens };
  const prefill = new OpenLeg(
    {
      span: spans.legPrefill,
      parent: run.span,
      planId: plan.planId,
      internalId: run.internalId,
      target: plan.prefill,
      call: protocol.prefill(request, facts),
      retry: 0,
      limits: { firstByteMs: prefillMs, idleMs },
      signal: run.signal,
    },
    (call) => engines.postJson(call),
  );
  try {
    const handedOver = await takeFirstToken(run, plan, prefill);
    if (handedOver.kind !== 'goes on') return handedOver;
    return await takeOver(run, plan, request, decode);
  } finally {
    prefill.cancel();
    decode.cancel();
  }
}

async function takeFirstToken(
  run: RequestRun,
  plan: Plan,
  prefill: OpenLeg<unknown>,
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
      const read = run.deps.protocol.readPrefill(answer, plan.planId);
      if (!read.ok) throw malformed(read.reason);
      run.sampled = read.value.tokenIds;
      prefill.accounted(read.value.accounting);
    }
    const { answer: out } = run;
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
): Promise<PlanEnd> {
  const { handoverMs } = run.deps.config.timeLimits;
  // A whole answer comes at the end of decoding: its time limit is that of the generation.
  const timer = run.answer.streamed
    ? setTimeout(() => tooLate(decode, handoverMs), handoverMs)
    : undefined;
  const answered = await decode.result;
  clearTimeout(timer);
  const end = await relay(run, decode, answered);
  const lost = end.kind === 'failed' && end.error.code === 'kv_transfer_failed';
  if (!lost || hasAdvanced(run) || run.signal.aborted) return end;
  return resume(run, plan, request, run.sampled ?? [], 1);
}

function tooLate(decode: OpenLeg<Source>, handoverMs: number): void {
  const message = `Decode did not take over within ${handoverMs} ms.`;
  decode.abort(new BatonError('deadline_exceeded', message));
}

function resume(
  run: RequestRun,
  plan: Plan,
  request: LegRequest,
  sampled: readonly number[],
  retry: number,
): Promise<PlanEnd> {
  return answerWith(run, plan, {
    span: spans.legDecode,
    target: plan.decode,
    call: run.deps.protocol.resume(request, sampled),
    retry,
    firstByteMs: run.deps.config.timeLimits.prefillMs,
  });
}

async function answerWith(run: RequestRun, plan: Plan, leg: AnsweringLeg): Promise<PlanEnd> {
  const open = openAnswering(run, plan, leg);
  return relay(run, open, await open.result);
}

function openAnswering(run: RequestRun, plan: Plan, leg: AnsweringLeg): OpenLeg<Source> {
  const { engines, config } = run.deps;
  const { idleMs, generationMs } = config.timeLimits;
  const { span, target, call, retry } = leg;
  const firstByteMs = run.answer.streamed ? leg.firstByteMs : generationMs;
  return new OpenLeg<Source>(
    {
      span,
      target,
      call,
      retry,
      parent: run.span,
      planId: plan.planId,
      internalId: run.internalId,
      limits: { firstByteMs, idleMs },
      signal: run.signal,
    },
    async (engineCall) => {
      if (run.answer.streamed) return { stream: await engines.postStream(engineCall) };
      const whole = asObject(await engines.postJson(engineCall));
      if (whole === undefined) throw malformed('it is no object');
      return { whole };
    },
  );
}

async function relay(
  run: RequestRun,
  leg: OpenLeg<Source>,
  answered: Awaited<OpenLeg<Source>['result']>,
): Promise<PlanEnd> {
  try {
    if (!answered.ok) throw answered.error;
    const { answer } = run;
    const source = answered.value;
    if ('stream' in source && answer.streamed) {
      const { stream } = source;
      answer.stream.startLeg();
      for (let events = await stream.next(); events !== undefined; events = await stream.next()) {
        const drained = answer.stream.events(events);
        if (drained !== undefined) await drained;
      }
      answer.stream.endLeg();
    } else if ('whole' in source && !answer.streamed) {
      answer.whole.whole(source.whole);
    }
    leg.accounted(run.ledger.lastLeg);
    leg.produced(run.ledger.outputTokens);
    leg.close();
    return { kind: 'finished' };
  } catch (error) {
    return failed(leg, error);
  }
}

function failed(leg: OpenLeg<unknown>, error: unknown): PlanEnd {
  const fault = toBatonError(error);
  leg.fail(fault);
  return { kind: 'failed', error: fault, worker: leg.workerId };
}
