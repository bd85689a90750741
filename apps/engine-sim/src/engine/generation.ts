import type { Chain } from '../cache/block-names.ts';
import type { BlockPool } from '../cache/block-pool.ts';

export type FinishReason = 'stop' | 'length' | 'abort';

/** Why an engine does not go on with a request, in vLLM's words. */
export interface EngineFault {
  status: number;
  type: string;
  message: string;
}

/** Said of a request when what computes is dead. */
export const ENGINE_DIED: EngineFault = {
  status: 500,
  type: 'InternalServerError',
  message: 'EngineCore encountered an issue. See stack trace (above) for the root cause.',
};

/** KV of a prompt, or of its beginning, that another engine has computed. */
export interface RemoteKv {
  /** Leading prompt tokens that it has; undefined: all. */
  tokens?: number | undefined;
  /** Fewer that are not here are computed instead of read. */
  leastTokens?: number | undefined;
  /**
   * Reads the KV of these tokens into `blocks`, those of its leading cached blocks left out; calls back once, never within
   * the call. What is in the blocks then is what was really read.
   */
  read(pool: BlockPool, blocks: readonly number[], done: (fault?: EngineFault) => void): void;
  /** The prompt is here already, or nobody will read it. */
  notNeeded(): void;
}

export interface GenerationRequest {
  /** Inside the engine. */
  id: string;
  /** Of the answer. */
  answerId: string;
  promptTokens: readonly number[];
  maxOutputTokens: number;
  minOutputTokens: number;
  ignoreEos: boolean;
  /** Tokens that end the answer, besides the model's own. */
  stopTokens: readonly number[];
  chain: Chain;
  remote?: RemoteKv | undefined;
  /** Its blocks stay when it ends by itself, for another engine to read. */
  keepsKv: boolean;
}

/** What of a finished request is kept for another engine. */
export interface KeptKv {
  requestId: string;
  blocks: readonly number[];
  /** Those whose KV is kept: of an answer of several tokens all but its last one, too. */
  tokens: readonly number[];
  cachedTokens: number;
}

/** Told in engine time, each in its order; after `finished` or `failed` nothing more comes. */
export interface GenerationSink {
  token(token: number): void;
  finished(reason: FinishReason, kept: KeptKv | undefined): void;
  failed(fault: EngineFault): void;
}
