import { BatonError } from '@baton/kv';
import type { z } from 'zod';
import { fieldError } from './error-body.ts';
import { chatSchema, completionSchema } from './request-schemas.ts';

/** OpenAI's fields are typed; whatever else the client sent is there too, as it came. */
export type ChatRequest = z.infer<typeof chatSchema>;
export type CompletionRequest = z.infer<typeof completionSchema> & { prompt: PromptInput };
export type PromptInput = string | number[] | string[] | number[][];

/** Fields that nobody here knows are passed on, and what takes a body apart or writes it goes down level by level. */
const MAX_BODY_DEPTH = 256;

export type Checked<T> = { ok: true; request: T } | { ok: false; error: BatonError };

/** A body that passes comes back as the very object that went in: nothing is dropped, copied or filled in. */
export function checkChatRequest(body: unknown): Checked<ChatRequest> {
  return checkBody<ChatRequest>(body, chatSchema);
}

export function checkCompletionRequest(body: unknown): Checked<CompletionRequest> {
  return checkBody<CompletionRequest>(body, completionSchema);
}

/** For fields of one's own: the same rules and the same words in the error. */
export function checkBody<T>(body: unknown, schema: z.ZodType): Checked<T> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return refuse(new BatonError('invalid_request', 'The body must be a JSON object.'));
  }
  if (isDeeper(body, MAX_BODY_DEPTH)) {
    const message = `The body must not be nested more than ${MAX_BODY_DEPTH} levels deep.`;
    return refuse(new BatonError('invalid_request', message));
  }
  const result = schema.safeParse(body);
  if (result.success) return { ok: true, request: body as T };
  const issue = result.error.issues[0];
  const field = fieldPath(issue?.path ?? []);
  const missing = issue !== undefined && isMissing(body, issue.path);
  const reason = missing ? 'is required' : describe(issue?.message ?? 'is not valid');
  return refuse(fieldError('invalid_request', field, `${field}: ${reason}`));
}

/** Level by level and not by recursion, which is what depth breaks. */
function isDeeper(body: object, levels: number): boolean {
  let level: object[] = [body];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    const next: object[] = [];
    for (const value of level) {
      const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
      for (const child of children) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return false;
}

function refuse(error: BatonError): { ok: false; error: BatonError } {
  return { ok: false, error };
}

/** `messages[0].role`, as OpenAI writes it. */
function fieldPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}

function isMissing(body: object, path: readonly PropertyKey[]): boolean {
  let value: unknown = body;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return false;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value === undefined;
}

/** Zod's "Invalid input: expected string, received number" without its first words. */
function describe(message: string): string {
  return message.replace(/^Invalid input: /, '');
}
