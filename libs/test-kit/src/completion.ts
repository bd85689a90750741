import { readStream, send, type AnswerBody } from './http-client.ts';

export interface CompletionBody {
  model: string;
  prompt: string | number[];
  max_tokens: number;
  [field: string]: unknown;
}

/** A whole answer of /v1/completions, streamed or not, as a test wants to see it. */
export interface Completion {
  text: string;
  tokenIds: number[];
  finishReason: string | null;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  /** With `logprobs` in the request: of each token, and of its alternatives by their text. */
  logprobs: { token: string; logprob: number; top: Record<string, number> }[];
  headers: Headers;
  /** From sending the request to the first byte of text, and to the second event with text; streamed answers only. */
  firstTokenMs: number;
  secondTokenMs: number;
  endMs: number;
}

/** Calls /v1/completions of a gateway or of an engine. Throws with the body when the status is not 200. */
export async function complete(
  baseUrl: string,
  body: CompletionBody,
  signal?: AbortSignal,
): Promise<Completion> {
  const sentAt = performance.now();
  const isStream = body['stream'] === true;
  const fields = {
    return_token_ids: true,
    ...(isStream ? { stream_options: { include_usage: true } } : {}),
    ...body,
  };
  const response = await send(baseUrl, '/v1/completions', fields, { signal });
  if (response.status !== 200) {
    throw new Error(`${response.status} ${await response.text()}`);
  }
  const completion: Completion = {
    text: '',
    tokenIds: [],
    finishReason: null,
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    logprobs: [],
    headers: response.headers,
    firstTokenMs: 0,
    secondTokenMs: 0,
    endMs: 0,
  };
  if (!isStream) {
    take(completion, (await response.json()) as AnswerBody, sentAt);
  } else {
    const { done } = await readStream(response, (chunk) => take(completion, chunk, sentAt));
    if (!done) throw new Error('the stream ended without [DONE]');
  }
  completion.endMs = performance.now() - sentAt;
  return completion;
}

function take(completion: Completion, chunk: AnswerBody, sentAt: number): void {
  if (chunk.error !== undefined) throw new Error(chunk.error.message);
  const choice = chunk.choices[0];
  if (choice !== undefined) {
    completion.text += choice.text ?? '';
    const tokenIds = choice.token_ids ?? [];
    if (tokenIds.length > 0) {
      const nowMs = performance.now() - sentAt;
      if (completion.tokenIds.length === 0) completion.firstTokenMs = nowMs;
      else if (completion.secondTokenMs === 0) completion.secondTokenMs = nowMs;
    }
    completion.tokenIds.push(...tokenIds);
    choice.logprobs?.tokens?.forEach((token, i) => {
      completion.logprobs.push({
        token,
        logprob: choice.logprobs?.token_logprobs?.[i] ?? NaN,
        top: choice.logprobs?.top_logprobs?.[i] ?? {},
      });
    });
    completion.finishReason = choice.finish_reason ?? completion.finishReason;
  }
  if (chunk.usage != null) {
    completion.promptTokens = chunk.usage.prompt_tokens;
    completion.completionTokens = chunk.usage.completion_tokens;
    completion.cachedTokens = chunk.usage.prompt_tokens_details?.cached_tokens ?? 0;
  }
}

/** `count` token ids of printable characters, different for each seed. */
export function randomPrompt(seed: number, count: number): number[] {
  let state = (seed * 2654435761 + 12345) >>> 0 || 1;
  return Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return FIRST_BYTE_TOKEN + 32 + ((state >>> 0) % 90);
  });
}

/** `count` printable characters, each one token of the generated model, different for each seed. */
export function randomText(seed: number, count: number): string {
  return String.fromCharCode(...randomPrompt(seed, count).map((id) => id - FIRST_BYTE_TOKEN));
}

/** Token of byte 0 in the generated model's vocabulary. */
const FIRST_BYTE_TOKEN = 5;
