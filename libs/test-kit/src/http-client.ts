import { DONE, SseDecoder } from '@baton/openai';

/** The fields of answers and of their chunks that tests read; which of them are there depends on the request. */
export interface AnswerBody {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: {
    index: number;
    text?: string;
    message?: { role: string; content: string };
    delta?: { role?: string; content?: string };
    finish_reason: string | null;
    stop_reason?: string | null;
    token_ids?: number[] | null;
    prompt_token_ids?: number[];
    logprobs?: {
      content?: { token: string }[];
      tokens?: string[];
      text_offset?: number[];
      token_logprobs?: (number | null)[];
      top_logprobs?: (Record<string, number> | null)[] | null;
    } | null;
  }[];
  prompt_token_ids?: number[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    prompt_tokens_details?: { cached_tokens: number } | null;
  } | null;
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
  signal?: AbortSignal | undefined;
}

/** Posts JSON, or text as it is. */
export async function send(
  url: string,
  path: string,
  body: object | string,
  { headers = {}, signal }: PostOptions = {},
): Promise<Response> {
  return await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

/** Posts JSON (or text as it is) and reads JSON. */
export async function post(...request: Parameters<typeof send>): Promise<HttpAnswer> {
  const response = await send(...request);
  const text = await response.text();
  const json = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body: json as AnswerBody };
}

/** Posts with `stream: true` and gives the data of the events, `[DONE]` included. */
export async function* postStream(
  url: string,
  path: string,
  body: object,
  options: PostOptions = {},
): AsyncGenerator<string, void> {
  yield* eventsOf(await send(url, path, { ...body, stream: true }, options));
}

async function* eventsOf(response: Response): AsyncGenerator<string, void> {
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200 || !type.startsWith('text/event-stream')) {
    throw new Error(`no stream but ${response.status} ${type}: ${await response.text()}`);
  }
  const decoder = new SseDecoder();
  for await (const bytes of response.body ?? []) yield* decoder.push(bytes);
  if (decoder.end()) throw new Error('the stream ended within an event');
}

export interface Streamed {
  chunks: AnswerBody[];
  text: string;
  /** True when the stream ended with its `[DONE]` and nothing behind it. */
  done: boolean;
  error: AnswerBody['error'];
}

/** Reads a streamed answer to its end; `onChunk` hears of each chunk when it comes. */
export async function readStream(
  response: Response,
  onChunk: (chunk: AnswerBody) => void = () => undefined,
): Promise<Streamed> {
  const chunks: AnswerBody[] = [];
  let done = false;
  for await (const data of eventsOf(response)) {
    done = data === DONE;
    if (done) continue;
    const chunk = JSON.parse(data) as AnswerBody;
    chunks.push(chunk);
    onChunk(chunk);
  }
  const text = chunks
    .flatMap((chunk) => chunk.choices ?? [])
    .map((choice) => choice.text ?? choice.delta?.content ?? '')
    .join('');
  return { chunks, text, done, error: chunks.find((chunk) => chunk.error)?.error };
}

/** Posts with `stream: true` and reads to the end, which must be `[DONE]`. */
export async function stream(
  url: string,
  path: string,
  body: object,
  options: PostOptions = {},
): Promise<Streamed> {
  const streamed = await readStream(await send(url, path, { ...body, stream: true }, options));
  if (!streamed.done) throw new Error('the stream has no [DONE] at its end');
  return streamed;
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
