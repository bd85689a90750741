import type { KvHold } from '../kv/kv-cache.ts';
import type { RequestRecord } from '../report/request-record.ts';

/** One request on its way through the simulated fleet. Whoever works on it writes down what it did. */
export interface RequestRun {
  readonly requestId: string;
  /** Of the conversation; undefined where there is none. */
  readonly sessionId: string | undefined;
  readonly promptTokens: number;
  /** At least 1: the first token is always sampled. */
  readonly outputTokens: number;
  /** Numbers of its whole blocks. */
  readonly blocks: readonly number[];
  readonly record: RequestRecord;
  planId: string;
  /** When its plan's lease was given or renewed last. */
  renewedAtMs: number;
  isAggregated: boolean;
  /** Nobody waits for its answer any more: it failed, or is complete. */
  isSettled: boolean;
  /** Known once prompt and first token are there. */
  firstTokenAtMs: number | undefined;
  /** By its plan: leading blocks that its prefill worker has in any of its tiers, and loads where it must. */
  ownBlocks: number;
  /** Blocks that pulls have brought, kept until the prompt's turn comes. */
  pulled: KvHold[];
  /** Output tokens so far. */
  generatedTokens: () => number;
}

/** Where a request's prompt is computed, from its submission to the end of prefill. */
export interface PrefillLeg {
  readonly run: RequestRun;
  /** Of its submission at this worker: first come, first served. */
  readonly number: number;
  /** Output tokens that this worker will generate, too; 0 when another one decodes. */
  readonly outputTokens: number;
  /** Prompt tokens to compute, as far as one can tell before its turn comes. */
  expectedTokens: number;
  hold: KvHold | undefined;
  /** Prompt tokens whose KV is there. */
  doneTokens: number;
}

/** A sequence at its decode worker. */
export interface DecodeLeg {
  readonly run: RequestRun;
  /** Tokens to generate here. */
  readonly tokens: number;
  readonly hold: KvHold;
  /** Of the worker's decode steps: the last one before its first and the one of its last token. */
  firstStep: number;
  lastStep: number;
}
