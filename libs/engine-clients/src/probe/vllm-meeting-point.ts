import { readMooncakeEngineIds, VLLM_RANK_HEADER } from '@baton/engine-protocols';
import { BatonError, type MeetingPoint } from '@baton/kv';
import { jsonOf } from './ask-engine.ts';
import { nixlPlace } from './nixl-place.ts';
import { asking, type Ask, type ProbeOptions } from './probed-engine.ts';

/** Of MooncakeConnector, unless VLLM_MOONCAKE_BOOTSTRAP_PORT says otherwise. */
const BOOTSTRAP_PORT = 8_998;

/**
 * Where decode workers meet a prefill worker with NixlPushConnector.
 *
 * @throws BatonError config_invalid when it hands nothing over, or does not push
 */
export async function nixlMeetingPoint(
  engineUrl: string,
  model: string,
  ranks: number,
  ask: Ask,
): Promise<MeetingPoint> {
  const engineIds: string[] = [];
  let first: Omit<MeetingPoint, 'engineIds'> | undefined;
  for (let rank = 0; rank < ranks; rank += 1) {
    const headers = ranks === 1 ? {} : { [VLLM_RANK_HEADER]: String(rank) };
    const place = await nixlPlace(ask, model, headers);
    if (place?.pushes !== true) {
      const does = place === undefined ? 'hands no KV over' : 'has its KV read by decode';
      const message = `the engine at ${engineUrl} ${does}; start it with NixlPushConnector, or leave the connector out`;
      throw new BatonError('config_invalid', message);
    }
    const { engineId, host, port, tensorRanks, pipelineRanks } = place;
    first ??= { host, port, tensorRanks, pipelineRanks };
    engineIds.push(engineId);
  }
  if (first === undefined) throw new RangeError('an engine has one rank at least');
  return { ...first, engineIds };
}

/**
 * Where decode workers meet a prefill worker with MooncakeConnector: at its bootstrap server, on the engine's host.
 *
 * @throws BatonError config_invalid when there is none
 */
export async function mooncakeMeetingPoint(options: ProbeOptions): Promise<MeetingPoint> {
  const { hostname } = new URL(options.engineUrl);
  const port = options.pair?.bootstrapPort ?? BOOTSTRAP_PORT;
  const bootstrapUrl = `http://${hostname}:${port}`;
  // Nobody's key is of its business.
  const ask = asking({ ...options, engineUrl: bootstrapUrl, access: undefined });
  const engineIds = readMooncakeEngineIds(jsonOf(await ask('/query')));
  if (engineIds === undefined) {
    const message = `${bootstrapUrl}/query names no engine, as the bootstrap server of MooncakeConnector does`;
    throw new BatonError('config_invalid', message);
  }
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port, engineIds, tensorRanks: 1, pipelineRanks: 1 };
}
