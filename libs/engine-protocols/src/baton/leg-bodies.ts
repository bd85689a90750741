import type { JsonObject, LegCall, LegRequest, PrefillFacts } from '../engine-protocol.ts';

const paths = { chat: '/v1/chat/completions', completion: '/v1/completions' } as const;

/** One worker does it all, and waits for the prefix that a transfer brings to it. */
export function aggregatedCall(request: LegRequest, prefixTokens: number): LegCall {
  const baton = { plan_id: request.planId, prefix_tokens: prefixTokens };
  return answeringCall(request, handover(false, false, baton));
}

/**
 * Asks for the first token only, as one JSON answer. A `min_tokens` of the client still forbids an end at once, but may
 * not exceed the one token asked for.
 */
export function prefillCall(request: LegRequest, facts: PrefillFacts): LegCall {
  const body = ownBody(request);
  delete body['max_completion_tokens'];
  delete body['stream_options'];
  body['stream'] = false;
  body['max_tokens'] = 1;
  if (typeof body['min_tokens'] === 'number') body['min_tokens'] = Math.min(body['min_tokens'], 1);
  body['return_token_ids'] = true;
  body['kv_transfer_params'] = handover(true, false, {
    plan_id: request.planId,
    decode_held_tokens: facts.decodeHeldTokens,
    prefix_tokens: facts.prefixTokens,
  });
  return { path: paths[request.api], body };
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

/**
 * The client's body, the prompt of a completion as token ids, so that no leg tokenizes what has been tokenized. A chat
 * stays a chat: the engine's parsers of tools and reasoning go by it.
 */
function ownBody({ api, body, promptTokens }: LegRequest): JsonObject {
  const own: JsonObject = { ...body };
  if (api === 'chat' || promptTokens === undefined) return own;
  own['prompt'] = promptTokens;
  // Told to the tokenizer already; about ids it says nothing.
  delete own['add_special_tokens'];
  return own;
}

function answeringCall(request: LegRequest, params: JsonObject): LegCall {
  const body = ownBody(request);
  const limitedByClient = request.api === 'chat' && body['max_completion_tokens'] != null;
  if (!limitedByClient) body['max_tokens'] = request.maxOutputTokens;
  if (body['stream'] === true) {
    const options = body['stream_options'];
    body['stream_options'] = {
      ...(typeof options === 'object' && options !== null ? options : {}),
      include_usage: true,
    };
  }
  body['kv_transfer_params'] = params;
  return { path: paths[request.api], body };
}

function handover(remoteDecode: boolean, remotePrefill: boolean, baton: JsonObject): JsonObject {
  return { do_remote_decode: remoteDecode, do_remote_prefill: remotePrefill, baton };
}
