import { readAccounting } from '../baton/leg-answers.ts';
import type { JsonObject, LegKind, LegRequest, SequentialProtocol } from '../engine-protocol.ts';
import { answeringCall, oneTokenCall } from '../leg-call.ts';
import { atVllmRank } from './data-parallel.ts';
import { readUsage } from './vllm-protocol.ts';

/**
 * vLLM with Baton's own connector: agents move the KV while prefill computes, by the conductor's orders. The engines are
 * told which plan they work for; a decode engine finds by that what its agent is bringing, and computes what is missing.
 */
export const vllmBatonProtocol: SequentialProtocol = {
  order: 'sequential',
  movedBy: 'agents',
  aggregated: (request, prefixTokens) =>
    answeringCall(request, planned(request, 'aggregated', prefixTokens)),
  prefill: (request, facts) =>
    oneTokenCall(request, planned(request, 'prefill', facts.prefixTokens)),
  decode: (request) => answeringCall(request, planned(request, 'decode', 0)),
  atRank: atVllmRank,
  // A connector that knows of the plan accounts for its prompt; without one nobody hands anything over.
  readHandover: (answer) => ({
    ok: true,
    value: readAccounting(answer) === undefined ? undefined : {},
  }),
  // Streams of vLLM carry no more than its usage, where what was received and what was cached are one number.
  readAccounting: (answer, leg) => readAccounting(answer) ?? readUsage(answer, leg),
};

function planned({ planId }: LegRequest, leg: LegKind, prefixTokens: number): JsonObject {
  return {
    kv_transfer_params: { baton: { plan_id: planId, leg, prefix_tokens: prefixTokens } },
  };
}
