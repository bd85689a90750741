import { BatonError } from '@baton/kv';
import type { ApiKind, JsonObject } from '@baton/engine-protocols';
import { checkChatRequest, checkCompletionRequest, fieldError } from '@baton/openai';
import type { FleetView, ModelPool, NamedModel, ServedAdapter } from '../fleet-view.ts';
import { beyondEngines, refusedField } from './refused-fields.ts';

/** Of a model's name that a client sent, in a message. */
const MAX_SHOWN_CHARS = 100;

/** A request that the gateway is willing to serve. */
export interface AcceptedRequest {
  api: ApiKind;
  /** What legs are made of: the client's body, a list of one prompt replaced by that prompt. */
  body: Readonly<JsonObject>;
  /** As the client calls it: the pool's model, or the adapter. */
  model: string;
  pool: ModelPool;
  adapter: ServedAdapter | undefined;
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
  const { pool, adapter } = namedModel(model, fleet);
  const beyond = beyondEngines(checked.request, pool.capabilities);
  if (beyond !== undefined) throw beyond;
  const options = checked.request.stream_options;
  return {
    api,
    body,
    model,
    pool,
    adapter,
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

function namedModel(model: string, fleet: FleetView): NamedModel {
  const named = fleet.named(model);
  if (named !== undefined) {
    const { pool, adapter } = named;
    if (!pool.ready) throw new BatonError('no_worker');
    if (adapter?.ready === false) {
      throw new BatonError('no_worker', 'No worker that has this adapter is ready.');
    }
    return named;
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
