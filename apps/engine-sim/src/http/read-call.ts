import { randomBytes } from 'node:crypto';
import { checkChatRequest, checkCompletionRequest, type Checked } from '@baton/openai';
import type { GenerationRequest } from '../engine/generation.ts';
import { chatTurns } from './chat-turns.ts';
import type { Transfer } from './dialect.ts';
import type { Front } from './front.ts';
import { EngineError } from './engine-error.ts';
import { objectOf, type JsonObject } from './json-object.ts';

export type Api = 'completion' | 'chat';

/** A request that an engine can run. */
export interface Call {
  api: Api;
  transfer: Transfer;
  /** Of the answer. */
  id: string;
  /** As the client called it: the base model or an adapter. */
  model: string;
  isStream: boolean;
  includeUsage: boolean;
  continuousUsage: boolean;
  returnTokenIds: boolean;
  stops: string[];
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

/** @throws EngineError as vLLM refuses, and for the few things that a stand-in cannot do. */
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
    throw new EngineError(400, `${field}: a stand-in engine does not do this`, field);
  }
  const { model, adapter } = front.dialect.modelOf(body, front);
  const promptTokens = promptOf(body, front);
  const maxOutputTokens = maxTokensOf(api, body, promptTokens.length, front);
  const id =
    (api === 'chat' ? 'chatcmpl-' : 'cmpl-') + (clientId ?? randomBytes(8).toString('hex'));
  const transfer = front.dialect.transferOf({ body, promptTokens, clientId });
  const streamOptions = objectOf(body['stream_options']);
  return {
    api,
    transfer,
    id,
    model,
    isStream: body['stream'] === true,
    includeUsage: streamOptions?.['include_usage'] === true,
    continuousUsage: streamOptions?.['continuous_usage_stats'] === true,
    returnTokenIds: body['return_token_ids'] === true,
    stops: stopsOf(body['stop']),
    clientId,
    request: {
      // Internal ids have an index of the prompt for completions, and nobody can foresee their end.
      id: `${id}${api === 'chat' ? '' : '-0'}-${randomBytes(4).toString('hex')}`,
      answerId: id,
      promptTokens,
      maxOutputTokens: transfer.endsAtFirst === true ? 1 : maxOutputTokens,
      minOutputTokens: countOf(body['min_tokens']) ?? 0,
      ignoreEos: body['ignore_eos'] === true || transfer.endsAtFirst === true,
      stopTokens: tokenList(body['stop_token_ids']),
      chain: {
        salt: typeof body['cache_salt'] === 'string' ? body['cache_salt'] : undefined,
        adapter,
      },
      remote: transfer.remote,
      keepsKv: transfer.keep !== undefined,
    },
  };
}

function checked<T extends object>(result: Checked<T>): JsonObject {
  if (result.ok) return result.request as unknown as JsonObject;
  const { message, details } = result.error;
  const { field } = details;
  throw new EngineError(400, message, typeof field === 'string' ? field : null);
}

function promptOf(body: JsonObject, { tokenizer }: Front): number[] {
  const { messages, prompt } = body;
  if (messages !== undefined) {
    const addsPrompt = body['add_generation_prompt'] !== false;
    return tokenizer.tokenizeChat(chatTurns(messages), addsPrompt);
  }
  if (typeof prompt === 'string') {
    if (prompt !== '') return tokenizer.tokenize(prompt);
    throw new EngineError(400, 'prompt: must have at least one token', 'prompt');
  }
  const tokens = prompt as unknown[];
  if (typeof tokens[0] !== 'number') {
    throw new EngineError(400, 'prompt: a stand-in engine takes one prompt at a time', 'prompt');
  }
  const largest = (tokens as number[]).reduce((most, token) => Math.max(most, token), 0);
  if (largest < tokenizer.vocabSize) return tokens as number[];
  throw new EngineError(400, `Token id ${largest} is out of vocabulary`, 'prompt');
}

function maxTokensOf(api: Api, body: JsonObject, promptTokens: number, front: Front): number {
  const window = front.settings.maxModelTokens;
  const asked = countOf(body['max_completion_tokens']) ?? countOf(body['max_tokens']);
  const room = window - promptTokens;
  if (room < 1) {
    throw new EngineError(
      400,
      `This model's maximum context length is ${window} tokens. However, your prompt contains ${promptTokens} input tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=${promptTokens})`,
      'input_tokens',
    );
  }
  if (asked === undefined) return api === 'chat' ? room : Math.min(DEFAULT_MAX_TOKENS, room);
  if (asked <= room) return asked;
  throw new EngineError(
    400,
    `This model's maximum context length is ${window} tokens. However, you requested ${asked} output tokens and your prompt contains ${promptTokens} input tokens. Please reduce one of them.`,
    'max_tokens',
  );
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
