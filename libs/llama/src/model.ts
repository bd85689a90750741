import { BatonError } from '@baton/kv';
import { readGgufHeader } from './gguf-header.ts';
import type { GgufHeader } from './gguf-header.ts';
import { loadLlama } from './native.ts';
import type { NativeLlama, Pointer } from './native.ts';
import { LlamaVocab } from './vocab.ts';

export interface ModelFacts {
  /** e.g. `llama`, from the file's metadata. */
  architecture: string;
  name: string;
  layers: number;
  vocabSize: number;
  /** Tokens that the model was trained for. */
  contextTokens: number;
  chatTemplate: string | undefined;
  /** Texts of the special tokens, as chat templates want them; empty when the model has none. */
  bosText: string;
  eosText: string;
  modelRevision: string;
  tokenization: string;
}

export interface ModelOptions {
  /** Without weights: enough to tokenize, cheap to load. */
  vocabOnly?: boolean;
}

const ROPE_NONE = -1;
const ROPE_NORMAL = 0;
const ROPE_NEOX = 2;

/** A GGUF model in memory. Close it after its contexts. */
export class LlamaModel {
  readonly facts: ModelFacts;
  readonly vocab: LlamaVocab;
  readonly native: NativeLlama;
  readonly #header: GgufHeader;
  #pointer: Pointer | undefined;

  /** @throws BatonError native_library_missing, model_file_missing or model_file_damaged. */
  constructor(file: string, options: ModelOptions = {}) {
    this.native = loadLlama();
    this.#header = readGgufHeader(file);
    const pointer = this.native.loadModel(file, {
      ...this.native.modelDefaults(),
      n_gpu_layers: 0,
      vocab_only: options.vocabOnly ?? false,
    });
    if (!pointer) {
      throw new BatonError(
        'model_file_damaged',
        `The model file ${file} cannot be loaded: its weights are damaged or libllama does not know it.`,
        { details: { file } },
      );
    }
    this.#pointer = pointer;
    this.vocab = new LlamaVocab(this.native, this.native.vocabOf(pointer));
    this.facts = this.#readFacts(pointer);
  }

  get pointer(): Pointer {
    if (this.#pointer === undefined) throw new BatonError('internal_error', 'The model is closed.');
    return this.#pointer;
  }

  /** Why the KV of this model cannot be cut into segments; undefined when it can. */
  unsplittable(): string | undefined {
    const { native, pointer } = this;
    if (native.isRecurrent(pointer)) return 'it is recurrent';
    if (native.isHybrid(pointer)) return 'it mixes attention with recurrent layers';
    if (native.slidingWindow(pointer) > 0) return 'it uses sliding-window attention';
    if (native.isDiffusion(pointer)) return 'it generates by diffusion';
    if (native.hasEncoder(pointer) || !native.hasDecoder(pointer)) return 'it has an encoder';
    if (![ROPE_NONE, ROPE_NORMAL, ROPE_NEOX].includes(native.ropeType(pointer))) {
      return 'its positions have several dimensions';
    }
    return undefined;
  }

  /** @throws BatonError model_not_supported when its KV cannot be cut into segments. */
  requireSplittable(): void {
    const reason = this.unsplittable();
    if (reason === undefined) return;
    throw new BatonError(
      'model_not_supported',
      `The model ${this.facts.name} (${this.facts.architecture}) cannot be used: ${reason}, so its KV cache cannot be split into segments.`,
      { details: { reason } },
    );
  }

  close(): void {
    if (this.#pointer === undefined) return;
    this.native.freeModel(this.#pointer);
    this.#pointer = undefined;
  }

  #readFacts(pointer: Pointer): ModelFacts {
    const { native, vocab } = this;
    const text = (key: string): string => String(this.#header.metadata.get(key) ?? '');
    const architecture = text('general.architecture');
    // libllama tells these two only of a model with weights.
    const number = (key: string): number => Number(text(`${architecture}.${key}`));
    return {
      architecture,
      name: text('general.name'),
      layers: number('block_count'),
      vocabSize: vocab.size,
      contextTokens: number('context_length'),
      chatTemplate: native.chatTemplate(pointer, null) ?? undefined,
      bosText: vocab.specialText(vocab.bos),
      eosText: vocab.specialText(vocab.eos),
      modelRevision: this.#header.modelRevision,
      tokenization: this.#header.tokenization,
    };
  }
}
