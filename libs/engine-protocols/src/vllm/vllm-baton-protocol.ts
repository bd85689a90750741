import { readAccounting } from '../baton/leg-answers.ts';
import type {
  JsonObject,
  LegCall,
  LegKind,
  LegRequest,
  SequentialProtocol,
} from '../engine-protocol.ts';
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
    traceable(answeringCall(request, planned(request, 'aggregated', prefixTokens))),
  prefill: (request, facts) =>
    traceable(oneTokenCall(request, planned(request, 'prefill', facts.prefixTokens))),
  decode: (request) => traceable(answeringCall(request, planned(request, 'decode', 0))),
  atRank: atVllmRank,
  // A connector that knows of the plan accounts for its prompt; without one nobody hands anything over.
  readHandover: (answer) => ({
    ok: true,
    value: readAccounting(answer) === undefined ? undefined : {},
  }),
  readTurn: () => ({ ok: true, value: undefined }),
  // Streams of vLLM carry no more than its usage, where what was received and what was cached are one number.
  readAccounting: (answer, leg) => readAccounting(answer) ?? readUsage(answer, leg),
};

function planned({ planId }: LegRequest, leg: LegKind, prefixTokens: number): JsonObject {
  return handedOver({ plan_id: planId, leg, prefix_tokens: prefixTokens });
}

/** vLLM keeps a request's headers to itself, so that the connector would not know of the trace. */
function traceable(call: LegCall): LegCall {
  const { kv_transfer_params: params } = call.body as { kv_transfer_params: { baton: JsonObject } };
  return {
    ...call,
    traced: (body, traceparent) => ({ ...body, ...handedOver({ ...params.baton, traceparent }) }),
  };
}

function handedOver(baton: JsonObject): JsonObject {
  return { kv_transfer_params: { baton } };
}
