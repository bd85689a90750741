/** Answer of `/tokenize`. */
export interface TokenizeAnswer {
  count: number;
  /** Prompt and output together, tokens; 0 where it says nothing that can be. */
  max_model_len: number;
  tokens: number[];
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** Undefined when the body is not what `/tokenize` answers with. By hand: a prompt has thousands of tokens. */
export function readTokenizeAnswer(body: unknown): TokenizeAnswer | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { count, max_model_len: window, tokens }: Record<string, unknown> = { ...body };
  if (!isCount(count) || !Array.isArray(tokens)) return undefined;
  if (tokens.length !== count || !tokens.every(isCount)) return undefined;
  // Of SGLang it is the tokenizer's, which may be 10^30, or -1.
  return { count, max_model_len: isCount(window) ? window : 0, tokens };
}
