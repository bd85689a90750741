import { readVersion } from '@baton/engine-protocols';
import { jsonOf } from './ask-engine.ts';
import {
  asking,
  unusable,
  type Ask,
  type EngineLook,
  type ProbedEngine,
  type ProbeOptions,
  type ProbeResult,
} from './probed-engine.ts';
import { askSglangServer, lookAtSglang, probeSglang } from './probe-sglang.ts';
import { lookAtVllm, probeVllm } from './probe-vllm.ts';

/** As messages between Baton's processes take them. */
const MAX_NAME_CHARS = 512;
const HTTP_TOO_MANY = 429;
const HTTP_FAULT = 500;

/**
 * What kind of engine answers, and what it says of itself.
 *
 * @throws BatonError as askEngine does; config_invalid for an engine that is none that is known here
 */
export async function probeEngine(options: ProbeOptions): Promise<ProbeResult> {
  const { engineUrl } = options;
  const plain = asking(options);
  let isProvisional = false;
  const ask: Ask = async (...question) => {
    const answer = await plain(...question);
    isProvisional ||= answer.status >= HTTP_FAULT || answer.status === HTTP_TOO_MANY;
    return answer;
  };
  const probed = requireNames(requireWindow(await probeKind(options, ask), engineUrl), engineUrl);
  return { ...probed, isProvisional };
}

async function probeKind(options: ProbeOptions, ask: Ask): Promise<ProbedEngine> {
  const { engineUrl } = options;
  const said = await ask('/version');
  const version = readVersion(jsonOf(said));
  if (version !== undefined) return probeVllm(version, ask, options);
  const server = await askSglangServer(ask);
  if (server !== undefined) return probeSglang(engineUrl, server, ask);
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
): Promise<EngineLook> {
  return engine === 'vllm' ? lookAtVllm(ranks, options) : lookAtSglang(metrics, ranks, options);
}

/** What nobody could ask for is not served. */
function requireNames(probed: ProbedEngine, engineUrl: string): ProbedEngine {
  const longest = Math.max(probed.model.id.length, probed.version.length);
  if (longest <= MAX_NAME_CHARS) return probed;
  const why = `has a model or version whose name has ${longest} characters, more than ${MAX_NAME_CHARS}`;
  throw unusable(engineUrl, why);
}

function requireWindow(probed: ProbedEngine, engineUrl: string): ProbedEngine {
  if (probed.maxModelTokens > 0) return probed;
  throw unusable(engineUrl, 'does not say how long a prompt may be, at GET /v1/models');
}
