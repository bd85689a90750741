import { BatonError, toBatonError } from '@baton/kv';
import type { EngineStream } from '@baton/engine-clients';
import type { JsonObject, LegCall, LegKind } from '@baton/engine-protocols';
import { asObject, malformed, onlyChoice } from '../answer/answer.ts';
import type { Plan, PlanLeg } from '../planning/request-plan.ts';
import { OpenLeg, type Settled } from './open-leg.ts';
import type { RequestRun } from './request-run.ts';

/** How a plan ended; `worker` is the one whose leg failed. */
export type PlanEnd = { kind: 'finished' } | { kind: 'failed'; error: BatonError; worker: string };

/** What a leg that goes on to the end answers with. */
export type Source = { stream: EngineStream } | { whole: JsonObject };

export type OnFirst = (whole?: JsonObject) => void;

export interface AnsweringLeg {
  kind: LegKind;
  span: string;
  target: PlanLeg;
  call: LegCall;
  retry: number;
  firstByteMs: number;
  /** The first of the answer has come, or all of it where it is not streamed. */
  onFirst?: OnFirst;
}

/** Asks a leg for the answer, and gives it to the client. */
export async function answerWith(run: RequestRun, plan: Plan, leg: AnsweringLeg): Promise<PlanEnd> {
  const open = openAnswering(run, plan, leg);
  return relay(run, open, leg.kind, await open.result, leg.onFirst);
}

export function openAnswering(run: RequestRun, plan: Plan, leg: AnsweringLeg): OpenLeg<Source> {
  const { engines, config } = run.deps;
  const { idleMs, generationMs } = config.timeLimits;
  const { span, target, retry } = leg;
  const call = addressed(run, leg.call, target);
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

export async function relay(
  run: RequestRun,
  leg: OpenLeg<Source>,
  kind: LegKind,
  answered: Awaited<OpenLeg<Source>['result']>,
  onFirst?: OnFirst,
): Promise<PlanEnd> {
  try {
    if (!answered.ok) throw answered.error;
    const { answer } = run;
    const source = answered.value;
    run.answering = kind;
    if ('stream' in source && answer.streamed) {
      const { stream } = source;
      answer.stream.startLeg();
      for (let events = await stream.next(); events !== undefined; events = await stream.next()) {
        onFirst?.();
        onFirst = undefined;
        const drained = answer.stream.events(events);
        if (drained !== undefined) await drained;
      }
      answer.stream.endLeg();
    } else if ('whole' in source && !answer.streamed) {
      onFirst?.(source.whole);
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

/** A prefill leg under way: one JSON answer, whoever goes on behind it. It ends with `signal`, as a rule the request's. */
export function openPrefill(
  run: RequestRun,
  plan: Plan,
  call: LegCall,
  span: string,
  signal = run.signal,
): OpenLeg<unknown> {
  const { engines, config } = run.deps;
  const { prefillMs, idleMs } = config.timeLimits;
  return new OpenLeg(
    {
      span,
      parent: run.span,
      planId: plan.planId,
      internalId: run.internalId,
      target: plan.prefill,
      call: addressed(run, call, plan.prefill),
      retry: 0,
      limits: { firstByteMs: prefillMs, idleMs },
      signal,
    },
    (engineCall) => engines.postJson(engineCall),
  );
}

/** Of several ranks behind one URL the one that was planned. */
function addressed({ protocol }: RequestRun, call: LegCall, { rank }: PlanLeg): LegCall {
  return rank === undefined || protocol === undefined ? call : protocol.atRank(call, rank);
}

/** What a prefill said whose only use is to have computed the prompt. @throws BatonError when it has not */
export function prefillAnswer(answered: Settled<unknown>): JsonObject {
  if (!answered.ok) throw answered.error;
  const answer = asObject(answered.value);
  if (answer === undefined) throw malformed('it is no object');
  const reason = onlyChoice(answer)['finish_reason'];
  if (reason === 'length' || reason === 'stop') return answer;
  throw malformed(`prefill ended with ${String(reason)}`);
}

/** From when decode has all that it needs until its first token. */
export function limitTakeover(
  run: RequestRun,
  decode: OpenLeg<Source>,
): NodeJS.Timeout | undefined {
  const { handoverMs } = run.deps.config.timeLimits;
  // A whole answer comes at the end of decoding: its time limit is that of the generation.
  if (!run.answer.streamed) return undefined;
  const message = `Decode did not take over within ${handoverMs} ms.`;
  return setTimeout(() => decode.abort(new BatonError('deadline_exceeded', message)), handoverMs);
}

export function failed(leg: OpenLeg<unknown>, error: unknown): PlanEnd {
  const fault = toBatonError(error);
  leg.fail(fault);
  return { kind: 'failed', error: fault, worker: leg.workerId };
}
