import type { ApiKind, JsonObject, PromptAccounting } from '@baton/engine-protocols';
import { BatonError } from '@baton/kv';
import type { Usage } from '@baton/openai';

/** Identity of an answer: the same in all its chunks, whichever leg they come from. */
export interface Envelope {
  id: string;
  /** Unix time, seconds. */
  created: number;
  model: string;
}

export interface AnswerShape {
  api: ApiKind;
  envelope: Envelope;
  wantsUsage: boolean;
  wantsTokenIds: boolean;
}

/** What the answer learns from legs and the request wants to know. */
export interface AnswerEars {
  readAccounting(answer: unknown): PromptAccounting | undefined;
  /** `last` when the answer ends with this leg. */
  legEnded(accounting: PromptAccounting | undefined, usage: Usage | undefined, last: boolean): void;
  /** Tokens have been handed to the client (streamed) or have arrived (whole). */
  tokens(chunks: number): void;
  finishReason(reason: string): void;
}

/** The one choice of an answer. @throws BatonError engine_failed when there is none. */
export function onlyChoice(answer: JsonObject): JsonObject {
  const choices = answer['choices'];
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
  if (typeof choice !== 'object' || choice === null) {
    throw malformed('it has no single choice');
  }
  return choice as JsonObject;
}

/** With these an engine says that it has given an answer up: no end that a client asked for. */
const givenUp: readonly unknown[] = ['abort', 'error'];

/** @throws BatonError engine_failed for an answer that its engine gave up */
export function requireEnd(reason: string): string {
  if (!givenUp.includes(reason)) return reason;
  throw new BatonError('engine_failed', `The engine gave the answer up (${reason}).`, {
    details: { phase: 'answer' },
  });
}

export function malformed(reason: string): BatonError {
  return new BatonError('engine_failed', `The engine's answer is malformed: ${reason}.`, {
    details: { phase: 'answer' },
  });
}

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function readUsage(answer: JsonObject): Usage | undefined {
  const usage = asObject(answer['usage']);
  return usage !== undefined && typeof usage['completion_tokens'] === 'number'
    ? (usage as unknown as Usage)
    : undefined;
}

/** Top-level fields of an engine's answer that are the gateway's or not for clients. */
const ownFields = ['kv_transfer_params', 'ec_transfer_params', 'usage'] as const;

/** A copy of the answer under the envelope, without what clients must not see. */
export function enveloped(answer: JsonObject, object: string, envelope: Envelope): JsonObject {
  const copy: JsonObject = { ...answer, ...envelope, object };
  for (const field of ownFields) delete copy[field];
  return copy;
}
