import { randomBytes } from 'node:crypto';
import { checkChatRequest, checkCompletionRequest, type Checked } from '@baton/openai';
import type { GenerationRequest } from '../engine/generation.ts';
import type { Leg } from '../faults/fault.ts';
import { ENGINE_DIED } from '../nixl/nixl-reader.ts';
import { readParams, type JsonObject } from '../nixl/nixl-params.ts';
import { chatTurns } from './chat-turns.ts';
import type { Front } from './front.ts';
import { VllmError } from './vllm-error.ts';

export type Api = 'completion' | 'chat';

/** A request that an engine can run. */
export interface Call {
  api: Api;
  leg: Leg;
  /** Of the answer. */
  id: string;
  /** As the client called it: the base model or an adapter. */
  model: string;
  isStream: boolean;
  includeUsage: boolean;
  continuousUsage: boolean;
  returnTokenIds: boolean;
  stops: string[];
  /** What decode's answer says of cached tokens: vLLM tells there what prefill had in its cache. */
  prefillCachedTokens: number | undefined;
  /** What the client's side calls the request. */
  clientId: string | undefined;
  request: GenerationRequest;
}

/** vLLM's default of the completions API. */
const DEFAULT_MAX_TOKENS = 16;
/** Fields whose answers need a model, or more than one answer. */
const unsupported: readonly [string, (value: unknown) => boolean][] = [
  ['n', (value) => value !== 1],
  ['best_of', (value) => value !== 1],
  ['logprobs', (value) => value !== false],
  ['prompt_logprobs', () => true],
  ['echo', (value) => value !== false],
  ['suffix', (value) => value !== ''],
];

/** @throws VllmError as vLLM refuses, and for the few things that a stand-in cannot do. */
export function readCall(
  api: Api,
  json: unknown,
  clientId: string | undefined,
  front: Front,
): Call {
  const body =
    api === 'chat' ? checked(checkChatRequest(json)) : checked(checkCompletionRequest(json));
  for (const [field, isRefused] of unsupported) {
    const value = body[field];
    if (value === undefined || value === null || !isRefused(value)) continue;
    throw new VllmError(400, `${field}: a stand-in engine does not do this`, field);
  }
  const model = requireModel(body['model'], front);
  const promptTokens = promptOf(body, front);
  const maxOutputTokens = maxTokensOf(api, body, promptTokens.length, front);
  const id =
    (api === 'chat' ? 'chatcmpl-' : 'cmpl-') + (clientId ?? randomBytes(8).toString('hex'));
  const adapter = front.adapters.find(model);
  const transfer = readTransfer(body, promptTokens, clientId, front);
  const streamOptions = objectOf(body['stream_options']);
  return {
    api,
    leg: transfer.leg,
    id,
    model,
    isStream: body['stream'] === true,
    includeUsage: streamOptions?.['include_usage'] === true,
    continuousUsage: streamOptions?.['continuous_usage_stats'] === true,
    returnTokenIds: body['return_token_ids'] === true,
    stops: stopsOf(body['stop']),
    prefillCachedTokens: transfer.prefillCachedTokens,
    clientId,
    request: {
      // Internal ids have an index of the prompt for completions, and nobody can foresee their end.
      id: `${id}${api === 'chat' ? '' : '-0'}-${randomBytes(4).toString('hex')}`,
      answerId: id,
      promptTokens,
      maxOutputTokens,
      minOutputTokens: countOf(body['min_tokens']) ?? 0,
      ignoreEos: body['ignore_eos'] === true,
      stopTokens: tokenList(body['stop_token_ids']),
      chain: {
        salt: typeof body['cache_salt'] === 'string' ? body['cache_salt'] : undefined,
        adapter: adapter?.name,
      },
      remote: transfer.remote,
      keepsKv: transfer.leg === 'prefill',
    },
  };
}

function checked<T extends object>(result: Checked<T>): JsonObject {
  if (result.ok) return result.request as unknown as JsonObject;
  const { message, details } = result.error;
  const { field } = details;
  throw new VllmError(400, message, typeof field === 'string' ? field : null);
}

/** @throws VllmError as seen on vLLM 0.32. */
export function requireModel(model: unknown, { settings, adapters }: Front): string {
  if (model === undefined || model === null || model === settings.model) return settings.model;
  if (typeof model === 'string' && adapters.find(model) !== undefined) return model;
  const aliases = [settings.model, ...adapters.list.map(({ name }) => name)].join(', ');
  const message = `The model \`${String(model)}\` does not exist. Valid aliases: ${aliases}.`;
  throw new VllmError(404, message, 'model');
}

function promptOf(body: JsonObject, { tokenizer }: Front): number[] {
  const { messages, prompt } = body;
  if (messages !== undefined) {
    const addsPrompt = body['add_generation_prompt'] !== false;
    return tokenizer.tokenizeChat(chatTurns(messages), addsPrompt);
  }
  if (typeof prompt === 'string') {
    if (prompt !== '') return tokenizer.tokenize(prompt);
    throw new VllmError(400, 'prompt: must have at least one token', 'prompt');
  }
  const tokens = prompt as unknown[];
  if (typeof tokens[0] !== 'number') {
    throw new VllmError(400, 'prompt: a stand-in engine takes one prompt at a time', 'prompt');
  }
  const largest = (tokens as number[]).reduce((most, token) => Math.max(most, token), 0);
  if (largest < tokenizer.vocabSize) return tokens as number[];
  throw new VllmError(400, `Token id ${largest} is out of vocabulary`, 'prompt');
}

function maxTokensOf(api: Api, body: JsonObject, promptTokens: number, front: Front): number {
  const window = front.settings.maxModelTokens;
  const asked = countOf(body['max_completion_tokens']) ?? countOf(body['max_tokens']);
  const room = window - promptTokens;
  if (room < 1) {
    throw new VllmError(
      400,
      `This model's maximum context length is ${window} tokens. However, your prompt contains ${promptTokens} input tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=${promptTokens})`,
      'input_tokens',
    );
  }
  if (asked === undefined) return api === 'chat' ? room : Math.min(DEFAULT_MAX_TOKENS, room);
  if (asked <= room) return asked;
  throw new VllmError(
    400,
    `This model's maximum context length is ${window} tokens. However, you requested ${asked} output tokens and your prompt contains ${promptTokens} input tokens. Please reduce one of them.`,
    'max_tokens',
  );
}

interface Transfer {
  leg: Leg;
  remote?: GenerationRequest['remote'];
  prefillCachedTokens?: number | undefined;
}

function readTransfer(
  body: JsonObject,
  promptTokens: readonly number[],
  clientId: string | undefined,
  front: Front,
): Transfer {
  const params = objectOf(body['kv_transfer_params']);
  const { nixl, complain } = front;
  if (params === undefined) return { leg: 'aggregated' };
  const name = clientId ?? 'a request without an id';
  if (nixl === undefined) {
    complain('no_connector', `${name}: kv_transfer_params without a connector`);
    return { leg: 'aggregated' };
  }
  const isPrefill = params['do_remote_decode'] === true;
  const isDecode = params['do_remote_prefill'] === true;
  if (isPrefill && isDecode) complain('both_directions', name);
  if (isPrefill) {
    const asked = body['max_completion_tokens'] ?? body['max_tokens'];
    if (body['stream'] === true || asked !== 1) {
      complain(
        'prefill_not_cut',
        `${name}: stream ${String(body['stream'])}, max ${String(asked)}`,
      );
    }
    return { leg: 'prefill' };
  }
  if (!isDecode) {
    complain('empty_parameters', `${name}: neither direction is asked for`);
    return { leg: 'aggregated' };
  }
  const read = readParams(params);
  if (read === undefined) {
    complain('incomplete_parameters', `${name}: ${Object.keys(params).join()}`);
    front.engine.die(ENGINE_DIED);
    throw new VllmError(ENGINE_DIED.status, ENGINE_DIED.message);
  }
  return {
    leg: 'decode',
    remote: nixl.reader.open({ params, read, promptTokens, clientId }),
    prefillCachedTokens: countOf(params['remote_prefill_cached_tokens']),
  };
}

function objectOf(value: unknown): JsonObject | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : undefined;
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

function tokenList(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((token) => typeof token === 'number') : [];
}

function stopsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? (value as string[]) : [];
}
