import { post, type HttpAnswer } from '@baton/test-kit';
import type { StandIn } from '../stand-in.ts';

export const MODEL = 'stand-in';
export const COMPLETIONS = '/v1/completions';
export const CHAT = '/v1/chat/completions';

/** What NixlConnector wants to hear of a prompt that another engine will decode. */
export const FOR_DECODE = {
  do_remote_decode: true,
  do_remote_prefill: false,
  remote_engine_id: null,
  remote_block_ids: null,
  remote_host: null,
  remote_port: null,
};

export type Params = Record<string, unknown>;

/** Posts with a request id, as a gateway does. */
export function ask(
  engine: StandIn,
  body: object,
  requestId = 'request-1',
  path = COMPLETIONS,
): Promise<HttpAnswer> {
  const headers = { 'x-request-id': requestId };
  return post(engine.url, path, { model: MODEL, return_token_ids: true, ...body }, { headers });
}

/** Asks for the prompt's KV to be kept, and gives what the engine says of it. */
export async function prefill(
  engine: StandIn,
  body: object,
  requestId = 'request-1',
  path = COMPLETIONS,
): Promise<Params> {
  const cut = { ...body, max_tokens: 1, stream: false, kv_transfer_params: FOR_DECODE };
  const answer = await ask(engine, cut, requestId, path);
  const { kv_transfer_params: params } = answer.body;
  if (!params) throw new Error(`no parameters but ${JSON.stringify(answer.body)}`);
  return { ...params };
}

export function tokensIn(answer: HttpAnswer): number[] {
  const [choice] = answer.body.choices ?? [];
  if (!choice?.token_ids) throw new Error(`no tokens but ${JSON.stringify(answer.body)}`);
  return choice.token_ids;
}
