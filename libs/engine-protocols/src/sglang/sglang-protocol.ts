import type {
  ConcurrentProtocol,
  JsonObject,
  LegKind,
  LegRequest,
  PromptAccounting,
  Rendezvous,
} from '../engine-protocol.ts';
import { cachedAccounting } from '../cached-accounting.ts';
import { answeringCall, unstreamedCall } from '../leg-call.ts';

/**
 * SGLang as it is. Of a pair both servers get the request with the address of prefill's bootstrap server and a room
 * that nobody else has; decode's server waits there for the KV and gives the answer from its first token on. A prefill
 * server ends by itself after one token, whatever the limit says: its limit stays the client's.
 */
export const sglangProtocol: ConcurrentProtocol = {
  order: 'concurrent',
  prefillGoesOn: false,
  aggregated: (request) => answeringCall(request, adapterFields(request)),
  prefill: (request, rendezvous) =>
    unstreamedCall(request, { ...adapterFields(request), ...bootstrapFields(rendezvous) }),
  decode: (request, rendezvous) =>
    answeringCall(request, {
      ...adapterFields(request),
      ...bootstrapFields(rendezvous),
      ...(rendezvous.rank !== undefined && { disagg_prefill_dp_rank: rendezvous.rank }),
    }),
  atRank: (call, rank) => ({ ...call, body: { ...call.body, routed_dp_rank: rank } }),
  readAccounting,
};

/** Only vLLM takes an adapter's name for a model's. */
function adapterFields({ adapter }: LegRequest): JsonObject {
  return adapter === undefined ? {} : { model: adapter.model, lora_path: adapter.name };
}

function bootstrapFields({ id, at: { host, port } }: Rendezvous): JsonObject {
  return {
    bootstrap_host: host.includes(':') ? `[${host}]` : host,
    bootstrap_port: port,
    bootstrap_room: id,
  };
}

/**
 * From `usage.prompt_tokens_details`, which SGLang gives with --enable-cache-report, and only where something was
 * cached: nothing is said of a prompt that was computed as a whole. Of a decode leg nothing is known.
 */
function readAccounting(answer: unknown, leg: LegKind): PromptAccounting | undefined {
  return leg === 'decode' ? undefined : cachedAccounting(answer);
}
