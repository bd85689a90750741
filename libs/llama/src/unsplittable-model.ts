import { writeGguf } from './gguf-writer.ts';
import type { GgufTensor, GgufValue } from './gguf-writer.ts';
import { seededWeights, tinyModelTokens, tokenizerMetadata } from './tiny-model.ts';

/** Kinds of models whose KV cannot be cut into segments. */
export type UnsplittableKind = 'sliding-window' | 'recurrent';

const WIDTH = 64;
const LAYERS = 4;
const HEADS = 4;
const HIDDEN = 128;
const CONTEXT_TOKENS = 2048;
const SLIDING_WINDOW = 128;
const STATE = 8;
const INNER = WIDTH * 2;
const RANK = 4;
const KERNEL = 4;

/** Writes a small model of a kind that the engine must refuse, for tests of just that. */
export function writeUnsplittableModel(file: string, kind: UnsplittableKind): void {
  const isRecurrent = kind === 'recurrent';
  const architecture = isRecurrent ? 'mamba' : 'olmo2';
  const u32 = (key: string, value: number): [string, GgufValue] => [
    `${architecture}.${key}`,
    { type: 'u32', value },
  ];
  const own = isRecurrent
    ? [
        u32('ssm.conv_kernel', KERNEL),
        u32('ssm.inner_size', INNER),
        u32('ssm.state_size', STATE),
        u32('ssm.time_step_rank', RANK),
        u32('feed_forward_length', 0),
        u32('attention.head_count', 0),
      ]
    : [
        u32('attention.head_count', HEADS),
        u32('attention.sliding_window', SLIDING_WINDOW),
        u32('feed_forward_length', HIDDEN),
      ];
  const metadata: [string, GgufValue][] = [
    ['general.architecture', { type: 'string', value: architecture }],
    ['general.name', { type: 'string', value: `baton-tiny-${kind}` }],
    u32('block_count', LAYERS),
    u32('context_length', CONTEXT_TOKENS),
    u32('embedding_length', WIDTH),
    u32('vocab_size', tinyModelTokens.count),
    [`${architecture}.attention.layer_norm_rms_epsilon`, { type: 'f32', value: 1e-5 }],
    ...own,
    ...tokenizerMetadata(),
  ];
  const layer = isRecurrent ? recurrentLayer : windowLayer;
  const random = seededWeights(1);
  const shapes = [
    ['token_embd.weight', WIDTH, tinyModelTokens.count],
    ['output_norm.weight', WIDTH],
    ['output.weight', WIDTH, tinyModelTokens.count],
    ...Array.from({ length: LAYERS }, (_, i) => layer(`blk.${i}.`)).flat(),
  ] satisfies TensorShape[];
  const tensors = shapes.map(([name, ...dimensions]): GgufTensor => ({
    name,
    dimensions,
    fill: (values) => values.forEach((_, i) => (values[i] = random() / 8)),
  }));
  writeGguf(file, metadata, tensors);
}

type TensorShape = [name: string, ...dimensions: number[]];

function windowLayer(prefix: string): TensorShape[] {
  return [
    [`${prefix}attn_q.weight`, WIDTH, WIDTH],
    [`${prefix}attn_k.weight`, WIDTH, WIDTH],
    [`${prefix}attn_v.weight`, WIDTH, WIDTH],
    [`${prefix}attn_output.weight`, WIDTH, WIDTH],
    [`${prefix}attn_q_norm.weight`, WIDTH],
    [`${prefix}attn_k_norm.weight`, WIDTH],
    [`${prefix}post_attention_norm.weight`, WIDTH],
    [`${prefix}ffn_gate.weight`, WIDTH, HIDDEN],
    [`${prefix}ffn_up.weight`, WIDTH, HIDDEN],
    [`${prefix}ffn_down.weight`, HIDDEN, WIDTH],
    [`${prefix}post_ffw_norm.weight`, WIDTH],
  ];
}

function recurrentLayer(prefix: string): TensorShape[] {
  return [
    [`${prefix}attn_norm.weight`, WIDTH],
    [`${prefix}ssm_in.weight`, WIDTH, INNER * 2],
    [`${prefix}ssm_conv1d.weight`, KERNEL, INNER],
    [`${prefix}ssm_conv1d.bias`, INNER],
    [`${prefix}ssm_x.weight`, INNER, RANK + STATE * 2],
    [`${prefix}ssm_dt.weight`, RANK, INNER],
    [`${prefix}ssm_dt.bias`, INNER],
    [`${prefix}ssm_a`, STATE, INNER],
    [`${prefix}ssm_d`, INNER],
    [`${prefix}ssm_out.weight`, INNER, WIDTH],
  ];
}
