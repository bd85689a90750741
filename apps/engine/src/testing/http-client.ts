import { SseDecoder } from '@baton/openai';

/** The fields of answers that tests read; which of them are there depends on the request. */
export interface AnswerBody {
  id: string;
  object: string;
  model: string;
  choices: {
    index: number;
    text?: string;
    message?: { role: string; content: string };
    delta?: { role?: string; content?: string };
    finish_reason: string | null;
    stop_reason?: string | null;
    token_ids?: number[];
    prompt_token_ids?: number[];
    logprobs?: unknown;
  }[];
  prompt_token_ids?: number[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    prompt_tokens_details: { cached_tokens: number };
  };
  kv_transfer_params?: {
    do_remote_prefill: boolean;
    baton: {
      plan_id: string;
      token_ids?: number[];
      accounting: Record<
        'prompt_tokens' | 'reused_tokens' | 'transferred_tokens' | 'computed_tokens',
        number
      >;
    };
  } | null;
  error?: { message: string; type: string; param: string | null; code: string };
}

export interface HttpAnswer {
  status: number;
  headers: Headers;
  body: AnswerBody;
}

export interface PostOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Posts JSON (or text as it is) and reads JSON. */
export async function post(
  url: string,
  path: string,
  body: object | string,
  options: PostOptions = {},
): Promise<HttpAnswer> {
  const response = await send(url, path, body, options);
  const text = await response.text();
  const json = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body: json as AnswerBody };
}

/** Data of the events of a stream, `[DONE]` included. */
export async function* postStream(
  url: string,
  path: string,
  body: object,
  options: PostOptions = {},
): AsyncGenerator<string, void> {
  const response = await send(url, path, { ...body, stream: true }, options);
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200 || !type.startsWith('text/event-stream')) {
    throw new Error(`no stream but ${response.status} ${type}: ${await response.text()}`);
  }
  const decoder = new SseDecoder();
  for await (const bytes of response.body ?? []) yield* decoder.push(bytes as Uint8Array);
}

/** All chunks of a stream that must end with `[DONE]`. */
export async function chunksOf(
  url: string,
  path: string,
  body: object,
  options: PostOptions = {},
): Promise<AnswerBody[]> {
  const events: string[] = [];
  for await (const event of postStream(url, path, body, options)) events.push(event);
  if (events.pop() !== '[DONE]') throw new Error('the stream has no [DONE] at its end');
  return events.map((event) => JSON.parse(event) as AnswerBody);
}

/** Text of all chunks, of either API. */
export function textOf(chunks: AnswerBody[]): string {
  return chunks
    .flatMap(({ choices }) => choices.map(({ text, delta }) => text ?? delta?.content ?? ''))
    .join('');
}

/** Samples of a Prometheus text: name with its labels (without `engine` and `model_name`) → value. */
export async function metricsOf(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const samples = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^([a-z:_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!match) continue;
    const labels = (match[2] ?? '')
      .split(',')
      .filter((label) => !/^(engine|model_name)=/.test(label))
      .join(',');
    const name = (match[1] ?? '').replace('vllm:', '');
    samples.set(labels === '' ? name : `${name}{${labels}}`, Number(match[3]));
  }
  return samples;
}

/** Resolves when `holds` does; fails after a time that only a fault exceeds. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = 20_000,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function send(
  url: string,
  path: string,
  body: object | string,
  { headers = {}, signal }: PostOptions,
): Promise<Response> {
  return await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}
