import { BatonError } from '@baton/kv';
import type { ApiKind, JsonObject } from '@baton/engine-protocols';
import { checkChatRequest, checkCompletionRequest, fieldError } from '@baton/openai';
import type { FleetView, ModelPool } from '../fleet-view.ts';
import { beyondEngines, refusedField } from './refused-fields.ts';

/** Of a model's name that a client sent, in a message. */
const MAX_SHOWN_CHARS = 100;

/** A request that the gateway is willing to serve. */
export interface AcceptedRequest {
  api: ApiKind;
  /** What legs are made of: the client's body, a list of one prompt replaced by that prompt. */
  body: Readonly<JsonObject>;
  model: string;
  pool: ModelPool;
  stream: boolean;
  /** The client asked for the usage of a streamed answer. */
  wantsUsage: boolean;
  wantsTokenIds: boolean;
  /** What the client allows, and in which field. */
  outputLimit: { tokens: number; field: string } | undefined;
}

/** @throws BatonError for whatever is wrong with the body, naming the field. */
export function acceptRequest(api: ApiKind, input: unknown, fleet: FleetView): AcceptedRequest {
  const checked = api === 'chat' ? checkChatRequest(input) : checkCompletionRequest(input);
  if (!checked.ok) throw checked.error;
  const body = normalized(api, checked.request);
  const refused = refusedField(api, checked.request);
  if (refused !== undefined) throw refused;
  const { model } = checked.request;
  const pool = poolOf(model, fleet);
  const beyond = beyondEngines(checked.request, pool.capabilities);
  if (beyond !== undefined) throw beyond;
  const options = checked.request.stream_options;
  return {
    api,
    body,
    model,
    pool,
    stream: checked.request.stream === true,
    wantsUsage: options?.include_usage === true,
    wantsTokenIds: body['return_token_ids'] === true,
    outputLimit: outputLimit(api, body),
  };
}

function normalized(api: ApiKind, body: Readonly<JsonObject>): Readonly<JsonObject> {
  const prompt = body['prompt'];
  if (api === 'chat' || !Array.isArray(prompt) || typeof prompt[0] === 'number') return body;
  return { ...body, prompt: prompt[0] };
}

function outputLimit(api: ApiKind, body: Readonly<JsonObject>): AcceptedRequest['outputLimit'] {
  const fields = api === 'chat' ? ['max_completion_tokens', 'max_tokens'] : ['max_tokens'];
  for (const field of fields) {
    const tokens = body[field];
    if (typeof tokens === 'number') return { tokens, field };
  }
  return undefined;
}

function poolOf(model: string, fleet: FleetView): ModelPool {
  const pool = fleet.pool(model);
  if (pool !== undefined) {
    if (!pool.ready) throw new BatonError('no_worker');
    return pool;
  }
  const known = fleet.pools().map((entry) => entry.model);
  if (known.length === 0) {
    throw new BatonError('no_worker', 'No worker has announced itself yet.');
  }
  throw unknownModel(model);
}

export function unknownModel(name: string): BatonError {
  const message = `The model "${name.slice(0, MAX_SHOWN_CHARS)}" does not exist here.`;
  return fieldError('model_not_found', 'model', message);
}
