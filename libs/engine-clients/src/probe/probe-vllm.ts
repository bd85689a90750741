import {
  readEventSources,
  readModels,
  readVllmMetrics,
  type EngineMetrics,
} from '@baton/engine-protocols';
import { BatonError } from '@baton/kv';
import { jsonOf, type EngineAnswer } from './ask-engine.ts';
import { eventsAt, noEvents, type Events } from './event-source.ts';
import {
  asking,
  unusable,
  type Ask,
  type ProbedEngine,
  type ProbeOptions,
} from './probed-engine.ts';
import { sampleTokenizer } from './tokenizer-sample.ts';

const HTTP_FAULT = 500;
const EVENTS_FLAG =
  '--kv-events-config \'{"enable_kv_cache_events":true,"publisher":"zmq","endpoint":"tcp://*:5557","replay_endpoint":"tcp://*:5558"}\'';

/** @throws BatonError as {@link probeEngine} does */
export async function probeVllm(
  engineUrl: string,
  version: string,
  ask: Ask,
): Promise<ProbedEngine> {
  await requireHealth(engineUrl, ask);
  const listed = await ask('/v1/models');
  const model = readModels(jsonOf(listed))?.[0];
  if (model === undefined) {
    throw unusable(engineUrl, `lists no model at GET /v1/models (${listed.status})`);
  }
  const { windowTokens, ...tokenizer } = await sampleTokenizer(engineUrl, model.id, ask);
  const metrics = await readMetrics(ask);
  return {
    engine: 'vllm',
    version,
    model,
    dtype: 'unknown',
    maxModelTokens: model.maxModelTokens || windowTokens,
    maxSequences: undefined,
    metrics,
    connector: metrics?.nixl === undefined ? '' : 'nixl',
    meetingPoint: undefined,
    side: undefined,
    ...eventsOf(engineUrl, await ask('/kv_event_sources')),
    ...tokenizer,
  };
}

/** Its metrics, and that what computes is alive: its HTTP side can answer without it. */
export async function lookAtVllm(options: ProbeOptions): Promise<EngineMetrics | undefined> {
  const ask = asking(options);
  const [metrics] = await Promise.all([readMetrics(ask), requireHealth(options.engineUrl, ask)]);
  return metrics;
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

function eventsOf(engineUrl: string, answer: EngineAnswer): Events {
  const sources = readEventSources(jsonOf(answer));
  const [source, ...others] = sources ?? [];
  if (sources === undefined) {
    const { status } = answer;
    return noEvents(`it does not say where its KV events are (${status} to /kv_event_sources)`);
  }
  if (source === undefined) {
    return noEvents(`it publishes no KV events; start it with ${EVENTS_FLAG}`);
  }
  // Requests go to one address, and which rank takes one is the engine's own choice.
  if (others.length > 0) return noEvents('it has several data-parallel ranks behind one address');
  return eventsAt(engineUrl, source, isBoundByVllm);
}

/** With any other endpoint it connects. */
function isBoundByVllm(endpoint: string): boolean {
  return /[*]|::/.test(endpoint) || endpoint.startsWith('ipc://');
}
