import { DONE, SseDecoder } from '@baton/openai';
import { MODEL } from './test-fleet.ts';

export const chatBody = (more: object = {}) => ({
  model: MODEL,
  messages: [{ role: 'user', content: 'Hello there' }],
  ...more,
});

export const completionBody = (more: object = {}) => ({ model: MODEL, prompt: 'Hello', ...more });

export function post(
  url: string,
  path: string,
  body: unknown,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });
}

export const CHAT = '/v1/chat/completions';
export const COMPLETION = '/v1/completions';

export interface Chunk {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: {
    delta?: { role?: string; content?: string };
    text?: string;
    finish_reason: string | null;
    token_ids?: number[];
    prompt_token_ids?: number[];
    logprobs?: { content?: { token: string }[]; tokens?: string[]; text_offset?: number[] } | null;
  }[];
  prompt_token_ids?: number[];
  usage?: Record<string, unknown> | null;
  error?: { code: string; message: string; type: string; param: string | null };
}

export interface Streamed {
  chunks: Chunk[];
  text: string;
  /** True when the stream ended with its `[DONE]` and nothing behind it. */
  done: boolean;
  error: Chunk['error'];
}

/** Reads a streamed answer to its end. */
export async function readStream(response: Response): Promise<Streamed> {
  const decoder = new SseDecoder();
  const events: string[] = [];
  for await (const bytes of response.body ?? []) events.push(...decoder.push(bytes));
  if (decoder.end()) throw new Error('the stream ended within an event');
  const done = events.at(-1) === DONE;
  const chunks = (done ? events.slice(0, -1) : events).map((data) => JSON.parse(data) as Chunk);
  const text = chunks
    .flatMap((chunk) => chunk.choices ?? [])
    .map((choice) => choice.text ?? choice.delta?.content ?? '')
    .join('');
  return { chunks, text, done, error: chunks.find((chunk) => chunk.error)?.error };
}
