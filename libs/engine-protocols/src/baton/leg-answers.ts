import type { PrefillOutcome, PromptAccounting, Read } from '../engine-protocol.ts';
import { asObject, countAt, isCount, objectAt } from '../json-fields.ts';

/** Reads `kv_transfer_params.baton.accounting` of an answer or of a stream's last chunk. */
export function readAccounting(answer: unknown): PromptAccounting | undefined {
  const baton = objectAt(objectAt(asObject(answer), 'kv_transfer_params'), 'baton');
  const fields = objectAt(baton, 'accounting');
  const promptTokens = countAt(fields, 'prompt_tokens');
  const reusedTokens = countAt(fields, 'reused_tokens');
  const transferredTokens = countAt(fields, 'transferred_tokens');
  const computedTokens = countAt(fields, 'computed_tokens');
  if (
    promptTokens === undefined ||
    reusedTokens === undefined ||
    transferredTokens === undefined ||
    computedTokens === undefined ||
    promptTokens !== reusedTokens + transferredTokens + computedTokens
  ) {
    return undefined;
  }
  return { promptTokens, reusedTokens, transferredTokens, computedTokens };
}

/**
 * Reads the answer of a prefill leg. Handover parameters that are missing, of another plan or without the sampled
 * token mean that decode would wait in vain, so they are refused here.
 */
export function readPrefill(answer: unknown, planId: string): Read<PrefillOutcome> {
  const params = objectAt(asObject(answer), 'kv_transfer_params');
  if (params === undefined) return { ok: false, reason: 'it carries no kv_transfer_params' };
  if (params['do_remote_prefill'] !== true) {
    return { ok: false, reason: 'kv_transfer_params.do_remote_prefill is not true' };
  }
  const baton = objectAt(params, 'baton');
  if (baton?.['plan_id'] !== planId) {
    return { ok: false, reason: 'kv_transfer_params.baton.plan_id is not that of the plan' };
  }
  const tokenIds = baton['token_ids'];
  if (!Array.isArray(tokenIds) || tokenIds.length !== 1 || !tokenIds.every(isCount)) {
    return { ok: false, reason: 'kv_transfer_params.baton.token_ids is not one token id' };
  }
  const accounting = readAccounting(answer);
  if (accounting === undefined) {
    return { ok: false, reason: 'kv_transfer_params.baton.accounting does not add up' };
  }
  return { ok: true, value: { tokenIds, accounting } };
}
