import { randomInt, randomUUID } from 'node:crypto';
import { rootKey, segmentKeys } from '@baton/kv';
import { checkChatRequest, checkCompletionRequest, fieldError } from '@baton/openai';
import type { ChatRequest, CompletionRequest } from '@baton/openai';
import type { SamplingParams } from '../core/inference-port.ts';
import { readLeg } from '../generation/legs.ts';
import type { Leg } from '../generation/legs.ts';
import type { RunRequest } from '../generation/request-run.ts';
import { chatTokens } from './chat-messages.ts';
import { readEngineFields } from './engine-fields.ts';
import type { EngineFields } from './engine-fields.ts';
import type { FrontContext } from './front-context.ts';

export type Api = 'completion' | 'chat';

/** A checked request, ready to run. */
export interface GenerationCall {
  api: Api;
  /** Of the answer, e.g. `cmpl-…`. */
  id: string;
  stream: boolean;
  includeUsage: boolean;
  returnTokenIds: boolean;
  /** Alternatives for each token; -1 for no log probabilities at all. */
  logprobs: number;
  stops: string[];
  run: RunRequest;
}

/** vLLM's default of the completions API. */
const DEFAULT_MAX_TOKENS = 16;
const SEED_LIMIT = 2 ** 32;
const REQUEST_ID = /^[\w.:-]{1,128}$/;

type Body = (ChatRequest & EngineFields) | (CompletionRequest & EngineFields);

/**
 * Checks everything, tokenizes, checks the length.
 * @throws BatonError that names the field.
 */
export async function readGeneration(
  api: Api,
  json: unknown,
  headers: { requestId: string | undefined; traceparent: string | undefined },
  front: FrontContext,
): Promise<GenerationCall> {
  const { requestId, traceparent } = headers;
  const checked = api === 'chat' ? checkChatRequest(json) : checkCompletionRequest(json);
  if (!checked.ok) throw checked.error;
  const body = readEngineFields(checked.request) as Body;
  requireModel(body.model, front);
  const leg = readLeg(body.kv_transfer_params);
  const salt = body.cache_salt ?? undefined;
  const promptTokens = await promptOf(body, front);
  const maxOutputTokens = readMaxTokens(api, body, promptTokens.length, front.maxModelTokens);
  checkTokens('kv_transfer_params.baton.resume_token_ids', resumeTokens(leg), front.vocabSize);
  const root = rootKey({ tokenization: front.tokenization, salt });
  if (salt !== undefined) front.cacheEvents.noteSalt(root, salt);
  const logprobs = readLogprobs(api, body);
  const prefix = api === 'chat' ? 'chatcmpl-' : 'cmpl-';
  const given = requestId !== undefined && REQUEST_ID.test(requestId) ? requestId : undefined;
  return {
    api,
    id: prefix + (given ?? randomUUID()),
    stream: body.stream === true,
    includeUsage: body.stream_options?.include_usage === true,
    returnTokenIds: body.return_token_ids === true,
    logprobs,
    stops: typeof body.stop === 'string' ? [body.stop] : ((body.stop ?? []) as string[]),
    run: {
      // A client may send one id twice; runs must not share one.
      requestId: `${prefix}${given ?? ''}${given ? '-' : ''}${randomUUID()}`,
      leg,
      promptTokens,
      rootKey: root,
      segmentKeys: segmentKeys(root, promptTokens, front.segmentTokens),
      sampling: readSampling(body, logprobs),
      // A prefill leg never decodes past the first token.
      maxOutputTokens: leg.kind === 'prefill' ? 1 : maxOutputTokens,
      ignoreEos: body.ignore_eos === true,
      traceparent,
    },
  };
}

/** @throws BatonError model_not_found. */
export function requireModel(model: string | null | undefined, front: FrontContext): void {
  if (model === undefined || model === null || model === front.modelName) return;
  throw fieldError(
    'model_not_found',
    'model',
    `The model \`${model.slice(0, 128)}\` does not exist. Valid aliases: ${front.modelName}.`,
  );
}

async function promptOf(body: Body, front: FrontContext): Promise<Int32Array> {
  if ('messages' in body) return chatTokens(body, (body as ChatRequest).messages, front);
  const { prompt } = body as CompletionRequest;
  if (typeof prompt === 'string') {
    const tokens = await front.tokenizer.tokenize(prompt, body.add_special_tokens ?? true);
    if (tokens.length > 0) return tokens;
    throw fieldError('invalid_request', 'prompt', 'prompt: must have at least one token');
  }
  if (typeof prompt[0] !== 'number') {
    const reason = 'this engine takes one prompt at a time, not a list';
    throw fieldError('unsupported_parameter', 'prompt', `prompt: ${reason}`);
  }
  const tokens = Int32Array.from(prompt as number[]);
  checkTokens('prompt', tokens, front.vocabSize);
  return tokens;
}

function checkTokens(field: string, tokens: Int32Array, vocabSize: number): void {
  const bad = tokens.find((token) => token >= vocabSize);
  if (bad === undefined) return;
  const message = `${field}: the model has no token ${bad}, its vocabulary has ${vocabSize}`;
  throw fieldError('invalid_request', field, message);
}

function resumeTokens(leg: Leg): Int32Array {
  return leg.kind === 'recompute' ? leg.resumeTokens : new Int32Array();
}

function readMaxTokens(api: Api, body: Body, promptTokens: number, window: number): number {
  const chatLimit = 'max_completion_tokens' in body ? body.max_completion_tokens : undefined;
  const asked = (chatLimit as number | null | undefined) ?? body.max_tokens ?? undefined;
  const field = chatLimit ? 'max_completion_tokens' : 'max_tokens';
  const room = window - promptTokens;
  if (room < 1) {
    const message = `The prompt has ${promptTokens} tokens; the model's window of ${window} leaves no room for an answer.`;
    const param = api === 'chat' ? 'messages' : 'prompt';
    throw fieldError('context_length_exceeded', param, message);
  }
  if (asked === undefined) return api === 'chat' ? room : Math.min(DEFAULT_MAX_TOKENS, room);
  if (asked <= room) return asked;
  throw fieldError(
    'context_length_exceeded',
    field,
    `${field}: ${promptTokens} prompt tokens and ${asked} output tokens exceed the model's window of ${window}.`,
  );
}

function readLogprobs(api: Api, body: Body): number {
  if (api === 'completion') return (body as CompletionRequest).logprobs ?? -1;
  const { logprobs, top_logprobs } = body as ChatRequest;
  if (logprobs === true) return top_logprobs ?? 0;
  if (!top_logprobs) return -1;
  const field = 'top_logprobs';
  throw fieldError('invalid_request', field, `${field}: only allowed with logprobs: true`);
}

function readSampling(body: Body, topLogprobs: number): SamplingParams {
  return {
    temperature: body.temperature ?? 1,
    topP: body.top_p ?? 1,
    topK: Math.max(0, body.top_k ?? 0),
    minP: body.min_p ?? 0,
    seed: seedOf(body.seed),
    presencePenalty: body.presence_penalty ?? 0,
    frequencyPenalty: body.frequency_penalty ?? 0,
    topLogprobs,
  };
}

/** Any whole number, folded to the sampler's 32 bits; a random one when the client does not care. */
function seedOf(seed: number | null | undefined): number {
  if (seed === undefined || seed === null) return randomInt(SEED_LIMIT);
  return Number(BigInt.asUintN(32, BigInt(seed)));
}
