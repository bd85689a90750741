import { SseDecoder } from '@baton/openai';

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

interface Chunk {
  error?: { message: string };
  choices: {
    text?: string;
    token_ids?: number[] | null;
    finish_reason: string | null;
    logprobs?: {
      tokens: string[];
      token_logprobs: (number | null)[];
      top_logprobs: (Record<string, number> | null)[] | null;
    } | null;
  }[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    prompt_tokens_details?: { cached_tokens: number } | null;
  } | null;
}

/** Calls /v1/completions of a gateway or of an engine. Throws with the body when the status is not 200. */
export async function complete(
  baseUrl: string,
  body: CompletionBody,
  signal?: AbortSignal,
): Promise<Completion> {
  const sentAt = performance.now();
  const response = await fetch(`${baseUrl}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      return_token_ids: true,
      ...(body['stream'] === true ? { stream_options: { include_usage: true } } : {}),
      ...body,
    }),
    ...(signal === undefined ? {} : { signal }),
  });
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
  if (body['stream'] === true) await readStream(response, completion, sentAt);
  else take(completion, (await response.json()) as Chunk, sentAt);
  completion.endMs = performance.now() - sentAt;
  return completion;
}

async function readStream(
  response: Response,
  completion: Completion,
  sentAt: number,
): Promise<void> {
  const decoder = new SseDecoder();
  let isDone = false;
  if (response.body === null) throw new Error('a stream without a body');
  for await (const bytes of response.body) {
    for (const data of decoder.push(bytes)) {
      if (data === '[DONE]') isDone = true;
      else take(completion, JSON.parse(data) as Chunk, sentAt);
    }
  }
  if (!isDone) throw new Error('the stream ended without [DONE]');
}

function take(completion: Completion, chunk: Chunk, sentAt: number): void {
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
    choice.logprobs?.tokens.forEach((token, i) => {
      completion.logprobs.push({
        token,
        logprob: choice.logprobs?.token_logprobs[i] ?? NaN,
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
