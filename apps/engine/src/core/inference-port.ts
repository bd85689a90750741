/**
 * What the engine's front (HTTP, KV events, link to the agent) and its inference thread say to each other.
 *
 * Commands go in, events come out; both are plain structured-cloneable data. Token ids are Int32Array, keys are packed
 * segment keys of 16 bytes. Life of a request:
 *
 *   submit → `held` (what HBM already has, pinned) → the front asks its agent for what is missing →
 *   `importSegment` … → `loadEnded` → prompt is computed, segments leave on `granted` pages (`exported`) →
 *   `prefilled` (handover state) → `token` … → `ended`.
 *
 * A request without `load` skips straight from `held` to computing.
 */

import type { SamplerOptions } from '@baton/llama';

export interface SamplingParams extends SamplerOptions {
  /** Number of alternatives to report for each token; -1 reports no log probabilities. */
  topLogprobs: number;
}

export interface GenerationRequest {
  requestId: string;
  promptTokens: Int32Array;
  /** Key that the first segment's key is chained to. */
  rootKey: Uint8Array;
  /** Packed keys of the prompt's whole segments. */
  segmentKeys: Uint8Array;
  sampling: SamplingParams;
  /** Counted from the first output token, those in `resumeTokens` or in a handover included. */
  maxOutputTokens: number;
  ignoreEos: boolean;
  /** Output tokens that were sampled before; they are computed after the prompt and not reported again. */
  resumeTokens: Int32Array;
  /** True when the front will send `importSegment` and `loadEnded`; computing waits for that. */
  load: boolean;
  /** True for the decode leg of a handover: `loadEnded` brings the tail, nothing is computed of the prompt. */
  handover: boolean;
  /** Prefill leg: segments from this one on leave on granted pages as soon as they are computed, then the tail. */
  exportFromSegment: number | undefined;
}

/** What the inference thread is started with. */
export interface InferenceThreadOptions {
  modelPath: string;
  /** Tokens of KV memory. In the reproducible mode: of cached segments; each running sequence has its own besides. */
  cells: number;
  /** Longest prompt and output together; the model's and `cells` bound it. */
  maxModelTokens: number;
  maxSequences: number;
  segmentTokens: number;
  threads: number;
  reproducible: boolean;
}

/** The state that a handover carries; see SequenceState in proto/baton/v1/link.proto. */
export interface HandoverState {
  promptTokens: number;
  outputTokens: Int32Array;
  seed: number;
}

export interface ArenaPage {
  page: number;
  bytes: number;
}

export type InferenceCommand =
  | { type: 'submit'; request: GenerationRequest }
  | { type: 'cancel'; requestId: string }
  /** Map this arena from now on; undefined when the agent is gone. */
  | { type: 'arena'; arena: ArenaMapping | undefined }
  /** `index` counts from the prompt's first segment. */
  | ({ type: 'importSegment'; requestId: string; index: number } & ArenaPage)
  | {
      type: 'loadEnded';
      requestId: string;
      /** The decode leg of a handover; `bytes` 0 when the prompt ends with a whole segment. */
      tail?: { page: number; bytes: number; state: HandoverState } | undefined;
      /** Set when a handover failed; without one, the rest is computed. */
      failure?: string | undefined;
    }
  /** Pages for the segments from exportFromSegment on; undefined for one that the agent holds already. */
  | {
      type: 'granted';
      requestId: string;
      firstSegment: number;
      pages: (number | undefined)[];
      tailPage: number | undefined;
    }
  /** Copy cached segments into pages, for a pull of what only HBM holds. */
  | { type: 'exportCached'; exportId: string; keys: Uint8Array; pages: number[] }
  | { type: 'stop' };

export interface ArenaMapping {
  path: string;
  sizeBytes: number;
  pageBytes: number;
}

export interface TokenLogprob {
  token: number;
  logprob: number;
}

export interface PromptAccounting {
  promptTokens: number;
  /** From HBM, or from pages that the front did not mark as transferred. */
  heldTokens: number;
  importedTokens: number;
  computedTokens: number;
}

export type InferenceEvent =
  | { type: 'ready'; facts: InferenceFacts }
  /** Whole segments of the prompt found in HBM, from the first on. */
  | { type: 'held'; requestId: string; segments: number }
  /** The page may be released; `ok` false when libllama refused the bytes (the rest is then computed). */
  | { type: 'imported'; requestId: string; index: number; page: number; ok: boolean }
  | {
      type: 'exported';
      requestId: string;
      index: number;
      key: Uint8Array;
      page: number;
      bytes: number;
      checksum: number;
    }
  /** The prompt is computed and the first token sampled; `tail` when the request exports. */
  | {
      type: 'prefilled';
      requestId: string;
      accounting: PromptAccounting;
      computeMs: number;
      tail?: { page: number; bytes: number; checksum: number; state: HandoverState } | undefined;
    }
  | {
      type: 'token';
      requestId: string;
      /** 0 for the request's first output token, handover and resume included. */
      outputIndex: number;
      token: number;
      logprob: number | undefined;
      top: TokenLogprob[] | undefined;
    }
  | {
      type: 'ended';
      requestId: string;
      outcome: 'stop' | 'length' | 'aborted' | 'failed';
      /** BatonError code when failed, e.g. kv_transfer_failed or engine_out_of_cells. */
      code?: string | undefined;
      message?: string | undefined;
      accounting: PromptAccounting;
    }
  | {
      type: 'cachedExported';
      exportId: string;
      segments: { key: Uint8Array; page: number; bytes: number; checksum: number }[];
    }
  /** Segments that entered HBM, in chain order; `tokens` are theirs, `parentKey` the root key at a chain's start. */
  | {
      type: 'stored';
      keys: Uint8Array;
      parentKey: Uint8Array;
      isChainStart: boolean;
      tokens: Int32Array;
    }
  | { type: 'removed'; keys: Uint8Array }
  | { type: 'cleared' }
  | { type: 'load'; load: InferenceLoad }
  /** A command that made no sense was dropped. */
  | { type: 'refused'; command: string; message: string }
  /** The thread cannot go on; the process must end. */
  | { type: 'fatal'; message: string };

export interface InferenceFacts {
  modelRevision: string;
  dtype: string;
  layers: number;
  bytesPerToken: number;
  segmentBytes: number;
  /** Largest payload of one segment or tail. */
  pageBytes: number;
  maxModelTokens: number;
  capacityBlocks: number;
  maxSequences: number;
}

export interface InferenceLoad {
  running: number;
  waiting: number;
  pendingPrefillTokens: number;
  /** Used by running requests; what is only cached counts as free. */
  usedBlocks: number;
  prefillTokensPerSec: number;
  /** Over all sequences together. */
  decodeTokensPerSec: number;
  /** Of KV from the arena into the engine. */
  dramBytesPerSec: number;
}
