import type {
  JsonObject,
  LegKind,
  PromptAccounting,
  SequentialProtocol,
} from '../engine-protocol.ts';
import { cachedAccounting } from '../cached-accounting.ts';
import { asObject } from '../json-fields.ts';
import { answeringCall, oneTokenCall } from '../leg-call.ts';
import { atVllmRank } from './data-parallel.ts';
import { readNixlParams } from './nixl-params.ts';
import { readNixlTurn } from './nixl-turn.ts';

/** What NixlConnector wants to hear of a prompt that another engine will decode. */
const FOR_DECODE: JsonObject = {
  do_remote_decode: true,
  do_remote_prefill: false,
  remote_engine_id: null,
  remote_block_ids: null,
  remote_host: null,
  remote_port: null,
};

/**
 * vLLM as it is, alone or with NixlConnector, whose decode side reads the KV from the prefill side by itself; with
 * `bidirectional_kv_xfer` the prefill side also reads the turn before from a decode side.
 */
export const vllmProtocol: SequentialProtocol = {
  order: 'sequential',
  movedBy: 'engines',
  aggregated: (request) => answeringCall(request, {}),
  prefill: (request, { keptTurn = FOR_DECODE }) =>
    oneTokenCall(request, { kv_transfer_params: keptTurn }),
  decode: (request, params, tellsTokens = false) =>
    answeringCall(request, {
      kv_transfer_params: params,
      ...(tellsTokens && { return_token_ids: true }),
    }),
  atRank: atVllmRank,
  readHandover: (answer, facts) => readNixlParams(asObject(answer)?.['kv_transfer_params'], facts),
  readTurn: readNixlTurn,
  readAccounting: readUsage,
};

/**
 * From `usage.prompt_tokens_details`, which vLLM gives with --enable-prompt-tokens-details. Of a decode leg nothing is
 * known: vLLM tells there what prefill had found in its cache, and not what decode had, read or computed (seen with
 * 0.32.0).
 */
export function readUsage(answer: unknown, leg: LegKind): PromptAccounting | undefined {
  return leg === 'decode' ? undefined : cachedAccounting(answer);
}
