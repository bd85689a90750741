import { BatonError } from '@baton/kv';
import { LlamaSampler, logprobsOf } from '@baton/llama';
import type { LlamaContext, LlamaModel } from '@baton/llama';
import type { SamplingParams, TokenLogprob } from './inference-port.ts';

/** Where logits can be read until the next compute. */
export interface LogitsAt {
  context: LlamaContext;
  index: number;
}

export interface SampledToken {
  token: number;
  logprob: number | undefined;
  top: TokenLogprob[] | undefined;
}

/** Draws the tokens of one request. */
export interface TokenSampler<L> {
  sample(at: L): SampledToken;
  close(): void;
}

/** What the engine wants to know of the model's tokens. */
export interface TokenSampling<L> {
  readonly vocabSize: number;
  /** `earlier` are output tokens that were sampled before. */
  open(params: SamplingParams, earlier: readonly number[]): TokenSampler<L>;
  isEndOfGeneration(token: number): boolean;
}

export class LlamaTokenSampling implements TokenSampling<LogitsAt> {
  readonly vocabSize: number;
  readonly #model: LlamaModel;

  constructor(model: LlamaModel) {
    this.#model = model;
    this.vocabSize = model.vocab.size;
  }

  isEndOfGeneration(token: number): boolean {
    return this.#model.vocab.isEndOfGeneration(token);
  }

  open(params: SamplingParams, earlier: readonly number[]): TokenSampler<LogitsAt> {
    const sampler = new LlamaSampler(this.#model, params);
    for (const token of earlier) sampler.accept(token);
    return {
      sample: ({ context, index }) => {
        const logits = context.logits(index);
        // Damaged KV shows as NaN everywhere, for which libllama's samplers would end the process.
        if (!Number.isFinite(logits[0])) throw new BatonError('engine_failed', 'no finite logits');
        const token = sampler.sample(context, index);
        if (params.topLogprobs < 0) return { token, logprob: undefined, top: undefined };
        return { token, ...logprobsOf(logits, token, params.topLogprobs) };
      },
      close: () => sampler.close(),
    };
  }
}
