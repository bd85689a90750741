import type { Fault, LegKind } from './engine-stand-in.ts';
import { STAND_IN_REUSED } from './engine-stand-in.ts';

/** What one leg has to say: words `first` to `end`, exclusive. */
export interface Output {
  kind: LegKind;
  body: Record<string, unknown>;
  isChat: boolean;
  id: string;
  planId: string;
  first: number;
  end: number;
  reason: string;
  promptTokens: number;
  /** Value of an engine-only field of each chunk; none when empty. */
  padding: string;
  /** Of vLLM: where the prompt's KV is, for decode. */
  nixlParams?: object | null;
}

/** Word i of every answer: text that looks like framing, and characters of two and four bytes. */
export function word(index: number): string {
  return [`w${index}é `, 'data: [DONE]\n\n', '😀', '"usage":{"role"', '漢', '\\ '][index % 6] ?? '';
}

export function wordsFrom(first: number, end: number): string {
  return Array.from({ length: Math.max(0, end - first) }, (_, i) => word(first + i)).join('');
}

export const tokenIdOf = (index: number): number => 1_000 + index;

function accounting({ kind, promptTokens }: Output): Record<string, number> {
  const reused = Math.min(STAND_IN_REUSED, promptTokens - 1);
  const moved = kind === 'decode' ? promptTokens - reused : 0;
  return {
    prompt_tokens: promptTokens,
    reused_tokens: reused,
    transferred_tokens: moved,
    computed_tokens: promptTokens - reused - moved,
  };
}

function transferParams(output: Output): object | null {
  if (output.nixlParams !== undefined) return output.nixlParams;
  const isPrefill = output.kind === 'prefill';
  return {
    do_remote_prefill: isPrefill,
    do_remote_decode: false,
    baton: {
      plan_id: output.planId,
      ...(isPrefill && { token_ids: [tokenIdOf(0)] }),
      accounting: accounting(output),
    },
  };
}

function usage(output: Output): object {
  const { promptTokens, end, nixlParams } = output;
  const isVllm = nixlParams !== undefined;
  // vLLM's decode tells what prefill had in its cache.
  const cached = isVllm ? STAND_IN_REUSED : 7;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: end,
    total_tokens: promptTokens + end,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function logprobs(output: Output, first: number, end: number): unknown {
  const { body, isChat } = output;
  if (!body['logprobs']) return null;
  const indexes = Array.from({ length: end - first }, (_, i) => first + i);
  if (isChat) {
    const entry = (i: number) => ({ token: word(i), logprob: -i, bytes: null, top_logprobs: [] });
    return { content: indexes.map(entry) };
  }
  // Offsets count from the beginning of the leg, as in an engine that knows nothing of the first token.
  return {
    tokens: indexes.map(word),
    token_logprobs: indexes.map((i) => -i),
    top_logprobs: null,
    text_offset: indexes.map((i) => wordsFrom(output.first, i).length),
  };
}

const base = (output: Output, object: string) => ({
  id: output.id,
  object,
  created: 1,
  model: 'engine-name',
});

const ids = (output: Output, first: number, end: number) =>
  output.body['return_token_ids'] === true
    ? { token_ids: Array.from({ length: end - first }, (_, i) => tokenIdOf(first + i)) }
    : {};

const promptIds = (output: Output) =>
  output.body['return_token_ids'] === true
    ? { prompt_token_ids: Array.from({ length: output.promptTokens }, (_, i) => i) }
    : {};

export function renderWhole(output: Output, fault: Fault | undefined): object {
  const { first, end, isChat, kind } = output;
  const text = wordsFrom(first, end);
  const choice = {
    index: 0,
    ...(isChat ? { message: { role: 'assistant', content: text, refusal: null } } : { text }),
    logprobs: logprobs(output, first, end),
    finish_reason: fault?.kind === 'no finish' ? null : output.reason,
    stop_reason: null,
    ...ids(output, first, end),
    ...(isChat ? {} : promptIds(output)),
  };
  return {
    ...base(output, isChat ? 'chat.completion' : 'text_completion'),
    choices: fault?.kind === 'malformed' ? [] : [choice],
    ...(isChat ? promptIds(output) : {}),
    system_fingerprint: `fp-${kind}`,
    usage: usage(output),
    kv_transfer_params: fault?.kind === 'no parameters' ? null : transferParams(output),
  };
}

const event = (data: object | string) =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** Events of a stream, one a token; with a fault they end early and without a `[DONE]`. */
export function* renderChunks(output: Output, fault: Fault | undefined): Generator<string> {
  const { first, end, isChat } = output;
  const envelope = base(output, isChat ? 'chat.completion.chunk' : 'text_completion');
  if (isChat) {
    const choice = { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null };
    yield event({ ...envelope, choices: [choice], ...promptIds(output), usage: null });
  }
  const limit = fault !== undefined && 'after' in fault ? fault.after : undefined;
  for (let i = first; i < end; i++) {
    if (limit !== undefined && i - first >= limit) break;
    const last = i === end - 1;
    const choice = {
      index: 0,
      ...(isChat ? { delta: { content: word(i) } } : { text: word(i) }),
      logprobs: logprobs(output, i, i + 1),
      finish_reason: last ? output.reason : null,
      ...(last && { stop_reason: null }),
      ...ids(output, i, i + 1),
      ...(output.padding !== '' && { padding: output.padding }),
    };
    const firstIds = !isChat && i === first ? promptIds(output) : {};
    yield event({ ...envelope, choices: [{ ...choice, ...firstIds }], usage: null });
  }
  if (limit !== undefined) {
    if (fault?.kind === 'error event') {
      yield event({ error: { message: 'it broke', code: 'engine_failed' } });
    }
    if (fault?.kind === 'malformed') yield event('{"id":');
    if (fault?.kind === 'no finish') yield event('[DONE]');
    return;
  }
  const last = { choices: [], usage: usage(output), kv_transfer_params: transferParams(output) };
  yield event({ ...envelope, ...last });
  yield event('[DONE]');
}
