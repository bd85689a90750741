import type { JsonObject, LegCall, LegRequest, PrefillFacts } from '../engine-protocol.ts';
import { answeringCall, oneTokenCall } from '../leg-call.ts';

/** One worker does it all, and waits for the prefix that a transfer brings to it. */
export function aggregatedCall(request: LegRequest, prefixTokens: number): LegCall {
  const baton = { plan_id: request.planId, prefix_tokens: prefixTokens };
  return answeringCall(request, handover(false, false, baton));
}

/** Asks for the first token only, as one JSON answer. */
export function prefillCall(request: LegRequest, facts: PrefillFacts): LegCall {
  const baton = {
    plan_id: request.planId,
    decode_held_tokens: facts.decodeHeldTokens,
    prefix_tokens: facts.prefixTokens,
  };
  return oneTokenCall(request, { return_token_ids: true, ...handover(true, false, baton) });
}

/** Waits for the handover of the plan's prefill leg and goes on from the second token. */
export function decodeCall(request: LegRequest): LegCall {
  return answeringCall(request, handover(false, true, { plan_id: request.planId }));
}

/** Computes what the worker lacks of the prompt and the given output tokens, and goes on after them. */
export function resumeCall(request: LegRequest, outputTokenIds: readonly number[]): LegCall {
  return answeringCall(
    request,
    handover(false, false, { plan_id: request.planId, resume_token_ids: [...outputTokenIds] }),
  );
}

function handover(remoteDecode: boolean, remotePrefill: boolean, baton: JsonObject): JsonObject {
  return {
    kv_transfer_params: {
      do_remote_decode: remoteDecode,
      do_remote_prefill: remotePrefill,
      baton,
    },
  };
}
