export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens: number } | null;
}

/** @param cachedTokens prompt tokens that no engine computed for this request; undefined where that is not known */
export function makeUsage(
  promptTokens: number,
  completionTokens: number,
  cachedTokens: number | undefined,
): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
  };
}
