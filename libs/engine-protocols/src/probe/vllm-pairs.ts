import type { MeetingPoint } from '@baton/kv';
import { asObject, countAt, objectAt } from '../json-fields.ts';

/** Where a prefill worker's NIXL side listens, as it says with the handover of a prompt. */
export interface NixlPlace extends Omit<MeetingPoint, 'engineIds'> {
  engineId: string;
  /** Whether prefill writes into decode's memory, instead of decode reading from prefill's. */
  pushes: boolean;
}

/** From a prefill's answer of vLLM; undefined when it says nothing of a place. */
export function readNixlPlace(answer: unknown): NixlPlace | undefined {
  const params = objectAt(asObject(answer), 'kv_transfer_params');
  const engineId = params?.['remote_engine_id'];
  const host = params?.['remote_host'];
  const port = countAt(params, 'remote_port');
  if (typeof engineId !== 'string' || engineId === '') return undefined;
  if (typeof host !== 'string' || host === '' || !port) return undefined;
  return {
    ...{ engineId, host, port },
    tensorRanks: countAt(params, 'tp_size') || 1,
    pipelineRanks: countAt(params, 'pp_size') || 1,
    pushes: params?.['transfer_mode'] === 'push',
  };
}

/**
 * Engine ids by data-parallel rank from `GET /query` of MooncakeConnector's bootstrap server; undefined when it is none or
 * no rank has registered yet.
 */
export function readMooncakeEngineIds(answer: unknown): string[] | undefined {
  const ranks = asObject(answer);
  const ids: string[] = [];
  for (let rank = 0; rank < Object.keys(ranks ?? {}).length; rank += 1) {
    const id = asObject(ranks?.[rank])?.['engine_id'];
    if (typeof id !== 'string' || id === '') return undefined;
    ids.push(id);
  }
  return ids.length === 0 ? undefined : ids;
}
