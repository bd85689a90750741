import { checkBody, fieldError } from '@baton/openai';
import { z } from 'zod';
import { kvTransferSchema } from '../generation/legs.ts';

/** Longest salt that a tenant may use, characters. */
const MAX_SALT_LENGTH = 512;
/** As many stop strings as one request can be searched for without a thought. */
const MAX_STOPS = 16;
const MAX_STOP_LENGTH = 256;

const stopString = z
  .string()
  .min(1, { error: 'must not be empty' })
  .max(MAX_STOP_LENGTH, { error: `must have at most ${MAX_STOP_LENGTH} characters` })
  .refine((text) => text.isWellFormed(), { error: 'must be well-formed Unicode' });

/** Fields of vLLM that this engine knows beside OpenAI's own. */
const engineSchema = z.looseObject({
  top_k: z.int().min(-1).nullish(),
  min_p: z.number().min(0).max(1).nullish(),
  ignore_eos: z.boolean().nullish(),
  return_token_ids: z.boolean().nullish(),
  add_special_tokens: z.boolean().nullish(),
  add_generation_prompt: z.boolean().nullish(),
  chat_template_kwargs: z.record(z.string(), z.unknown()).nullish(),
  cache_salt: z
    .string()
    .min(1, { error: 'must not be empty' })
    .max(MAX_SALT_LENGTH, { error: `must have at most ${MAX_SALT_LENGTH} characters` })
    .nullish(),
  stop: z
    .union([stopString, z.array(stopString).max(MAX_STOPS)], {
      error: `must be a string or at most ${MAX_STOPS} of them, none of them empty or longer than ${MAX_STOP_LENGTH} characters`,
    })
    .nullish(),
  kv_transfer_params: kvTransferSchema.nullish(),
});

export type EngineFields = z.infer<typeof engineSchema>;

const absent = (): boolean => false;
const is =
  (...neutral: unknown[]) =>
  (value: unknown): boolean =>
    neutral.includes(value);
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** What would change the answer and cannot be done here, each with the values that ask for nothing. */
const UNSUPPORTED: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: is(1),
  best_of: is(1),
  echo: is(false),
  suffix: is(''),
  logit_bias: isEmpty,
  repetition_penalty: is(1),
  use_beam_search: is(false),
  min_tokens: is(0),
  stop_token_ids: isEmpty,
  bad_words: isEmpty,
  allowed_token_ids: isEmpty,
  prompt_logprobs: absent,
  prompt_embeds: absent,
  truncate_prompt_tokens: absent,
  include_stop_str_in_output: is(false),
  skip_special_tokens: is(true),
  continue_final_message: is(false),
  chat_template: absent,
  tools: isEmpty,
  functions: isEmpty,
  structured_outputs: absent,
  response_format: (value) =>
    typeof value === 'object' && value !== null && 'type' in value && value.type === 'text',
};

/** @throws BatonError that names the field. */
export function readEngineFields(body: object): EngineFields {
  const checked = checkBody<EngineFields>(body, engineSchema);
  if (!checked.ok) throw checked.error;
  const fields: Record<string, unknown> = { ...body };
  for (const [field, isNeutral] of Object.entries(UNSUPPORTED)) {
    const value = fields[field];
    if (value === undefined || value === null || isNeutral(value)) continue;
    throw fieldError('unsupported_parameter', field, `${field}: this engine cannot do that.`);
  }
  if (fields['stream_options'] && fields['stream'] !== true) {
    const field = 'stream_options';
    throw fieldError('invalid_request', field, `${field}: only allowed with stream: true`);
  }
  return checked.request;
}
