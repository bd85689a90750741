import { fieldError, MAX_TOKEN_ID } from '@baton/openai';
import { z } from 'zod';

interface LegBase {
  /** Empty for a request that no conductor planned. */
  planId: string;
  /** Prompt tokens from the first on that a prefix transfer of the plan brings to this worker. */
  prefixTokens: number;
}

/** What this engine does for a request. */
export type Leg = LegBase &
  (
    | {
        /** Computes the prompt, samples one token, hands both over. */
        kind: 'prefill';
        decodeHeldTokens: number;
      }
    | {
        /** Waits for the handover and goes on from token 2. */
        kind: 'decode';
      }
    | {
        /** The handover failed: computes what is missing, then the tokens that were sampled before, and goes on. */
        kind: 'recompute';
        resumeTokens: Int32Array;
      }
    | { kind: 'aggregated' }
  );

/** Names of legs in RequestEnded and in spans. */
export type LegName = 'prefill' | 'decode' | 'aggregated';

export function legName(leg: Leg): LegName {
  return leg.kind === 'recompute' ? 'decode' : leg.kind;
}

const MAX_PLAN_ID_LENGTH = 128;
/** A recompute leg resumes from token 1; a migration may bring more. */
const MAX_RESUME_TOKENS = 1 << 20;

const planId = z
  .string()
  .min(1, { error: 'must not be empty' })
  .max(MAX_PLAN_ID_LENGTH, { error: 'is too long' });
const count = z.int().min(0).max(MAX_TOKEN_ID);

/** Shape of `kv_transfer_params`; which fields go together is checked by {@link readLeg}. */
export const kvTransferSchema = z.looseObject({
  do_remote_decode: z.boolean().nullish(),
  do_remote_prefill: z.boolean().nullish(),
  baton: z
    .strictObject({
      plan_id: planId.nullish(),
      decode_held_tokens: count.nullish(),
      prefix_tokens: count.nullish(),
      resume_token_ids: z.array(count).max(MAX_RESUME_TOKENS).nullish(),
    })
    .nullish(),
});

export type KvTransferParams = z.infer<typeof kvTransferSchema>;

/** @throws BatonError naming the field when the parameters contradict each other. */
export function readLeg(params: KvTransferParams | null | undefined): Leg {
  const { plan_id, decode_held_tokens, prefix_tokens, resume_token_ids } = params?.baton ?? {};
  const base: LegBase = { planId: plan_id ?? '', prefixTokens: prefix_tokens ?? 0 };
  const resumeTokens = Int32Array.from(resume_token_ids ?? []);
  const isPrefill = params?.do_remote_decode === true;
  const isDecode = params?.do_remote_prefill === true;
  if (isPrefill && isDecode) {
    throw refuse('do_remote_prefill', 'one leg is either prefill or decode, not both');
  }
  if (resumeTokens.length > 0 && (isPrefill || isDecode)) {
    throw refuse('baton.resume_token_ids', 'only a leg that computes its own prompt can resume');
  }
  if (isPrefill) {
    return { ...base, kind: 'prefill', decodeHeldTokens: decode_held_tokens ?? 0 };
  }
  if (isDecode) {
    if (typeof plan_id !== 'string') throw refuse('baton.plan_id', 'is required for a handover');
    return { ...base, kind: 'decode' };
  }
  if (resumeTokens.length > 0) return { ...base, kind: 'recompute', resumeTokens };
  return { ...base, kind: 'aggregated' };
}

function refuse(field: string, reason: string): Error {
  const path = `kv_transfer_params.${field}`;
  return fieldError('invalid_request', path, `${path}: ${reason}`);
}
