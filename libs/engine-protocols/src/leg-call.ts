import type { JsonObject, LegCall, LegRequest } from './engine-protocol.ts';

const paths = { chat: '/v1/chat/completions', completion: '/v1/completions' } as const;

/** A leg that answers the client, with fields of ours; usage is always asked for. */
export function answeringCall(request: LegRequest, own: JsonObject): LegCall {
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
  return { path: paths[request.api], body: { ...body, ...own } };
}

/**
 * Asks for one token, as one JSON answer, with fields of ours. A `min_tokens` of the client still forbids an end at once, but may not exceed
 * the one token asked for.
 */
export function oneTokenCall(request: LegRequest, own: JsonObject): LegCall {
  const body = ownBody(request);
  delete body['max_completion_tokens'];
  delete body['stream_options'];
  body['stream'] = false;
  body['max_tokens'] = 1;
  if (typeof body['min_tokens'] === 'number') body['min_tokens'] = Math.min(body['min_tokens'], 1);
  return { path: paths[request.api], body: { ...body, ...own } };
}

/** Asks for the answer as one JSON body, with fields of ours; limits stay those of the request. */
export function unstreamedCall(request: LegRequest, own: JsonObject): LegCall {
  const { path, body } = answeringCall(request, own);
  delete body['stream_options'];
  return { path, body: { ...body, stream: false } };
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
