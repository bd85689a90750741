import type { JsonObject, Read, TurnKept } from '../engine-protocol.ts';
import { asObject, countAt, isCount } from '../json-fields.ts';
import { readPlace } from './nixl-params.ts';

/** Token ids are below. */
const TOKEN_IDS = 2 ** 32;

/**
 * What a decode engine with `bidirectional_kv_xfer` says at the end of an answer (vLLM from 0.21 on; chunks of streams have
 * none of it). Checked as strictly as what a prefill says: prefill reads from the blocks that are named, as many tokens as
 * are named, whatever prompt it has.
 */
export function readNixlTurn(answer: unknown, blockTokens: number): Read<TurnKept | undefined> {
  const whole = asObject(answer);
  const said = asObject(whole?.['kv_transfer_params']);
  if (said === undefined) return { ok: true, value: undefined };
  const promptTokens = countAt(said, 'remote_num_tokens') ?? 0;
  if (promptTokens === 0) return { ok: false, reason: 'kv_transfer_params: no remote_num_tokens' };
  const read = readPlace(said, 'do_remote_decode', { promptTokens, blockTokens });
  if (!read.ok) return read;
  const request = said['remote_request_id'];
  if (typeof request !== 'string' || request === '') {
    return { ok: false, reason: 'kv_transfer_params: remote_request_id is no text' };
  }
  return { ok: true, value: { params: said, tokenIds: keptTokens(whole, promptTokens) } };
}

/** Of a chat the answer has the prompt's tokens, of a completion its choice. */
function keptTokens(answer: JsonObject | undefined, count: number): readonly number[] | undefined {
  const choices = answer?.['choices'];
  const choice = Array.isArray(choices) && choices.length === 1 ? asObject(choices[0]) : undefined;
  const prompt = answer?.['prompt_token_ids'] ?? choice?.['prompt_token_ids'];
  const output = choice?.['token_ids'];
  if (!isTokenList(prompt) || !isTokenList(output)) return undefined;
  const all = [...prompt, ...output];
  return all.length < count ? undefined : all.slice(0, count);
}

function isTokenList(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((id) => isCount(id) && id < TOKEN_IDS);
}
