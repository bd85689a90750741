import { isDeepStrictEqual } from 'node:util';
import type { LegKind } from './engine-stand-in.ts';

/** Tokens of a block of the stand-ins' KV caches. */
export const STAND_IN_BLOCK = 4;

interface Given {
  params: object;
  requestId: string;
  isUsed: boolean;
}

/** What NixlConnector's prefill sides have said, and whether decode sides keep to it. */
export class VllmHandovers {
  readonly #given = new Map<string, Given>();

  give(workerId: string, requestId: string, promptTokens: number): object {
    const name = `cmpl-${requestId}-0-${this.#given.size}`;
    const blocks = Math.ceil(promptTokens / STAND_IN_BLOCK);
    const params = {
      do_remote_prefill: true,
      do_remote_decode: false,
      remote_block_ids: [Array.from({ length: blocks }, (_, i) => i + 1)],
      remote_engine_id: `engine-of-${workerId}`,
      remote_request_id: name,
      remote_host: '127.0.0.1',
      remote_port: 9_661,
      tp_size: 1,
      remote_num_tokens: promptTokens,
      remote_blocks_expiry_time: null,
      transfer_mode: 'pull',
    };
    this.#given.set(name, { params, requestId, isUsed: false });
    return params;
  }

  /** What is wrong with what decode was sent. */
  take(params: Record<string, unknown>, requestId: string): string | undefined {
    const given = this.#given.get(String(params['remote_request_id']));
    if (given === undefined) return 'handover parameters that nobody gave';
    if (!isDeepStrictEqual(given.params, params)) return 'handover parameters that were changed';
    if (given.isUsed) return 'handover parameters for the second time';
    given.isUsed = true;
    return given.requestId === requestId ? undefined : 'another request id than prefill had';
  }
}

const FOR_DECODE = {
  do_remote_decode: true,
  do_remote_prefill: false,
  remote_engine_id: null,
  remote_block_ids: null,
  remote_host: null,
  remote_port: null,
};

/** Which leg vLLM is asked for. */
export function vllmLegOf(
  body: Record<string, unknown>,
  requestId: string,
  handovers: VllmHandovers,
  complain: (what: string) => void,
): LegKind {
  const params = body['kv_transfer_params'] as Record<string, unknown> | undefined;
  if (params === undefined) return 'aggregated';
  if (params['do_remote_decode'] !== true) {
    const wrong = handovers.take(params, requestId);
    if (wrong !== undefined) complain(wrong);
    return 'decode';
  }
  if (!isDeepStrictEqual(params, FOR_DECODE)) complain('prefill with other handover parameters');
  if (body['stream'] !== false || body['max_tokens'] !== 1) complain('prefill not cut to one');
  if ('stream_options' in body || 'max_completion_tokens' in body) complain('prefill limits');
  return 'prefill';
}
