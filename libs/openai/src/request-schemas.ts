import { z } from 'zod';

/** OpenAI allows 4; engines allow more, and clients of engines rely on it. */
export const MAX_STOP_STRINGS = 64;
export const MAX_TOP_LOGPROBS = 20;
export const MAX_CHOICES = 128;
/** Token ids are u32 in the segment key; no vocabulary comes near this. */
export const MAX_TOKEN_ID = 0x7fff_ffff;

/** Every optional field may be null: official clients send null for what is not set. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish();

const wholeNumber = z.int();
const positive = wholeNumber.min(1, { error: 'must be at least 1' });

/**
 * OpenAI's own seeds have 64 bits. A JSON number that large is rounded by most readers, so that two seeds would be one
 * and no engine would be asked for the one that was meant: refused rather than changed in silence.
 */
const seed = z.number().refine(Number.isSafeInteger, {
  error: `must be a whole number from -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER} (2^53-1): larger ones lose digits as JSON numbers`,
});

const stop = z
  .unknown()
  .refine(
    (value) =>
      typeof value === 'string' ||
      (Array.isArray(value) &&
        value.length <= MAX_STOP_STRINGS &&
        value.every((item) => typeof item === 'string')),
    { error: `must be a string or an array of at most ${MAX_STOP_STRINGS} strings` },
  );

const streamOptions = z.looseObject({ include_usage: optional(z.boolean()) });

const generation = {
  model: z.string().min(1, { error: 'must not be empty' }),
  max_tokens: optional(positive),
  temperature: optional(z.number().min(0).max(2)),
  top_p: optional(z.number().gt(0).max(1)),
  n: optional(positive.max(MAX_CHOICES)),
  stream: optional(z.boolean()),
  stream_options: optional(streamOptions),
  stop: optional(stop),
  presence_penalty: optional(z.number().min(-2).max(2)),
  frequency_penalty: optional(z.number().min(-2).max(2)),
  logit_bias: optional(z.record(z.string(), z.number())),
  seed: optional(seed),
  user: optional(z.string()),
};

const isContent = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  typeof value === 'string' ||
  (Array.isArray(value) &&
    value.every((part) => typeof part === 'object' && part !== null && isTyped(part)));

const isTyped = (part: object): boolean => 'type' in part && typeof part.type === 'string';

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z
    .unknown()
    .refine(isContent, { error: 'must be a string, null or an array of parts with a type' }),
});

const objectArray = z.array(z.looseObject({}));

export const chatSchema = z.looseObject({
  ...generation,
  messages: z.array(message).min(1, { error: 'must not be empty' }),
  max_completion_tokens: optional(positive),
  logprobs: optional(z.boolean()),
  top_logprobs: optional(wholeNumber.min(0).max(MAX_TOP_LOGPROBS)),
  tools: optional(objectArray),
  response_format: optional(z.looseObject({ type: z.string() })),
  parallel_tool_calls: optional(z.boolean()),
});

const isTokenIds = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (id) => typeof id === 'number' && Number.isInteger(id) && id >= 0 && id <= MAX_TOKEN_ID,
  );

const isPrompt = (value: unknown): boolean =>
  typeof value === 'string' ||
  isTokenIds(value) ||
  (Array.isArray(value) &&
    value.length > 0 &&
    (value.every((item) => typeof item === 'string') || value.every(isTokenIds)));

export const completionSchema = z.looseObject({
  ...generation,
  prompt: z.unknown().refine(isPrompt, {
    error:
      'must be a string, a non-empty array of token ids (whole numbers from 0), or a non-empty array of those',
  }),
  best_of: optional(positive.max(MAX_CHOICES)),
  echo: optional(z.boolean()),
  logprobs: optional(wholeNumber.min(0).max(MAX_TOP_LOGPROBS)),
  suffix: optional(z.string()),
});
