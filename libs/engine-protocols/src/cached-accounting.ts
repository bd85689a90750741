import type { PromptAccounting } from './engine-protocol.ts';
import { asObject, countAt, objectAt } from './json-fields.ts';

/** By `usage.prompt_tokens_details.cached_tokens`; undefined where it is not told, or more than the prompt has. */
export function cachedAccounting(answer: unknown): PromptAccounting | undefined {
  const usage = objectAt(asObject(answer), 'usage');
  const promptTokens = countAt(usage, 'prompt_tokens');
  const cached = countAt(objectAt(usage, 'prompt_tokens_details'), 'cached_tokens');
  if (promptTokens === undefined || cached === undefined || cached > promptTokens) return undefined;
  return {
    promptTokens,
    reusedTokens: cached,
    transferredTokens: 0,
    computedTokens: promptTokens - cached,
  };
}
