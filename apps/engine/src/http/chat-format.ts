import type { ChatLogprobs, ChatTokenLogprob } from '@baton/openai';
import type { OutputDelta } from '../generation/generation.ts';
import type { TokenEvent } from '../generation/request-run.ts';
import { transferParams, usageOf } from './answer-format.ts';
import type { AnswerContext, AnswerFormat, WholeOutput } from './answer-format.ts';
import { tokenText } from './token-text.ts';

const ROLE = 'assistant';

/** Answers of `/v1/chat/completions` in vLLM's shape. */
export class ChatFormat implements AnswerFormat {
  readonly #context: AnswerContext;
  #opened = false;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  whole({ text, tokens, finish }: WholeOutput): object {
    const { call, run } = this.#context;
    return {
      ...this.#base('chat.completion'),
      choices: [
        {
          index: 0,
          message: { role: ROLE, content: text },
          logprobs: this.#logprobs(tokens),
          finish_reason: finish.reason,
          stop_reason: finish.stopReason,
          ...this.#tokenIds(tokens),
        },
      ],
      usage: usageOf(run),
      ...(call.returnTokenIds ? { prompt_token_ids: this.#promptTokenIds() } : {}),
      kv_transfer_params: transferParams(run),
    };
  }

  chunks({ text, tokens, finish }: OutputDelta): object[] {
    const chunks: object[] = this.#opened ? [] : [this.#roleChunk()];
    this.#opened = true;
    chunks.push({
      ...this.#base('chat.completion.chunk'),
      choices: [
        {
          index: 0,
          delta: { content: text },
          logprobs: this.#logprobs(tokens),
          finish_reason: finish?.reason ?? null,
          ...(finish ? { stop_reason: finish.stopReason } : {}),
          ...this.#tokenIds(tokens),
        },
      ],
    });
    return chunks;
  }

  usageChunk(): object {
    const { run } = this.#context;
    const params = transferParams(run);
    return {
      ...this.#base('chat.completion.chunk'),
      choices: [],
      usage: usageOf(run),
      ...(params ? { kv_transfer_params: params } : {}),
    };
  }

  #roleChunk(): object {
    const { call } = this.#context;
    const delta = { role: ROLE, content: '' };
    return {
      ...this.#base('chat.completion.chunk'),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
      ...(call.returnTokenIds ? { prompt_token_ids: this.#promptTokenIds() } : {}),
    };
  }

  #base(object: string): object {
    const { call, created, modelName } = this.#context;
    return { id: call.id, object, created, model: modelName };
  }

  #promptTokenIds(): number[] {
    return Array.from(this.#context.run.request.promptTokens);
  }

  #tokenIds(tokens: TokenEvent[]): { token_ids?: number[] } {
    if (!this.#context.call.returnTokenIds) return {};
    return { token_ids: tokens.map(({ token }) => token) };
  }

  #logprobs(tokens: TokenEvent[]): ChatLogprobs | null {
    if (this.#context.call.logprobs < 0) return null;
    return {
      content: tokens.map(({ token, logprob, top }) => ({
        ...this.#entry(token, logprob ?? 0),
        top_logprobs: (top ?? []).map((entry) => this.#entry(entry.token, entry.logprob)),
      })),
    };
  }

  #entry(token: number, logprob: number): Omit<ChatTokenLogprob, 'top_logprobs'> {
    const { pieces } = this.#context;
    const bytes = Array.from(pieces.piece(token));
    return { token: tokenText(pieces, token), logprob, bytes };
  }
}
