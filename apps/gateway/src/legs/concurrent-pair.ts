import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { BatonError, toBatonError } from '@baton/kv';
import type { ConcurrentProtocol, LegRequest, PromptAccounting } from '@baton/engine-protocols';
import { spans } from '@baton/telemetry';
import type { Plan } from '../planning/request-plan.ts';
import {
  limitTakeover,
  openAnswering,
  openPrefill,
  prefillAnswer,
  relay,
  type PlanEnd,
} from './answering-leg.ts';
import { HandoverSpan } from './handover-span.ts';
import type { OpenLeg } from './open-leg.ts';
import type { RequestRun } from './request-run.ts';

/** Ids are below 2^48: as many as one draw can tell apart, and exact in JSON. */
const ID_BOUND = 2 ** 48 - 1;
/** Longest that an answer waits for a prefill that has handed its KV over and has not said so. */
const PREFILL_WORD_MS = 1_000;

/**
 * Both legs at once, with an id that no other attempt has; the client's first token is decode's. Until that is there a
 * leg that fails takes the other one with it, and another plan computes the prompt again; afterwards decode has the KV
 * and needs nobody. Where {@link ConcurrentProtocol.prefillGoesOn} it outlives this, for as long as a prefill may take, unless
 * there are many of those at its engine.
 */
export async function runConcurrentPair(
  run: RequestRun,
  plan: Plan,
  request: LegRequest,
  protocol: ConcurrentProtocol,
  onPrefilled: () => void,
): Promise<PlanEnd> {
  const { meetingPoint, rank } = plan.prefill;
  if (meetingPoint === undefined) return unmet(plan);
  const rendezvous = { id: randomInt(1, ID_BOUND), at: meetingPoint, rank };
  const { prefillMs, handoverMs } = run.deps.config.timeLimits;
  const decode = openAnswering(run, plan, {
    kind: 'decode',
    span: spans.legDecode,
    target: plan.decode,
    call: protocol.decode(request, rendezvous),
    retry: 0,
    firstByteMs: prefillMs + handoverMs,
  });
  const call = protocol.prefill(request, rendezvous);
  const signal = protocol.prefillGoesOn ? new AbortController().signal : run.signal;
  const prefill = openPrefill(run, plan, call, spans.legPrefill, signal);
  const handover = new HandoverSpan(run.span, plan, run.ledger.promptTokens);
  let hasBegun = false;
  let isOver = false;
  let lost: PlanEnd | undefined;
  let timer: NodeJS.Timeout | undefined;
  const prefilled = endOfPrefill(prefill, protocol, (accounting) => {
    if (!isOver) run.ledger.addLeg(accounting, undefined, false);
  }).then((fault) => {
    if (hasBegun || isOver) return;
    if (fault === undefined) {
      onPrefilled();
      timer = limitTakeover(run, decode);
    } else {
      lost = { kind: 'failed', error: fault, worker: prefill.workerId };
      decode.abort(fault);
    }
  });
  const end = await relay(run, decode, 'decode', await decode.result, () => {
    hasBegun = true;
    clearTimeout(timer);
    handover.arrived();
  });
  clearTimeout(timer);
  if (end.kind === 'finished') await within(PREFILL_WORD_MS, prefilled);
  isOver = true;
  const mayGoOn = end.kind !== 'finished' && protocol.prefillGoesOn;
  if (!mayGoOn || !run.deps.lonePrefills.admit(plan.prefill.engineUrl, prefilled)) {
    prefill.cancel();
    await prefilled;
  }
  const result = lost ?? end;
  handover.end(result.kind === 'failed' ? result.error : undefined);
  return result;
}

/** Takes prefill's word that it is done, and what it says of its cache; the fault when it is none. Never rejects. */
async function endOfPrefill(
  prefill: OpenLeg<unknown>,
  protocol: ConcurrentProtocol,
  onAccounting: (accounting: PromptAccounting | undefined) => void,
): Promise<BatonError | undefined> {
  const answered = await prefill.result;
  try {
    const accounting = protocol.readAccounting(prefillAnswer(answered), 'prefill');
    onAccounting(accounting);
    prefill.accounted(accounting);
    prefill.close();
    return undefined;
  } catch (error) {
    const fault = toBatonError(error);
    prefill.fail(fault);
    return fault;
  }
}

async function within(ms: number, done: Promise<void>): Promise<void> {
  const stop = new AbortController();
  const late = delay(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  await Promise.race([done, late]);
  stop.abort();
}

function unmet({ prefill }: Plan): PlanEnd {
  const { workerId, engine, connector } = prefill;
  const message = `The plan does not say where ${workerId}, "${engine}" with connector "${connector}", can be met.`;
  const error = new BatonError('protocol_violation', message);
  return { kind: 'failed', error, worker: workerId };
}
