import type { ConcurrentProtocol, LegCall, LegRequest, Rendezvous } from '../engine-protocol.ts';
import { answeringCall, oneTokenCall } from '../leg-call.ts';
import { vllmProtocol } from './vllm-protocol.ts';

/**
 * vLLM with NixlPushConnector: decode tells prefill where its blocks are, and prefill writes into them when it is done.
 * Prefill finds whose they are by the request id, which therefore is another one for each attempt.
 */
export const nixlPushProtocol: ConcurrentProtocol = {
  order: 'concurrent',
  prefillGoesOn: true,
  aggregated: vllmProtocol.aggregated,
  prefill: (request, rendezvous) =>
    together(
      oneTokenCall(request, {
        kv_transfer_params: { do_remote_decode: true, do_remote_prefill: false },
      }),
      request,
      rendezvous,
    ),
  decode: (request, rendezvous) => {
    const { host, port, engineIds, tensorRanks, pipelineRanks } = rendezvous.at;
    const rank = rendezvous.rank ?? 0;
    const params = {
      do_remote_prefill: true,
      do_remote_decode: false,
      remote_engine_id: engineIds[rank] ?? '',
      remote_host: host,
      // Each rank listens at a port of its own.
      remote_port: port + rank,
      tp_size: tensorRanks,
      pp_size: pipelineRanks,
      // Checked to be there, and of no use here.
      remote_request_id: requestId(request, rendezvous),
    };
    return together(answeringCall(request, { kv_transfer_params: params }), request, rendezvous);
  },
  atRank: vllmProtocol.atRank,
  readAccounting: vllmProtocol.readAccounting,
};

function together(call: LegCall, request: LegRequest, rendezvous: Rendezvous): LegCall {
  return { ...call, headers: { 'x-request-id': requestId(request, rendezvous) } };
}

function requestId({ planId }: LegRequest, { id }: Rendezvous): string {
  return `${planId}-${id}`;
}
