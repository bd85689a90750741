import type { MeetingPoint } from '@baton/kv';

/** A parsed JSON object whose fields are not known here. */
export type JsonObject = Record<string, unknown>;

/** The API that the client spoke; every leg speaks the same one. */
export type ApiKind = 'chat' | 'completion';

/** What all legs of one request share. */
export interface LegRequest {
  api: ApiKind;
  /** The client's body. Never changed: each leg gets its own top level. */
  body: Readonly<JsonObject>;
  /** The prompt as the engines' own tokenizer has it; undefined where an engine does not take token ids. */
  promptTokens: readonly number[] | undefined;
  planId: string;
  /** The LoRA adapter that the client's `model` names, and the model that it is of; absent for a model itself. */
  adapter?: { name: string; model: string } | undefined;
  /** Counted from the first output token, those that a leg resumes from included. */
  maxOutputTokens: number;
}

/** One HTTP call to an engine: POST `path` with `body`. */
export interface LegCall {
  path: string;
  body: JsonObject;
  headers?: Readonly<Record<string, string>>;
  /** The body with the trace context of its leg, for engines whose headers do not reach who needs it. */
  traced?: (body: JsonObject, traceparent: string) => JsonObject;
}

/** Where the prompt tokens of one leg came from; the three add up to promptTokens. */
export interface PromptAccounting {
  promptTokens: number;
  /** From the worker's own cache. */
  reusedTokens: number;
  /** From another worker, for this request. */
  transferredTokens: number;
  computedTokens: number;
}

/** What the answer of a prefill leg says to a decode leg that goes on behind it. */
export interface PrefillOutcome {
  /** The tokens that prefill sampled. */
  tokenIds: number[];
  accounting: PromptAccounting;
}

/** Where an engine keeps a prompt's KV for another one, in its own words: passed on as they are, and once. */
export type HandoverParams = Readonly<JsonObject>;

export type Read<T> = { ok: true; value: T } | { ok: false; reason: string };

/** The part of a plan that a worker has. */
export type LegKind = 'aggregated' | 'prefill' | 'decode';

/** How one kind of engine is asked for the legs of a plan. Pure: bodies in, bodies out. */
interface AnyProtocol {
  /** @param prefixTokens as {@link PrefillFacts} has them */
  aggregated(request: LegRequest, prefixTokens: number): LegCall;
  /** The call to one of several data-parallel ranks behind the engine's URL. */
  atRank(call: LegCall, rank: number): LegCall;
  /** Undefined when the answer or chunk carries none that adds up. */
  readAccounting(answer: unknown, leg: LegKind): PromptAccounting | undefined;
}

/** Both legs are asked at once; the first token is prefill's, and decode goes on behind it. */
export interface ResumingProtocol extends AnyProtocol {
  readonly order: 'resuming';
  prefill(request: LegRequest, facts: PrefillFacts): LegCall;
  decode(request: LegRequest): LegCall;
  /** Goes on after output tokens that were sampled elsewhere; computes what the worker lacks. */
  resume(request: LegRequest, outputTokenIds: readonly number[]): LegCall;
  readPrefill(answer: unknown, planId: string): Read<PrefillOutcome>;
}

/** Decode is asked when prefill has said where its KV is; the first token is decode's. */
export interface SequentialProtocol extends AnyProtocol {
  readonly order: 'sequential';
  prefill(request: LegRequest, facts: PrefillFacts): LegCall;
  /** Who moves the KV of a handover: engines by themselves, or agents, which tell of it. */
  readonly movedBy: 'engines' | 'agents';
  /** @param tellsTokens whether the answer is to have the token ids by which a kept turn is found again */
  decode(request: LegRequest, params: HandoverParams, tellsTokens?: boolean): LegCall;
  /** Undefined when the engine keeps nothing for another one: then decode computes the prompt. */
  readHandover(answer: unknown, facts: HandoverFacts): Read<HandoverParams | undefined>;
  /** From a decode's whole answer what it keeps of the turn; undefined where it keeps none. */
  readTurn(answer: unknown, blockTokens: number): Read<TurnKept | undefined>;
}

/** KV of a prompt and its answer that a decode engine keeps for the prefill of the conversation's next turn. */
export interface TurnKept {
  params: HandoverParams;
  /** Whose KV it is; undefined where the answer does not tell the tokens. */
  tokenIds: readonly number[] | undefined;
}

/** Both legs are asked at once and find each other by a rendezvous; the first token is decode's. */
export interface ConcurrentProtocol extends AnyProtocol {
  readonly order: 'concurrent';
  /**
   * A decode engine that is left waiting gives its pages back only once prefill has handed its KV over: prefill then goes
   * on to its end, also for a client that is gone.
   */
  readonly prefillGoesOn: boolean;
  /** Answers with JSON when it has computed the prompt; what it says of the answer's text is of no use. */
  prefill(request: LegRequest, rendezvous: Rendezvous): LegCall;
  decode(request: LegRequest, rendezvous: Rendezvous): LegCall;
}

export type EngineProtocol = ResumingProtocol | SequentialProtocol | ConcurrentProtocol;

/** By what the legs of one attempt find each other. */
export interface Rendezvous {
  /** Random, another one for each attempt: from 1 to below 2^53, so that JSON has it exactly. */
  id: number;
  /** Of the prefill worker. */
  at: MeetingPoint;
  /** Its data-parallel rank that computes the prompt; undefined where it has one. */
  rank: number | undefined;
}

export interface PrefillFacts {
  /** Prompt tokens that the decode worker holds already. */
  decodeHeldTokens: number;
  /** Leading prompt tokens that the worker has once transfers of the plan are done; 0 where there are none. */
  prefixTokens: number;
  /** What a decode engine keeps of the turn before, for this prefill to read. */
  keptTurn?: HandoverParams | undefined;
}

/** What handover parameters are held against. */
export interface HandoverFacts {
  promptTokens: number;
  /** Of the prefill engine's KV cache. */
  blockTokens: number;
}
