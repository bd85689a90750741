import { BatonError } from '@baton/kv';
import type { LlamaContext } from './context.ts';
import type { LlamaModel } from './model.ts';
import type { NativeLlama, Pointer } from './native.ts';

export interface SamplerOptions {
  /** 0 is greedy. */
  temperature: number;
  /** 1 keeps all. */
  topP: number;
  /** 0 keeps all, and so does a number that no vocabulary has. */
  topK: number;
  /** 0 keeps all. */
  minP: number;
  seed: number;
  presencePenalty: number;
  frequencyPenalty: number;
}

/** Output tokens that the penalties look back on. */
const PENALTY_WINDOW = 1 << 16;

/**
 * Seed of the draw for output token `index`: one round of a 32-bit finalizer over both numbers, so that the whole state
 * of a sampler is the seed and the number of tokens sampled so far.
 */
export function drawSeed(seed: number, index: number): number {
  let h = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  h = (h ^ (h >>> 16)) >>> 0;
  // libllama takes the largest number for "choose a seed yourself".
  return h === 0xffffffff ? 0 : h;
}

/** libllama's chain of samplers for one request: penalties, top-k, top-p, min-p, temperature, draw. */
export class LlamaSampler {
  readonly #native: NativeLlama;
  readonly #greedy: boolean;
  readonly #seed: number;
  #chain: Pointer | undefined;
  #links = 0;
  /** Output tokens so far. */
  #count = 0;

  constructor(model: LlamaModel, options: SamplerOptions) {
    const native = model.native;
    this.#native = native;
    this.#greedy = options.temperature <= 0;
    this.#seed = options.seed >>> 0;
    this.#chain = native.openChain({ no_perf: true });
    const { presencePenalty, frequencyPenalty } = options;
    if (presencePenalty !== 0 || frequencyPenalty !== 0) {
      const vocabSize = model.vocab.size;
      this.#add(
        native.initPenalties(vocabSize, PENALTY_WINDOW, 1, frequencyPenalty, presencePenalty),
      );
    }
    if (this.#greedy) {
      this.#add(native.initGreedy());
      return;
    }
    // Larger numbers would be cut to 32 bits on their way to libllama, and mean something else there.
    const { topK } = options;
    if (topK > 0 && topK < model.vocab.size) this.#add(native.initTopK(topK));
    if (options.topP < 1) this.#add(native.initTopP(options.topP, 1));
    if (options.minP > 0) this.#add(native.initMinP(options.minP, 1));
    this.#add(native.initTemperature(options.temperature));
  }

  /** Counts a token that was sampled elsewhere: by the prefill worker, or before a restart. */
  accept(token: number): void {
    this.#native.acceptToken(this.#open(), token);
    this.#count += 1;
  }

  /** Samples the next token from the logits of a batch entry. */
  sample(context: LlamaContext, index: number): number {
    const chain = this.#open();
    if (!this.#greedy) this.#add(this.#native.initDist(drawSeed(this.#seed, this.#count)));
    const token = this.#native.sample(chain, context.pointer, index);
    if (!this.#greedy) this.#removeLast();
    this.#count += 1;
    return token;
  }

  close(): void {
    if (this.#chain === undefined) return;
    this.#native.freeSampler(this.#chain);
    this.#chain = undefined;
  }

  #open(): Pointer {
    if (this.#chain === undefined) {
      throw new BatonError('internal_error', 'The sampler is closed.');
    }
    return this.#chain;
  }

  #add(link: Pointer): void {
    this.#native.addToChain(this.#open(), link);
    this.#links += 1;
  }

  #removeLast(): void {
    this.#links -= 1;
    this.#native.freeSampler(this.#native.removeFromChain(this.#open(), this.#links));
  }
}
