import type { Pool } from '@baton/cluster';
import { KEY_BYTES, sameAdapter, type ErrorCode } from '@baton/kv';
import type { PlanRequest } from './inputs.ts';

/** Longest prompt that is planned. */
const MAX_PROMPT_SEGMENTS = 16_384;

export interface RequestProblem {
  code: ErrorCode;
  message: string;
}

/** What is wrong with a request for good; undefined when it can be planned in this pool. */
export function requestProblem(
  request: PlanRequest,
  pool: Pool | undefined,
): RequestProblem | undefined {
  if (pool === undefined) {
    const message = `no worker serves the model "${request.model}"`;
    return { code: 'model_not_found', message };
  }
  return adapterProblem(request, pool) ?? promptProblem(request, pool);
}

function adapterProblem({ adapter }: PlanRequest, pool: Pool): RequestProblem | undefined {
  if (adapter === undefined) return undefined;
  const served = pool.adapters.get(adapter.name);
  if (served === undefined) {
    const message = `no worker of the model "${pool.model}" has the adapter "${adapter.name}"`;
    return { code: 'model_not_found', message };
  }
  if (sameAdapter(served, adapter)) return undefined;
  // Its keys are those of other weights; whoever asks again finds those of now.
  const message = `the adapter "${adapter.name}" has just got other weights`;
  return { code: 'no_worker', message };
}

function promptProblem(
  { promptTokens, maxOutputTokens, segmentKeys }: PlanRequest,
  pool: Pool,
): RequestProblem | undefined {
  const invalid = (message: string) => ({ code: 'invalid_request' as const, message });
  if (!Number.isSafeInteger(promptTokens) || promptTokens < 1) {
    return invalid('prompt_tokens must be at least 1');
  }
  if (!Number.isSafeInteger(maxOutputTokens) || maxOutputTokens < 0) {
    return invalid('max_output_tokens must not be negative');
  }
  const segments = Math.floor(promptTokens / pool.segmentTokens);
  if (segmentKeys.length !== segments * KEY_BYTES) {
    const expected = `${segments} keys of ${KEY_BYTES} bytes`;
    return invalid(`segment_keys must be ${expected}, not ${segmentKeys.length} bytes`);
  }
  const wanted = promptTokens + Math.max(1, maxOutputTokens);
  if (wanted > pool.maxModelTokens || segments > MAX_PROMPT_SEGMENTS) {
    const message =
      `${promptTokens} prompt tokens and ${Math.max(1, maxOutputTokens)} output tokens exceed ` +
      `the context of ${pool.maxModelTokens} tokens`;
    return { code: 'context_length_exceeded', message };
  }
  return undefined;
}
