import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../http/json-object.ts';

/** What an engine says of KV that it keeps, in the order in which vLLM 0.32 writes it. */
export interface NixlParams {
  /** Of a prefill, which keeps a prompt for decode. */
  do_remote_prefill: boolean;
  /** Of a decode, which keeps a turn for the prefill of the next one. */
  do_remote_decode: boolean;
  /** Physical blocks for each KV cache group; here there is one. */
  remote_block_ids: number[][];
  remote_engine_id: string;
  remote_request_id: string;
  remote_host: string;
  remote_port: number;
  tp_size: number;
  dcp_size: number;
  pp_size: number;
  remote_num_tokens: number;
  /** By a clock of decode's own, seconds; only of a decode. */
  remote_blocks_expiry_time: number | null;
  transfer_mode: 'pull';
  /** Only of a prefill. */
  remote_prefill_cached_tokens?: number;
}

/** What of the parameters of who reads vLLM cannot do without. */
export interface ReadParams {
  blockIds: readonly number[];
  engineId: string;
  requestId: string;
  host: string;
  port: number;
}

/** Undefined when something is missing: then vLLM's engine dies. */
export function readParams(params: JsonObject): ReadParams | undefined {
  const { remote_block_ids, remote_engine_id, remote_request_id, remote_host, remote_port } =
    params;
  const groups: unknown[] = Array.isArray(remote_block_ids) ? remote_block_ids : [];
  const blockIds: unknown = Array.isArray(groups[0]) ? groups[0] : groups;
  if (!Array.isArray(blockIds) || !blockIds.every((id) => typeof id === 'number')) return undefined;
  if (typeof remote_engine_id !== 'string' || typeof remote_request_id !== 'string') {
    return undefined;
  }
  if (typeof remote_host !== 'string' || typeof remote_port !== 'number') return undefined;
  return {
    blockIds,
    engineId: remote_engine_id,
    requestId: remote_request_id,
    host: remote_host,
    port: remote_port,
  };
}

/** Names of the fields that are not as they were given. */
export function changedFields(given: NixlParams, used: JsonObject): string[] {
  const names = new Set([...Object.keys(given), ...Object.keys(used)]);
  return [...names].filter(
    (name) => !isDeepStrictEqual(given[name as keyof NixlParams], used[name]),
  );
}
