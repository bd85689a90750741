import { readVersion, type EngineMetrics } from '@baton/engine-protocols';
import { jsonOf } from './ask-engine.ts';
import { asking, unusable, type ProbedEngine, type ProbeOptions } from './probed-engine.ts';
import { askSglangServer, lookAtSglang, probeSglang } from './probe-sglang.ts';
import { lookAtVllm, probeVllm } from './probe-vllm.ts';

/**
 * What kind of engine answers, and what it says of itself.
 *
 * @throws BatonError as askEngine does; config_invalid for an engine that is none that is known here
 */
export async function probeEngine(options: ProbeOptions): Promise<ProbedEngine> {
  const { engineUrl } = options;
  const ask = asking(options);
  const said = await ask('/version');
  const version = readVersion(jsonOf(said));
  if (version !== undefined)
    return requireWindow(await probeVllm(version, ask, options), engineUrl);
  const server = await askSglangServer(ask);
  if (server !== undefined)
    return requireWindow(await probeSglang(engineUrl, server, ask), engineUrl);
  const why = `answers neither GET /version as vLLM does (${said.status}) nor GET /server_info as SGLang does`;
  throw unusable(engineUrl, why);
}

/**
 * Load of an engine that was probed, with what it says beside it; undefined when it has none.
 *
 * @throws BatonError as askEngine does; engine_unavailable when it is dead
 */
export function lookAgain(
  { engine, metrics, ranks }: Pick<ProbedEngine, 'engine' | 'metrics' | 'ranks'>,
  options: ProbeOptions,
): Promise<EngineMetrics | undefined> {
  return engine === 'vllm' ? lookAtVllm(ranks, options) : lookAtSglang(metrics, options);
}

function requireWindow(probed: ProbedEngine, engineUrl: string): ProbedEngine {
  if (probed.maxModelTokens > 0) return probed;
  throw unusable(engineUrl, 'does not say how long a prompt may be, at GET /v1/models');
}
