import type { HandoverParams, LegRequest, SequentialProtocol } from '@baton/engine-protocols';
import { BatonError } from '@baton/kv';
import { spans } from '@baton/telemetry';
import { isClientFault } from '../fault-blame.ts';
import { malformed } from '../answer/answer.ts';
import type { Plan } from '../planning/request-plan.ts';
import { answerWith, failed, openPrefill, prefillAnswer, type PlanEnd } from './answering-leg.ts';
import { HandoverSpan } from './handover-span.ts';
import type { RequestRun } from './request-run.ts';
import { keepTurn, TurnRead } from './turn-read.ts';

const STALE = 'The gateway stood still: what prefill keeps may be gone.';

/**
 * Decode once prefill has said where its KV is; the client's first token is decode's. What prefill says is used at once
 * and once: whatever fails afterwards, another plan computes the prompt again.
 */
export async function runSequentialPair(
  run: RequestRun,
  plan: Plan,
  request: LegRequest,
  protocol: SequentialProtocol,
  onPrefilled: () => void,
): Promise<PlanEnd> {
  const turn = TurnRead.begin(run, plan);
  const isStale = staleness(run, protocol);
  let prefilled = await runPrefill(run, plan, request, protocol, turn);
  const fault = 'failed' in prefilled ? prefilled.failed : undefined;
  const isToBlame = fault?.kind === 'failed' && !isClientFault(fault.error);
  // Without the turn the same engine computes what it could not read, and has most of what it was asked for long ago.
  if ((turn !== undefined || isStale()) && isToBlame && !run.signal.aborted)
    prefilled = await runPrefill(run, plan, request, protocol, undefined);
  if ('failed' in prefilled) return prefilled.failed;
  const { params } = prefilled;
  onPrefilled();
  const { prefillMs, handoverMs } = run.deps.config.timeLimits;
  const decode = { span: spans.legDecode, target: plan.decode, retry: 0 };
  if (params === undefined) {
    const call = protocol.aggregated(request, 0);
    return answerWith(run, plan, { ...decode, kind: 'aggregated', call, firstByteMs: prefillMs });
  }
  // Agents have spans of their own for what they move.
  const handover =
    protocol.movedBy === 'engines'
      ? new HandoverSpan(run.span, plan, run.ledger.promptTokens)
      : undefined;
  // Only an answer that is not streamed says what is kept of it.
  const tellsTokens = !run.answer.streamed && run.deps.turns.isKeeper(plan.decode);
  const end = await answerWith(run, plan, {
    ...{ ...decode, kind: 'decode', firstByteMs: handoverMs },
    call: protocol.decode(request, params, tellsTokens),
    onFirst: (whole) => {
      handover?.arrived();
      if (whole !== undefined) keepTurn(run, plan, protocol, whole);
    },
  });
  handover?.end(end.kind === 'failed' ? end.error : undefined);
  return end;
}

/** Whether what an engine says from now on may be heard when the lease on what it keeps is over. */
function staleness({ deps }: RequestRun, { movedBy }: SequentialProtocol): () => boolean {
  // Agents have leases of their own.
  return movedBy === 'engines' ? deps.standstills.from() : () => false;
}

/** The prefill leg, and what it says of where its KV is. */
async function runPrefill(
  run: RequestRun,
  plan: Plan,
  request: LegRequest,
  protocol: SequentialProtocol,
  turn: TurnRead | undefined,
): Promise<{ params: HandoverParams | undefined } | { failed: PlanEnd }> {
  const facts = {
    ...{ decodeHeldTokens: plan.decode.heldTokens, prefixTokens: plan.prefixTokens },
    keptTurn: turn?.params,
  };
  const isStale = staleness(run, protocol);
  const prefill = openPrefill(run, plan, protocol.prefill(request, facts), spans.legPrefill);
  const answered = await prefill.result;
  try {
    const answer = prefillAnswer(answered);
    if (isStale()) throw new BatonError('deadline_exceeded', STALE);
    const read = protocol.readHandover(answer, {
      promptTokens: run.ledger.promptTokens,
      blockTokens: plan.prefill.blockTokens,
    });
    if (!read.ok) throw malformed(read.reason);
    const said = protocol.readAccounting(answer, 'prefill');
    const accounting = turn === undefined ? said : turn.accounted(said);
    run.ledger.addLeg(accounting, undefined, false);
    prefill.accounted(accounting);
    prefill.close();
    turn?.end(accounting);
    return { params: read.value };
  } catch (error) {
    const end = failed(prefill, error);
    if (end.kind === 'failed') turn?.fail(end.error);
    return { failed: end };
  }
}
