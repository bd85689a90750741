import { BatonError } from '@baton/kv';
import koffi from 'koffi';

/*
 * The structs that libllama takes and returns by value, field by field as in the include/llama.h of the pinned release.
 * They change between releases and nothing in the library tells: hence the comparison with known defaults at load.
 */

const pointer = 'void *';

export const modelParameters = koffi.struct({
  devices: pointer,
  tensor_buft_overrides: pointer,
  n_gpu_layers: 'int32',
  split_mode: 'int32',
  load_mode: 'int32',
  lazy_mode: 'int32',
  main_gpu: 'int32',
  tensor_split: pointer,
  progress_callback: pointer,
  progress_callback_user_data: pointer,
  kv_overrides: pointer,
  vocab_only: 'bool',
  check_tensors: 'bool',
  use_extra_bufts: 'bool',
  no_host: 'bool',
  no_alloc: 'bool',
  load_mtp: 'bool',
});

export const contextParameters = koffi.struct({
  n_ctx: 'uint32',
  n_batch: 'uint32',
  n_ubatch: 'uint32',
  n_seq_max: 'uint32',
  n_rs_seq: 'uint32',
  n_outputs_max: 'uint32',
  n_outputs_max_per_seq: 'uint32',
  n_threads: 'int32',
  n_threads_batch: 'int32',
  ctx_type: 'int32',
  rope_scaling_type: 'int32',
  pooling_type: 'int32',
  attention_type: 'int32',
  flash_attn_type: 'int32',
  rope_freq_base: 'float',
  rope_freq_scale: 'float',
  yarn_ext_factor: 'float',
  yarn_attn_factor: 'float',
  yarn_beta_fast: 'float',
  yarn_beta_slow: 'float',
  yarn_orig_ctx: 'uint32',
  defrag_thold: 'float',
  cb_eval: pointer,
  cb_eval_user_data: pointer,
  type_k: 'int32',
  type_v: 'int32',
  abort_callback: pointer,
  abort_callback_data: pointer,
  embeddings: 'bool',
  offload_kqv: 'bool',
  no_perf: 'bool',
  op_offload: 'bool',
  swa_full: 'bool',
  kv_unified: 'bool',
  samplers: pointer,
  n_samplers: 'size_t',
  ctx_other: pointer,
});

export const batchStruct = koffi.struct({
  n_tokens: 'int32',
  token: pointer,
  embd: pointer,
  pos: pointer,
  n_seq_id: pointer,
  seq_id: pointer,
  logits: pointer,
});

export const chainParameters = koffi.struct({ no_perf: 'bool' });

/** A struct as koffi gives it: null pointers are null, others bigint. */
export type ParameterStruct = Record<string, number | boolean | bigint | null>;

/** ggml's number for 16-bit floats: the type of K and V here. */
const GGML_TYPE_F16 = 1;

const knownModelDefaults: ParameterStruct = {
  devices: null,
  tensor_buft_overrides: null,
  n_gpu_layers: -1,
  split_mode: 1,
  load_mode: -1,
  lazy_mode: 1,
  main_gpu: 0,
  tensor_split: null,
  progress_callback: null,
  progress_callback_user_data: null,
  kv_overrides: null,
  vocab_only: false,
  check_tensors: false,
  use_extra_bufts: true,
  no_host: false,
  no_alloc: false,
  load_mtp: false,
};

const knownContextDefaults: ParameterStruct = {
  n_ctx: 512,
  n_batch: 2048,
  n_ubatch: 512,
  n_seq_max: 1,
  n_rs_seq: 0,
  n_outputs_max: 0,
  n_outputs_max_per_seq: 1,
  n_threads: 4,
  n_threads_batch: 4,
  ctx_type: 0,
  rope_scaling_type: -1,
  pooling_type: -1,
  attention_type: -1,
  flash_attn_type: -1,
  rope_freq_base: 0,
  rope_freq_scale: 0,
  yarn_ext_factor: -1,
  yarn_attn_factor: -1,
  yarn_beta_fast: -1,
  yarn_beta_slow: -1,
  yarn_orig_ctx: 0,
  defrag_thold: -1,
  cb_eval: null,
  cb_eval_user_data: null,
  type_k: GGML_TYPE_F16,
  type_v: GGML_TYPE_F16,
  abort_callback: null,
  abort_callback_data: null,
  embeddings: false,
  offload_kqv: true,
  no_perf: true,
  op_offload: true,
  swa_full: true,
  kv_unified: false,
  samplers: null,
  n_samplers: 0,
  ctx_other: null,
};

/**
 * Refuses a library whose parameter structs are laid out otherwise than this file says.
 *
 * @throws BatonError native_library_missing, naming struct and fields.
 */
export function checkParameterDefaults(actual: {
  model: ParameterStruct;
  context: ParameterStruct;
}): void {
  compare('llama_model_params', actual.model, knownModelDefaults);
  compare('llama_context_params', actual.context, knownContextDefaults);
}

function compare(struct: string, actual: ParameterStruct, known: ParameterStruct): void {
  const drifted = Object.entries(known)
    .filter(([field, value]) => !sameValue(actual[field], value))
    .map(([field, value]) => `${field} is ${actual[field]} instead of ${value}`);
  if (drifted.length === 0) return;
  throw new BatonError(
    'native_library_missing',
    `This libllama is another release than the one Baton was built for: in ${struct} ${drifted.join(', ')}.`,
    { details: { struct, fields: drifted } },
  );
}

function sameValue(actual: ParameterStruct[string] | undefined, known: unknown): boolean {
  return known === null ? actual === null || actual === 0n : actual === known;
}
