/**
 * @module libllama from JavaScript: model, vocabulary, contexts whose KV can be taken out and put in by token range, and
 * samplers.
 *
 * Data flow: a {@link LlamaModel} is opened from a GGUF file; its vocabulary turns text into tokens; a
 * {@link LlamaContext} computes batches of tokens; a {@link LlamaSampler} draws from the logits. `exportRange` and
 * `importRange` move the KV of a token range between a context and any memory, an arena page for example, bit for bit.
 * Invariants: nothing here runs on a thread that must stay responsive, calls are synchronous; what was opened is closed
 * by its owner, contexts and samplers before their model; the structs that the library takes by value are checked
 * against known defaults at load. Sequence ids and batch sizes are checked here, because libllama ends the process when
 * they are wrong.
 * Cost: a call into the library costs about a microsecond; ranges move at the speed of a memory copy.
 */
export { loadLlama } from './native.ts';
export { LlamaModel } from './model.ts';
export type { ModelFacts, ModelOptions } from './model.ts';
export type { LlamaVocab, TokenizeOptions } from './vocab.ts';
export { LlamaContext, MAX_SEQUENCES } from './context.ts';
export type { ContextOptions, DecodeResult } from './context.ts';
export type { TokenBatch } from './token-batch.ts';
export { LlamaSampler } from './sampler.ts';
export type { SamplerOptions } from './sampler.ts';
export { logprobsOf } from './logprobs.ts';
export type { Logprobs, TokenLogprob } from './logprobs.ts';
export { heavyKvModel, tinyModelTokens, writeTinyModel } from './tiny-model.ts';
export type { TinyModelOptions } from './tiny-model.ts';
export { writeUnsplittableModel } from './unsplittable-model.ts';
export type { UnsplittableKind } from './unsplittable-model.ts';
