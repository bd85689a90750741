import {
  rankwise,
  readAdapters,
  readEventSources,
  readModels,
  readVllmMetrics,
  VLLM_RANK_HEADER,
  type EngineMetrics,
} from '@baton/engine-protocols';
import { BatonError, type MeetingPoint } from '@baton/kv';
import { jsonOf, type EngineAnswer } from './ask-engine.ts';
import { eventsAt, noEvents, type Events } from './event-source.ts';
import {
  asking,
  unusable,
  type Ask,
  type EngineLook,
  type ProbedEngine,
  type ProbeOptions,
} from './probed-engine.ts';
import { sampleTokenizer } from './tokenizer-sample.ts';
import { mooncakeMeetingPoint, nixlMeetingPoint } from './vllm-meeting-point.ts';

const HTTP_BAD_REQUEST = 400;
const HTTP_FAULT = 500;
const EVENTS_FLAG =
  '--kv-events-config \'{"enable_kv_cache_events":true,"publisher":"zmq","endpoint":"tcp://*:5557","replay_endpoint":"tcp://*:5558"}\'';

/** @throws BatonError as {@link probeEngine} does */
export async function probeVllm(
  version: string,
  ask: Ask,
  options: ProbeOptions,
): Promise<ProbedEngine> {
  const { engineUrl, pair } = options;
  await requireHealth(engineUrl, ask);
  const listed = await ask('/v1/models');
  const model = readModels(jsonOf(listed))?.[0];
  if (model === undefined) {
    throw unusable(engineUrl, `lists no model at GET /v1/models (${listed.status})`);
  }
  const { windowTokens, ...tokenizer } = await sampleTokenizer(engineUrl, model.id, ask);
  const all = await readMetrics(ask);
  const ranks = await addressableRanks(all?.ranks.length ?? 1, model.id, ask);
  const metrics = all && rankwise(all, ranks);
  return {
    engine: 'vllm',
    version,
    model,
    dtype: 'unknown',
    maxModelTokens: model.maxModelTokens || windowTokens,
    maxSequences: undefined,
    metrics,
    connector: pair?.connector ?? (metrics?.nixl === undefined ? '' : 'nixl'),
    meetingPoint: await meetingPointOf(model.id, ranks, ask, options),
    side: undefined,
    ranks,
    adapters: readAdapters(jsonOf(listed)) ?? [],
    ...eventsOf(engineUrl, ranks, await ask('/kv_event_sources')),
    ...tokenizer,
  };
}

/** Its metrics and adapters, and that what computes is alive: its HTTP side can answer without it. */
export async function lookAtVllm(ranks: number, options: ProbeOptions): Promise<EngineLook> {
  const ask = asking(options);
  const [metrics, listed] = await Promise.all([
    readMetrics(ask),
    ask('/v1/models'),
    requireHealth(options.engineUrl, ask),
  ]);
  return {
    metrics: metrics && rankwise(metrics, ranks),
    adapters: readAdapters(jsonOf(listed)),
  };
}

/**
 * Its adapters, and where it has any its metrics, which say which of them it uses.
 *
 * @throws BatonError as askEngine does; engine_unavailable when it does not list its models
 */
export async function lookAtAdapters(options: ProbeOptions): Promise<EngineLook> {
  const ask = asking(options);
  const listed = await ask('/v1/models');
  const adapters = readAdapters(jsonOf(listed));
  if (adapters === undefined) {
    const message = `${options.engineUrl} lists no models at GET /v1/models (${listed.status})`;
    throw new BatonError('engine_unavailable', message);
  }
  return { adapters, metrics: adapters.length > 0 ? await readMetrics(ask) : undefined };
}

/** Of a prefill worker whose connector has both sides asked at once. */
async function meetingPointOf(
  model: string,
  ranks: number,
  ask: Ask,
  options: ProbeOptions,
): Promise<MeetingPoint | undefined> {
  const { engineUrl, pair } = options;
  if (pair?.connector === undefined || pair.role === 'decode') return undefined;
  return pair.connector === 'mooncake'
    ? mooncakeMeetingPoint(options)
    : nixlMeetingPoint(engineUrl, model, ranks, ask);
}

/**
 * As many as there are, when it lets itself be told which one is to answer: then it refuses a number that is none of
 * them, before anything is computed. What ignores the number answers, and is one for whoever asks it.
 */
async function addressableRanks(ranks: number, model: string, ask: Ask): Promise<number> {
  if (ranks === 1) return 1;
  const body = { model, prompt: [1], max_tokens: 1 };
  const { status } = await ask('/v1/completions', body, { [VLLM_RANK_HEADER]: String(ranks) });
  return status === HTTP_BAD_REQUEST ? ranks : 1;
}

async function readMetrics(ask: Ask): Promise<EngineMetrics | undefined> {
  const page = await ask('/metrics');
  return page.status === 200 ? readVllmMetrics(page.text) : undefined;
}

/** @throws BatonError engine_unavailable when it is dead */
async function requireHealth(engineUrl: string, ask: Ask): Promise<void> {
  const { status } = await ask('/health');
  if (status < HTTP_FAULT) return;
  throw new BatonError('engine_unavailable', `${engineUrl}/health: the engine is dead (${status})`);
}

function eventsOf(engineUrl: string, ranks: number, answer: EngineAnswer): Events {
  const sources = readEventSources(jsonOf(answer));
  if (sources === undefined) {
    const { status } = answer;
    return noEvents(`it does not say where its KV events are (${status} to /kv_event_sources)`);
  }
  if (sources.length === 0) {
    return noEvents(`it publishes no KV events; start it with ${EVENTS_FLAG}`);
  }
  if (sources.length !== ranks) {
    return noEvents(
      `${sources.length} data-parallel ranks publish KV events, and ${ranks} can be asked by ${VLLM_RANK_HEADER}`,
    );
  }
  return eventsAt(engineUrl, sources, isBoundByVllm);
}

/** With any other endpoint it connects. */
function isBoundByVllm(endpoint: string): boolean {
  return /[*]|::/.test(endpoint) || endpoint.startsWith('ipc://');
}
