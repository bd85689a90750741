import { writeGguf } from './gguf-writer.ts';
import type { GgufTensor, GgufValue } from './gguf-writer.ts';

export interface TinyModelOptions {
  layers?: number;
  heads?: number;
  kvHeads?: number;
  headDim?: number;
  /** Width of the residual stream. */
  embedding?: number;
  contextTokens?: number;
  /** Other weights, another model. */
  seed?: number;
}

/** The test model: half a megabyte, 256 bytes of KV a token. Few wide heads: attention costs most by their number. */
const defaults: Required<TinyModelOptions> = {
  layers: 2,
  heads: 2,
  kvHeads: 1,
  headDim: 32,
  embedding: 64,
  contextTokens: 8192,
  seed: 1,
};

/** A model whose KV weighs 64 KiB a token, for measuring what moving KV costs. */
export const heavyKvModel: TinyModelOptions = { layers: 16, heads: 8, kvHeads: 8, headDim: 128 };

/** A name by which a person sees that its text means nothing. */
const NAME = 'baton-tiny-random';
const WEIGHT_SCALE = 0.6;
const ROPE_BASE = 10_000;
/** The vocabulary's token types, as GGUF numbers them. */
const NORMAL = 1;
const UNKNOWN = 2;
const CONTROL = 3;
const BYTE = 6;
const BOS = 1;
const EOS = 2;
const SPECIALS = ['<unk>', '<s>', '</s>', '<|im_start|>', '<|im_end|>'];
const BYTE_TOKENS = 256;
const WORDS = [' the', ' a', 'ing', ' cat', ' dog', ' sat', ' on', ' and', 'er', 'ed'];
const CHARACTERS =
  ' abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,!?:;-_()[]{}<>|/\'"+=*#\n';
const CHAT_TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/** What tests need to know of the vocabulary. */
export const tinyModelTokens = {
  bos: BOS,
  eos: EOS,
  imStart: 3,
  imEnd: 4,
  count: SPECIALS.length + BYTE_TOKENS + WORDS.length + CHARACTERS.length,
};

/**
 * Writes a Llama with seeded random weights and a SentencePiece vocabulary of single characters, a few words and byte
 * fall-back. Equal options give equal bytes. Its text means nothing, but it depends on every token before, so a lost or
 * swapped piece of KV shows at once. Special and byte tokens have output weights of zero: greedy decoding never
 * chooses them, so an answer has the length that was asked for; with sampling an end is rare (about 1 in 10,000).
 */
export function writeTinyModel(file: string, options: TinyModelOptions = {}): void {
  const shape = { ...defaults, ...options };
  const vocabulary = buildVocabulary();
  writeGguf(file, metadataOf(shape, vocabulary), tensorsOf(shape, vocabulary.tokens.length));
}

interface Vocabulary {
  tokens: string[];
  types: number[];
  scores: number[];
}

function buildVocabulary(): Vocabulary {
  const vocabulary: Vocabulary = { tokens: [], types: [], scores: [] };
  const add = (token: string, type: number, score: number): void => {
    vocabulary.tokens.push(token.replaceAll(' ', '▁'));
    vocabulary.types.push(type);
    vocabulary.scores.push(score);
  };
  SPECIALS.forEach((token, id) => add(token, id === 0 ? UNKNOWN : CONTROL, 0));
  for (let byte = 0; byte < BYTE_TOKENS; byte += 1) {
    add(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`, BYTE, 0);
  }
  for (const word of WORDS) add(word, NORMAL, -1);
  for (const character of CHARACTERS) add(character, NORMAL, -10);
  return vocabulary;
}

function metadataOf(
  shape: Required<TinyModelOptions>,
  vocabulary: Vocabulary,
): [string, GgufValue][] {
  const u32 = (value: number): GgufValue => ({ type: 'u32', value });
  const f32 = (value: number): GgufValue => ({ type: 'f32', value });
  const text = (value: string): GgufValue => ({ type: 'string', value });
  return [
    ['general.architecture', text('llama')],
    ['general.name', text(NAME)],
    ['llama.block_count', u32(shape.layers)],
    ['llama.context_length', u32(shape.contextTokens)],
    ['llama.embedding_length', u32(shape.embedding)],
    ['llama.feed_forward_length', u32(feedForward(shape))],
    ['llama.attention.head_count', u32(shape.heads)],
    ['llama.attention.head_count_kv', u32(shape.kvHeads)],
    ['llama.attention.key_length', u32(shape.headDim)],
    ['llama.attention.value_length', u32(shape.headDim)],
    ['llama.attention.layer_norm_rms_epsilon', f32(1e-5)],
    ['llama.rope.dimension_count', u32(shape.headDim)],
    ['llama.rope.freq_base', f32(ROPE_BASE)],
    ['llama.vocab_size', u32(vocabulary.tokens.length)],
    ...tokenizerMetadata(vocabulary),
  ];
}

/** The part of the metadata that makes the tokenizer. */
export function tokenizerMetadata(vocabulary = buildVocabulary()): [string, GgufValue][] {
  const u32 = (value: number): GgufValue => ({ type: 'u32', value });
  const text = (value: string): GgufValue => ({ type: 'string', value });
  return [
    ['tokenizer.ggml.model', text('llama')],
    ['tokenizer.ggml.tokens', { type: 'array', of: 'string', values: vocabulary.tokens }],
    ['tokenizer.ggml.scores', { type: 'array', of: 'f32', values: vocabulary.scores }],
    ['tokenizer.ggml.token_type', { type: 'array', of: 'i32', values: vocabulary.types }],
    ['tokenizer.ggml.bos_token_id', u32(BOS)],
    ['tokenizer.ggml.eos_token_id', u32(EOS)],
    ['tokenizer.ggml.unknown_token_id', u32(0)],
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: true }],
    ['tokenizer.ggml.add_space_prefix', { type: 'bool', value: false }],
    ['tokenizer.chat_template', text(CHAT_TEMPLATE)],
  ];
}

function feedForward(shape: Required<TinyModelOptions>): number {
  return Math.ceil((shape.embedding * 11) / 4 / 16) * 16;
}

function tensorsOf(shape: Required<TinyModelOptions>, vocabSize: number): GgufTensor[] {
  const random = seededWeights(shape.seed);
  const { embedding, headDim } = shape;
  const wide = headDim * shape.heads;
  const narrow = headDim * shape.kvHeads;
  const hidden = feedForward(shape);
  // The wider the input, the smaller the weights: the size of what comes out stays the same.
  const weights = (name: string, input: number, output: number): GgufTensor => {
    const scale = WEIGHT_SCALE * Math.sqrt(64 / input);
    return {
      name,
      dimensions: [input, output],
      fill: (values) => {
        for (let i = 0; i < values.length; i += 1) values[i] = random() * scale;
      },
    };
  };
  const ones = (name: string): GgufTensor => ({
    name,
    dimensions: [embedding],
    fill: (values) => values.fill(1),
  });
  const output = weights('output.weight', embedding, vocabSize);
  const layer = (index: number): GgufTensor[] => {
    const name = (part: string): string => `blk.${index}.${part}.weight`;
    return [
      ones(name('attn_norm')),
      weights(name('attn_q'), embedding, wide),
      weights(name('attn_k'), embedding, narrow),
      weights(name('attn_v'), embedding, narrow),
      weights(name('attn_output'), wide, embedding),
      ones(name('ffn_norm')),
      weights(name('ffn_gate'), embedding, hidden),
      weights(name('ffn_up'), embedding, hidden),
      weights(name('ffn_down'), hidden, embedding),
    ];
  };
  return [
    weights('token_embd.weight', embedding, vocabSize),
    ones('output_norm.weight'),
    {
      ...output,
      fill: (values) => {
        output.fill(values);
        values.fill(0, 0, (SPECIALS.length + BYTE_TOKENS) * embedding);
      },
    },
    ...Array.from({ length: shape.layers }, (_, index) => layer(index)).flat(),
  ];
}

/** Marsaglia's generator of 32 bits: numbers from -1 to 1. */
export function seededWeights(seed: number): () => number {
  let state = (seed * 0x9e3779b1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) / 0xffffffff - 0.5) * 2;
  };
}
