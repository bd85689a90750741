import type { ConcurrentProtocol } from '../engine-protocol.ts';
import { answeringCall, oneTokenCall } from '../leg-call.ts';
import { vllmProtocol } from './vllm-protocol.ts';

/**
 * vLLM with MooncakeConnector: both sides are told one transfer id, and decode where prefill's bootstrap server is. What
 * prefill answers has no parameters.
 */
export const mooncakeProtocol: ConcurrentProtocol = {
  order: 'concurrent',
  prefillGoesOn: true,
  aggregated: vllmProtocol.aggregated,
  prefill: (request, { id }) => {
    const { path, body } = oneTokenCall(request, {
      // A prompt whose first token ends the answer is not kept (0.32.0), and decode would wait for it in vain.
      ignore_eos: true,
      kv_transfer_params: {
        do_remote_decode: true,
        do_remote_prefill: false,
        transfer_id: transferId(id),
      },
    });
    delete body['stop_token_ids'];
    return { path, body };
  },
  decode: (request, { id, at: { host, port, engineIds }, rank = 0 }) =>
    answeringCall(request, {
      kv_transfer_params: {
        do_remote_prefill: true,
        do_remote_decode: false,
        remote_bootstrap_addr: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
        remote_engine_id: engineIds[rank] ?? '',
        transfer_id: transferId(id),
      },
    }),
  atRank: vllmProtocol.atRank,
  readAccounting: vllmProtocol.readAccounting,
};

function transferId(id: number): string {
  return `baton-${id}`;
}
