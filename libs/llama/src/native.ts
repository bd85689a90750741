import { BatonError } from '@baton/kv';
import koffi from 'koffi';
import {
  batchStruct,
  chainParameters,
  checkParameterDefaults,
  contextParameters,
  modelParameters,
} from './parameter-structs.ts';
import type { ParameterStruct } from './parameter-structs.ts';
import { findLlamaBinaries } from './platform-binaries.ts';

/** An address in native memory; 0n or null is none. */
export type Pointer = bigint;
export type MaybePointer = bigint | null;

type LibraryHandle = ReturnType<typeof koffi.load>;
type TypeSpec = Parameters<typeof koffi.sizeof>[0];

const ptr = 'void *';

function bind(library: LibraryHandle) {
  const f = <T>(name: string, result: TypeSpec, ...parameters: TypeSpec[]): T =>
    library.func(name, result, parameters) as T;
  return {
    ...bindModel(f),
    ...bindContext(f),
    ...bindMemory(f),
    ...bindSampler(f),
  };
}

type Bind = <T>(name: string, result: TypeSpec, ...parameters: TypeSpec[]) => T;

function bindModel(f: Bind) {
  type Count = (model: Pointer) => number;
  type Is = (model: Pointer) => boolean;
  type TokenOf = (vocab: Pointer) => number;
  return {
    modelDefaults: f<() => ParameterStruct>('llama_model_default_params', modelParameters),
    loadModel: f<(path: string, parameters: ParameterStruct) => MaybePointer>(
      'llama_model_load_from_file',
      ptr,
      'str',
      modelParameters,
    ),
    freeModel: f<(model: Pointer) => void>('llama_model_free', 'void', ptr),
    slidingWindow: f<Count>('llama_model_n_swa', 'int', ptr),
    ropeType: f<Count>('llama_model_rope_type', 'int', ptr),
    isRecurrent: f<Is>('llama_model_is_recurrent', 'bool', ptr),
    isHybrid: f<Is>('llama_model_is_hybrid', 'bool', ptr),
    isDiffusion: f<Is>('llama_model_is_diffusion', 'bool', ptr),
    hasEncoder: f<Is>('llama_model_has_encoder', 'bool', ptr),
    hasDecoder: f<Is>('llama_model_has_decoder', 'bool', ptr),
    chatTemplate: f<(model: Pointer, name: null) => string | null>(
      'llama_model_chat_template',
      'str',
      ptr,
      'str',
    ),
    vocabOf: f<(model: Pointer) => Pointer>('llama_model_get_vocab', ptr, ptr),
    vocabSize: f<TokenOf>('llama_vocab_n_tokens', 'int', ptr),
    bos: f<TokenOf>('llama_vocab_bos', 'int', ptr),
    eos: f<TokenOf>('llama_vocab_eos', 'int', ptr),
    addsBos: f<(vocab: Pointer) => boolean>('llama_vocab_get_add_bos', 'bool', ptr),
    isEndOfGeneration: f<(vocab: Pointer, token: number) => boolean>(
      'llama_vocab_is_eog',
      'bool',
      ptr,
      'int',
    ),
    tokenize: f<
      (
        vocab: Pointer,
        text: Uint8Array,
        textBytes: number,
        tokens: Int32Array,
        capacity: number,
        addSpecial: boolean,
        parseSpecial: boolean,
      ) => number
    >('llama_tokenize', 'int', ptr, ptr, 'int', ptr, 'int', 'bool', 'bool'),
    tokenToPiece: f<
      (
        vocab: Pointer,
        token: number,
        into: Uint8Array,
        capacity: number,
        lstrip: number,
        special: boolean,
      ) => number
    >('llama_token_to_piece', 'int', ptr, 'int', ptr, 'int', 'int', 'bool'),
  };
}

/** A batch as it is handed to llama_decode: pointers into memory of {@link TokenBatch}. */
export interface NativeBatch {
  n_tokens: number;
  token: Pointer;
  embd: null;
  pos: Pointer;
  n_seq_id: Pointer;
  seq_id: Pointer;
  logits: Pointer;
}

function bindContext(f: Bind) {
  return {
    contextDefaults: f<() => ParameterStruct>('llama_context_default_params', contextParameters),
    openContext: f<(model: Pointer, parameters: ParameterStruct) => MaybePointer>(
      'llama_init_from_model',
      ptr,
      ptr,
      contextParameters,
    ),
    freeContext: f<(context: Pointer) => void>('llama_free', 'void', ptr),
    memoryOf: f<(context: Pointer) => Pointer>('llama_get_memory', ptr, ptr),
    decode: f<(context: Pointer, batch: NativeBatch) => number>(
      'llama_decode',
      'int',
      ptr,
      batchStruct,
    ),
    logitsAt: f<(context: Pointer, index: number) => MaybePointer>(
      'llama_get_logits_ith',
      ptr,
      ptr,
      'int',
    ),
  };
}

/** KV of sequences: sharing, removing, taking out and putting in. */
function bindMemory(f: Bind) {
  return {
    clearMemory: f<(memory: Pointer, data: boolean) => void>(
      'llama_memory_clear',
      'void',
      ptr,
      'bool',
    ),
    copySequence: f<(memory: Pointer, from: number, to: number, p0: number, p1: number) => void>(
      'llama_memory_seq_cp',
      'void',
      ptr,
      'int',
      'int',
      'int',
      'int',
    ),
    removeSequence: f<(memory: Pointer, sequence: number, p0: number, p1: number) => boolean>(
      'llama_memory_seq_rm',
      'bool',
      ptr,
      'int',
      'int',
      'int',
    ),
    lastPosition: f<(memory: Pointer, sequence: number) => number>(
      'llama_memory_seq_pos_max',
      'int',
      ptr,
      'int',
    ),
    stateSize: f<(context: Pointer, sequence: number) => number>(
      'llama_state_seq_get_size',
      'size_t',
      ptr,
      'int',
    ),
    getState: f<(context: Pointer, into: Uint8Array, size: number, sequence: number) => number>(
      'llama_state_seq_get_data',
      'size_t',
      ptr,
      ptr,
      'size_t',
      'int',
    ),
    setState: f<(context: Pointer, from: Uint8Array, size: number, sequence: number) => number>(
      'llama_state_seq_set_data',
      'size_t',
      ptr,
      ptr,
      'size_t',
      'int',
    ),
  };
}

function bindSampler(f: Bind) {
  const init = <T>(name: string, ...parameters: TypeSpec[]): T =>
    f<T>(`llama_sampler_init_${name}`, ptr, ...parameters);
  return {
    openChain: f<(parameters: { no_perf: boolean }) => Pointer>(
      'llama_sampler_chain_init',
      ptr,
      chainParameters,
    ),
    addToChain: f<(chain: Pointer, sampler: Pointer) => void>(
      'llama_sampler_chain_add',
      'void',
      ptr,
      ptr,
    ),
    removeFromChain: f<(chain: Pointer, index: number) => Pointer>(
      'llama_sampler_chain_remove',
      ptr,
      ptr,
      'int',
    ),
    freeSampler: f<(sampler: Pointer) => void>('llama_sampler_free', 'void', ptr),
    acceptToken: f<(chain: Pointer, token: number) => void>(
      'llama_sampler_accept',
      'void',
      ptr,
      'int',
    ),
    sample: f<(chain: Pointer, context: Pointer, index: number) => number>(
      'llama_sampler_sample',
      'int',
      ptr,
      ptr,
      'int',
    ),
    initGreedy: init<() => Pointer>('greedy'),
    initDist: init<(seed: number) => Pointer>('dist', 'uint32'),
    initTopK: init<(k: number) => Pointer>('top_k', 'int'),
    initTopP: init<(p: number, keep: number) => Pointer>('top_p', 'float', 'size_t'),
    initMinP: init<(p: number, keep: number) => Pointer>('min_p', 'float', 'size_t'),
    initTemperature: init<(t: number) => Pointer>('temp', 'float'),
    initPenalties: init<
      (
        vocabSize: number,
        window: number,
        repeat: number,
        frequency: number,
        presence: number,
      ) => Pointer
    >('penalties', 'int', 'int', 'float', 'float', 'float'),
  };
}

export type NativeLlama = ReturnType<typeof bind>;

let loaded: NativeLlama | undefined;

/**
 * Loads libllama once for this thread, checks that it is the release that the bindings describe, and silences its log.
 * The first call in a process registers ggml's backends, which is not safe from two threads at once: let one thread
 * finish its call before another starts.
 *
 * @throws BatonError native_library_missing.
 */
export function loadLlama(): NativeLlama {
  if (loaded !== undefined) return loaded;
  const binaries = findLlamaBinaries();
  let ggml: LibraryHandle;
  let library: LibraryHandle;
  try {
    ggml = koffi.load(binaries.ggml);
    library = koffi.load(binaries.llama);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BatonError('native_library_missing', `libllama cannot be loaded: ${reason}`, {
      cause,
    });
  }
  silence(library);
  const backends = ggml.func('ggml_backend_reg_count', 'size_t', []) as () => number;
  if (backends() === 0)
    ggml.func('ggml_backend_load_all_from_path', 'void', ['str'])(binaries.directory);
  library.func('llama_backend_init', 'void', [])();
  const native = bind(library);
  checkParameterDefaults({ model: native.modelDefaults(), context: native.contextDefaults() });
  loaded = native;
  return native;
}

/**
 * libllama logs from whatever thread it is on, while the thread that would run a JavaScript callback waits inside
 * libllama: that would be a deadlock. So the log goes to a native function that takes no arguments and does nothing.
 */
function silence(library: LibraryHandle): void {
  const nothing = library.symbol('llama_max_devices') as unknown;
  library.func('llama_log_set', 'void', [ptr, ptr])(koffi.address(nothing), null);
}
