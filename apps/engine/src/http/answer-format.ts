import { makeUsage } from '@baton/openai';
import type { Usage } from '@baton/openai';
import type { Finish, OutputDelta } from '../generation/generation.ts';
import type { RequestRun, TokenEvent } from '../generation/request-run.ts';
import type { TokenPieces } from '@baton/output-text';
import type { GenerationCall } from './read-request.ts';

/** Everything that came of a call, for an answer in one piece. */
export interface WholeOutput {
  text: string;
  tokens: TokenEvent[];
  finish: Finish;
}

/** What every answer to one call is made from. */
export interface AnswerContext {
  call: GenerationCall;
  run: RequestRun;
  pieces: TokenPieces;
  modelName: string;
  /** Unix time, seconds. */
  created: number;
}

/** How one of the two APIs writes its answers. */
export interface AnswerFormat {
  whole(output: WholeOutput): object;
  /** Chunks for one delta; the first call also opens the stream. */
  chunks(delta: OutputDelta): object[];
  /** The last chunk of a stream, when usage was asked for. */
  usageChunk(): object;
}

/** Prompt tokens that a cache gave, beside what a handover brought: that is another engine's work for this request. */
export function usageOf(run: RequestRun): Usage {
  const { promptTokens, reusedTokens, computedTokens } = run.accounting;
  const cached = run.request.leg.kind === 'decode' ? reusedTokens : promptTokens - computedTokens;
  return makeUsage(promptTokens, run.outputTokens, cached);
}

/** `kv_transfer_params` of an answer; null when no conductor asked. */
export function transferParams(run: RequestRun): object | null {
  const { leg } = run.request;
  if (leg.planId === '' && leg.kind === 'aggregated') return null;
  const { promptTokens, reusedTokens, transferredTokens, computedTokens } = run.accounting;
  const isPrefill = leg.kind === 'prefill';
  return {
    do_remote_prefill: isPrefill,
    do_remote_decode: false,
    baton: {
      plan_id: leg.planId,
      ...(isPrefill ? { token_ids: run.sampledTokens } : {}),
      accounting: {
        prompt_tokens: promptTokens,
        reused_tokens: reusedTokens,
        transferred_tokens: transferredTokens,
        computed_tokens: computedTokens,
      },
    },
  };
}
