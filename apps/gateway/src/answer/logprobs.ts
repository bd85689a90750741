import type { ApiKind, JsonObject } from '@baton/engine-protocols';
import { asObject } from './answer.ts';

const completionLists = ['tokens', 'token_logprobs', 'top_logprobs'] as const;

/**
 * Log probabilities of a text that came in two parts. `firstChars` is the length of the first part's text, by which the
 * second part's offsets are moved.
 */
export function mergeLogprobs(
  api: ApiKind,
  first: unknown,
  second: unknown,
  firstChars: number,
): unknown {
  const a = asObject(first);
  const b = asObject(second);
  if (a === undefined || b === undefined) return second ?? first ?? null;
  if (api === 'chat') return { ...b, content: concat(a['content'], b['content']) };
  const merged: JsonObject = { ...b };
  for (const list of completionLists) merged[list] = concat(a[list], b[list]);
  const moved = shiftOffsets(b, offsetShift(b, firstChars));
  merged['text_offset'] = concat(a['text_offset'], moved['text_offset']);
  return merged;
}

/**
 * What to add to the offsets of a leg that follows `firstChars` characters. Some engines count from the beginning of the
 * whole text, some from where the leg began.
 */
export function offsetShift(logprobs: JsonObject, firstChars: number): number {
  const offsets = logprobs['text_offset'];
  const start: unknown = Array.isArray(offsets) ? offsets[0] : undefined;
  return typeof start === 'number' && start < firstChars ? firstChars : 0;
}

export function shiftOffsets(logprobs: JsonObject, shift: number): JsonObject {
  const offsets = logprobs['text_offset'];
  if (shift === 0 || !Array.isArray(offsets)) return logprobs;
  return {
    ...logprobs,
    text_offset: offsets.map((at: unknown) => (typeof at === 'number' ? at + shift : at)),
  };
}

function concat(first: unknown, second: unknown): unknown {
  if (!Array.isArray(first)) return second ?? first ?? null;
  return Array.isArray(second) ? [...first, ...second] : first;
}
