import type { HandoverParams, LegRequest, SequentialProtocol } from '@baton/engine-protocols';
import { spans } from '@baton/telemetry';
import { malformed } from '../answer/answer.ts';
import type { Plan } from '../planning/request-plan.ts';
import { answerWith, failed, openPrefill, prefillAnswer, type PlanEnd } from './answering-leg.ts';
import { HandoverSpan } from './handover-span.ts';
import type { RequestRun } from './request-run.ts';

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
  const facts = { decodeHeldTokens: plan.decode.heldTokens, prefixTokens: plan.prefixTokens };
  const prefill = openPrefill(run, plan, protocol.prefill(request, facts), spans.legPrefill);
  const answered = await prefill.result;
  let params: HandoverParams | undefined;
  try {
    const answer = prefillAnswer(answered);
    const read = protocol.readHandover(answer, {
      promptTokens: run.ledger.promptTokens,
      blockTokens: plan.prefill.blockTokens,
    });
    if (!read.ok) throw malformed(read.reason);
    params = read.value;
    const accounting = protocol.readAccounting(answer, 'prefill');
    run.ledger.addLeg(accounting, undefined, false);
    prefill.accounted(accounting);
    prefill.close();
  } catch (error) {
    return failed(prefill, error);
  }
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
  const end = await answerWith(run, plan, {
    ...{ ...decode, kind: 'decode', firstByteMs: handoverMs },
    call: protocol.decode(request, params),
    onFirst: () => handover?.arrived(),
  });
  handover?.end(end.kind === 'failed' ? end.error : undefined);
  return end;
}
