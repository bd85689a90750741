import type { FinishReason } from '../engine/generation.ts';
import type { Call } from './read-call.ts';

/** What an answer is made from, beside its text. */
export interface AnswerFacts {
  call: Call;
  createdSec: number;
  fingerprint: string;
  /** Undefined where `usage` does not say it. */
  cachedTokens: () => number | undefined;
}

export interface Delta {
  text: string;
  tokens: readonly number[];
  finish: { reason: FinishReason; stop: string | null } | undefined;
}

/** Answers as vLLM 0.32 writes them, field by field and in its order; an answer as a whole and in chunks. */
export interface AnswerFormat {
  whole(output: Delta, params: object | null): object;
  /** The chunks of one delta; the first ones of a stream say more. */
  chunks(delta: Delta, outputTokens: number): object[];
  usageChunk(outputTokens: number): object;
}

export function formatOf(facts: AnswerFacts): AnswerFormat {
  return facts.call.api === 'chat' ? chatFormat(facts) : completionFormat(facts);
}

function completionFormat(facts: AnswerFacts): AnswerFormat {
  const { call } = facts;
  const base = baseOf(facts, 'text_completion');
  let isOpened = false;
  return {
    whole: ({ text, tokens, finish }, params) => ({
      ...base,
      choices: [
        {
          index: 0,
          text,
          logprobs: null,
          finish_reason: finish?.reason ?? null,
          stop_reason: finish?.stop ?? null,
          token_ids: call.returnTokenIds ? tokens : null,
          prompt_logprobs: null,
          prompt_token_ids: promptIds(call),
          routed_experts: null,
        },
      ],
      service_tier: null,
      system_fingerprint: facts.fingerprint,
      usage: wholeUsage(facts, tokens.length),
      kv_transfer_params: params,
      ec_transfer_params: null,
      metrics: null,
    }),
    chunks: ({ text, tokens, finish }, outputTokens) => {
      const prompt_token_ids = isOpened ? null : promptIds(call);
      isOpened = true;
      const choice = {
        index: 0,
        text,
        logprobs: null,
        finish_reason: finish?.reason ?? null,
        stop_reason: finish?.stop ?? null,
        prompt_token_ids,
        token_ids: call.returnTokenIds ? tokens : null,
      };
      return [{ ...base, choices: [choice], ...runningUsage(facts, outputTokens) }];
    },
    usageChunk: (outputTokens) => usageChunk(base, facts, outputTokens),
  };
}

function chatFormat(facts: AnswerFacts): AnswerFormat {
  const { call } = facts;
  const chunkBase = baseOf(facts, 'chat.completion.chunk');
  let isOpened = false;
  return {
    whole: ({ text, tokens, finish }, params) => ({
      ...baseOf(facts, 'chat.completion'),
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: text,
            refusal: null,
            annotations: null,
            audio: null,
            function_call: null,
            reasoning: null,
          },
          logprobs: null,
          finish_reason: finish?.reason ?? null,
          stop_reason: finish?.stop ?? null,
          token_ids: call.returnTokenIds ? tokens : null,
          routed_experts: null,
        },
      ],
      service_tier: null,
      system_fingerprint: facts.fingerprint,
      usage: wholeUsage(facts, tokens.length),
      prompt_logprobs: null,
      prompt_token_ids: promptIds(call),
      prompt_text: null,
      kv_transfer_params: params,
    }),
    chunks: ({ text, tokens, finish }, outputTokens) => {
      const first = {
        ...chunkBase,
        choices: [
          {
            index: 0,
            delta: { role: 'assistant', content: '' },
            logprobs: null,
            finish_reason: null,
          },
        ],
        ...runningUsage(facts, 0),
        prompt_token_ids: promptIds(call),
        prompt_text: null,
      };
      const choice = {
        index: 0,
        delta: { content: text },
        logprobs: null,
        finish_reason: finish?.reason ?? null,
        ...(finish === undefined ? {} : { stop_reason: finish.stop }),
        token_ids: call.returnTokenIds ? tokens : null,
      };
      const next = { ...chunkBase, choices: [choice], ...runningUsage(facts, outputTokens) };
      const chunks = isOpened ? [next] : [first, next];
      isOpened = true;
      return chunks;
    },
    usageChunk: (outputTokens) => usageChunk(chunkBase, facts, outputTokens),
  };
}

function baseOf({ call, createdSec }: AnswerFacts, object: string): object {
  return { id: call.id, object, created: createdSec, model: call.model };
}

function promptIds(call: Call): readonly number[] | null {
  return call.returnTokenIds ? call.request.promptTokens : null;
}

function usageChunk(base: object, facts: AnswerFacts, outputTokens: number): object {
  const usage = streamUsage(facts, outputTokens);
  return { ...base, choices: [], usage, system_fingerprint: facts.fingerprint };
}

function runningUsage(facts: AnswerFacts, outputTokens: number): object {
  return facts.call.continuousUsage ? { usage: streamUsage(facts, outputTokens) } : {};
}

function streamUsage(facts: AnswerFacts, outputTokens: number): object {
  const details = detailsOf(facts);
  return { ...counts(facts, outputTokens), ...(details && { prompt_tokens_details: details }) };
}

function wholeUsage(facts: AnswerFacts, outputTokens: number): object {
  return {
    ...counts(facts, outputTokens),
    prompt_tokens_details: detailsOf(facts) ?? null,
    completion_tokens_details: null,
  };
}

function counts({ call }: AnswerFacts, outputTokens: number): object {
  const promptTokens = call.request.promptTokens.length;
  return {
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + outputTokens,
    completion_tokens: outputTokens,
  };
}

function detailsOf({ cachedTokens }: AnswerFacts): { cached_tokens: number } | undefined {
  const cached = cachedTokens();
  return cached === undefined ? undefined : { cached_tokens: cached };
}
