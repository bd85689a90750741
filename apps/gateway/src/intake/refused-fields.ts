import type { BatonError } from '@baton/kv';
import { fieldError } from '@baton/openai';
import type { ApiKind, JsonObject } from '@baton/engine-protocols';
import type { EngineAbilities } from '../fleet-view.ts';

/**
 * Fields by which engines are told whose KV to use, on which rank, under which id, how soon and under which salt: the
 * gateway's own business, for which clients have headers and `cache_salt`.
 */
const internalFields = [
  'kv_transfer_params',
  'ec_transfer_params',
  'bootstrap_host',
  'bootstrap_port',
  'bootstrap_room',
  'bootstrap_pair_key',
  'data_parallel_rank',
  'routed_dp_rank',
  'disagg_prefill_dp_rank',
  'request_id',
  'rid',
  'priority',
  'extra_key',
];

const handoverKey =
  /^(kv_transfer_params|ec_transfer_params|do_remote_(prefill|decode)|remote_.*|transfer_id|bootstrap_(host|port|room)|baton)$/;

type Rule = (value: unknown, body: Readonly<JsonObject>) => string | undefined;

const moreThanOne: Rule = (value) =>
  typeof value === 'number' && value > 1 ? 'only 1 is supported' : undefined;
const present: Rule = () => 'is not supported';
const whenTrue: Rule = (value) => (value === true ? 'is not supported' : undefined);

/** What no path of the gateway can do, by the name of the field; null counts as not set. */
const commonRules: Record<string, Rule> = {
  n: moreThanOne,
  use_beam_search: whenTrue,
  prompt_logprobs: present,
  prompt_embeds: present,
  // Both make another prompt, or another model, of what keys and budget are made of.
  session_params: present,
  lora_path: present,
  // Keys and budget are those of the whole prompt; an engine that cut it would serve another one.
  truncate_prompt_tokens: present,
  add_special_tokens: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  // As with OpenAI, and so that it is never passed over.
  tool_choice: (value, body) =>
    value === 'none' || hasTools(body) ? undefined : 'is only allowed together with tools',
  stream_options: (_value, body) =>
    body['stream'] === true ? undefined : 'is only allowed when stream is true',
  cache_salt: (value) =>
    typeof value === 'string' && value !== '' ? undefined : 'must be a non-empty string',
};

const rules: Record<ApiKind, Record<string, Rule>> = {
  chat: {
    ...commonRules,
    functions: () => 'is not supported; use tools',
    function_call: () => 'is not supported; use tool_choice',
    store: whenTrue,
    audio: present,
    web_search_options: present,
    modalities: (value) =>
      Array.isArray(value) && value.every((item) => item === 'text')
        ? undefined
        : 'only text is supported',
  },
  completion: {
    ...commonRules,
    best_of: moreThanOne,
    echo: whenTrue,
    suffix: (value) => (value === '' ? undefined : 'is not supported'),
    prompt: (value) =>
      Array.isArray(value) && typeof value[0] !== 'number' && value.length > 1
        ? 'only one prompt is supported'
        : undefined,
  },
};

/** The first field that a client may not send, as an error that names it. */
export function refusedField(api: ApiKind, body: Readonly<JsonObject>): BatonError | undefined {
  for (const field of internalFields) {
    if (body[field] != null) return refusal(field, 'may not be set by a client');
  }
  const nested = body['vllm_xargs'];
  if (typeof nested === 'object' && nested !== null) {
    const key = Object.keys(nested).find((name) => handoverKey.test(name));
    if (key !== undefined) return refusal(`vllm_xargs.${key}`, 'may not be set by a client');
  }
  for (const [field, rule] of Object.entries(rules[api])) {
    const value = body[field];
    const reason = value == null ? undefined : rule(value, body);
    if (reason !== undefined) return refusal(field, reason);
  }
  return undefined;
}

/** The first field that asks for what the model's engines cannot do, before a worker is planned for it. */
export function beyondEngines(
  body: Readonly<JsonObject>,
  { callTools }: EngineAbilities,
): BatonError | undefined {
  if (callTools || !hasTools(body)) return undefined;
  return refusal('tools', 'the engines of this model cannot call tools');
}

function hasTools({ tools }: Readonly<JsonObject>): boolean {
  return Array.isArray(tools) && tools.length > 0;
}

function refusal(field: string, reason: string): BatonError {
  return fieldError('unsupported_parameter', field, `${field}: ${reason}`);
}
