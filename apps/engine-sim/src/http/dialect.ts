import type { Adapter } from '../cache/block-names.ts';
import type { EngineFault, FinishReason, KeptKv, RemoteKv } from '../engine/generation.ts';
import type { Leg } from '../faults/fault.ts';
import type { AnswerFacts, AnswerFormat } from './answer-format.ts';
import type { EngineError } from './engine-error.ts';
import type { Front } from './front.ts';
import type { JsonObject } from './json-object.ts';

/** What a request says of a handover. */
export interface Transfer {
  leg: Leg;
  /** For a decode: the prompt's KV that comes from elsewhere. */
  remote?: RemoteKv | undefined;
  /** What decode's answer says of cached tokens: what prefill had in its cache. */
  prefillCachedTokens?: number | undefined;
  /** It ends with its first token, whatever the request says. */
  endsAtFirst?: boolean;
  /** What is waited for before anything is computed; a fault when that is in vain. */
  ready?: Promise<EngineFault | undefined>;
  /**
   * For a prefill: takes the KV of its prompt. What the answer says of it, or a promise for which the answer waits, of a
   * fault or of none.
   */
  keep?: (kept: KeptKv, reason: FinishReason) => object | null | Promise<EngineFault | undefined>;
  /** The client is gone, or has its answer. */
  leave?: () => void;
}

export interface TransferRequest {
  body: JsonObject;
  promptTokens: readonly number[];
  /** What the client's side calls the request. */
  clientId: string | undefined;
}

/** Who is to answer. */
export interface NamedModel {
  /** As the answer has it. */
  model: string;
  adapter: Adapter | undefined;
}

/** What kinds of engines say and hear differently. */
export interface Dialect {
  /** Which leg a body asks for, before it is looked at any further. */
  legOf(body: unknown): Leg;
  /** @throws EngineError for a model, or an adapter, that is none of the engine's */
  modelOf(body: JsonObject, front: Front): NamedModel;
  /** @throws EngineError for what the engine refuses */
  transferOf(request: TransferRequest): Transfer;
  formatOf(facts: AnswerFacts): AnswerFormat;
  /** @param isEvent whether it ends a stream that has begun */
  errorBody(error: EngineError, isEvent: boolean): object;
}
