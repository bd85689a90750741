import type { CompletionAnswer, CompletionLogprobs } from '@baton/openai';
import type { OutputDelta } from '../generation/generation.ts';
import type { TokenEvent } from '../generation/request-run.ts';
import { transferParams, usageOf } from './answer-format.ts';
import type { AnswerContext, AnswerFormat, WholeOutput } from './answer-format.ts';
import { tokenText } from './token-text.ts';

/** Answers of `/v1/completions` in vLLM's shape. */
export class CompletionFormat implements AnswerFormat {
  readonly #context: AnswerContext;
  /** Where the next token starts in the text, characters. */
  #textOffset: number | undefined;
  #opened = false;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  whole(output: WholeOutput): object {
    const { run } = this.#context;
    return {
      ...this.#base(),
      choices: [this.#choice({ ...output })],
      usage: usageOf(run),
      kv_transfer_params: transferParams(run),
    };
  }

  chunks(delta: OutputDelta): object[] {
    return [{ ...this.#base(), choices: [this.#choice(delta)] }];
  }

  usageChunk(): object {
    const { run } = this.#context;
    const params = transferParams(run);
    return {
      ...this.#base(),
      choices: [],
      usage: usageOf(run),
      ...(params ? { kv_transfer_params: params } : {}),
    };
  }

  #base(): Omit<CompletionAnswer, 'choices'> {
    const { call, created, modelName } = this.#context;
    return { id: call.id, object: 'text_completion', created, model: modelName };
  }

  #choice({ text, tokens, finish }: OutputDelta): object {
    const { call, run } = this.#context;
    const ids = tokens.map(({ token }) => token);
    const isFirst = !this.#opened;
    this.#opened = true;
    return {
      index: 0,
      text,
      logprobs: call.logprobs < 0 ? null : this.#logprobs(tokens),
      finish_reason: finish?.reason ?? null,
      stop_reason: finish?.stopReason ?? null,
      ...(call.returnTokenIds ? { token_ids: ids } : {}),
      ...(call.returnTokenIds && isFirst
        ? { prompt_token_ids: Array.from(run.request.promptTokens) }
        : {}),
    };
  }

  #logprobs(tokens: TokenEvent[]): CompletionLogprobs {
    const { call, pieces, run } = this.#context;
    const length = (token: number): number => tokenText(pieces, token).length;
    this.#textOffset ??= run.earlierTokens.reduce((sum, token) => sum + length(token), 0);
    const logprobs: CompletionLogprobs = {
      tokens: [],
      token_logprobs: [],
      top_logprobs: call.logprobs > 0 ? [] : null,
      text_offset: [],
    };
    for (const { token, logprob, top } of tokens) {
      const text = tokenText(pieces, token);
      logprobs.tokens.push(text);
      logprobs.token_logprobs.push(logprob ?? null);
      logprobs.text_offset.push(this.#textOffset);
      this.#textOffset += text.length;
      const best = (top ?? []).map((entry): [string, number] => [
        tokenText(pieces, entry.token),
        entry.logprob,
      ]);
      // The sampled token is always there, as in vLLM.
      logprobs.top_logprobs?.push({
        ...(logprob === undefined ? {} : { [text]: logprob }),
        ...Object.fromEntries(best),
      });
    }
    return logprobs;
  }
}
