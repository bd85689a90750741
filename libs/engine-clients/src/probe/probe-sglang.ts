import {
  rankwise,
  readAdapters,
  readModels,
  readSglangLoads,
  readSglangMetrics,
  readSglangServer,
  type EngineMetrics,
  type SglangLoad,
  type SglangServer,
} from '@baton/engine-protocols';
import { BatonError, type MeetingPoint } from '@baton/kv';
import { jsonOf } from './ask-engine.ts';
import { rankEndpoint } from '../zmtp/zmtp-endpoint.ts';
import { eventsAt, noEvents, type Events } from './event-source.ts';
import {
  asking,
  unusable,
  type Ask,
  type EngineLook,
  type ProbedEngine,
  type ProbeOptions,
} from './probed-engine.ts';
import { addressableRanks } from './sglang-ranks.ts';
import { sampleTokenizer } from './tokenizer-sample.ts';

/** What moves KV between servers; the backend "fake" moves none. */
const BACKENDS: readonly string[] = ['ascend', 'mooncake', 'mori', 'nixl'];
const HTTP_OK = 200;
const HTTP_UNAVAILABLE = 503;
const EVENTS_FLAG =
  '--kv-events-config \'{"publisher":"zmq","endpoint":"tcp://*:5557","replay_endpoint":"tcp://*:5558"}\'';

/**
 * Asks for what it says of itself, under the name of today and that of before. That it answers shows that what computes
 * is alive: it asks its scheduler.
 */
export async function askSglangServer(ask: Ask): Promise<SglangServer | undefined> {
  for (const path of ['/server_info', '/get_server_info']) {
    const server = readSglangServer(jsonOf(await ask(path)));
    if (server !== undefined) return server;
  }
  return undefined;
}

/** @throws BatonError as {@link probeEngine} does */
export async function probeSglang(
  engineUrl: string,
  server: SglangServer,
  ask: Ask,
): Promise<ProbedEngine> {
  const listed = await ask('/v1/models');
  const model = readModels(jsonOf(listed))?.[0];
  if (model === undefined) {
    throw unusable(engineUrl, `lists no model at GET /v1/models (${listed.status})`);
  }
  const { windowTokens, ...tokenizer } = await sampleTokenizer(engineUrl, model.id, ask);
  const { version, side, kvDtype, transferBackend } = server;
  const ranks = await addressableRanks(server, ask);
  return {
    engine: 'sglang',
    version,
    model: { ...model, root: server.modelPath },
    dtype: kvDtype,
    maxModelTokens: model.maxModelTokens || server.contextTokens || windowTokens,
    maxSequences: server.maxSequences && Math.max(1, Math.floor(server.maxSequences / ranks)),
    metrics: rankwise(withLoads(metricsOf(server), await readLoads(ask)), ranks),
    connector:
      side !== undefined && BACKENDS.includes(transferBackend) ? `sglang-${transferBackend}` : '',
    meetingPoint: side === 'prefill' ? meetingPointOf(engineUrl, server) : undefined,
    side,
    ranks,
    adapters: readAdapters(jsonOf(listed)) ?? [],
    ...eventsOf(engineUrl, server, ranks),
    ...tokenizer,
  };
}

/**
 * Its load, with what was known of its cache. That it answers has to do as a sign of life: its /health computes a token,
 * takes a second at least and waits behind long prompts.
 */
export async function lookAtSglang(
  before: EngineMetrics | undefined,
  ranks: number,
  options: ProbeOptions,
): Promise<EngineLook> {
  const ask = asking(options);
  const [loads, listed] = await Promise.all([
    readLoads(ask),
    before?.adapters === undefined ? undefined : ask('/v1/models'),
  ]);
  return {
    metrics: before && rankwise(withLoads(before, loads), ranks),
    adapters: listed && readAdapters(jsonOf(listed)),
  };
}

/**
 * Of each rank: by the API of today, that of before, and the page of metrics of servers that have neither.
 *
 * @throws BatonError engine_unavailable when it does not say
 */
async function readLoads(ask: Ask): Promise<SglangLoad[] | undefined> {
  for (const path of ['/v1/loads?include=core', '/get_load']) {
    const answer = await ask(path);
    const loads = readSglangLoads(jsonOf(answer));
    if (loads !== undefined) return loads;
    if (answer.status === HTTP_UNAVAILABLE) {
      throw new BatonError('engine_unavailable', 'the engine is not ready (503 to /v1/loads)');
    }
  }
  const page = await ask('/metrics');
  return page.status === HTTP_OK ? readSglangMetrics(page.text) : undefined;
}

function metricsOf(server: SglangServer): EngineMetrics {
  const { pageTokens, kvTokens, dataParallelRanks, cachesPrefixes, adapterSlots } = server;
  const blocks = Math.floor(kvTokens / pageTokens);
  const idle = { running: 0, waiting: 0, kvUsage: 0 };
  return {
    ...{ startedAtSec: 0, ranks: Array.from({ length: dataParallelRanks }, () => idle) },
    cache: { blockTokens: pageTokens, blocks, prefixCaching: cachesPrefixes },
    ...{ nixl: undefined, promptTokens: undefined },
    // Which of them have their place is not said.
    adapters: adapterSlots === undefined ? undefined : { slots: adapterSlots, used: [], atSec: 0 },
  };
}

/** What is known of its cache stays; a rank of which nothing is said is as it was. */
function withLoads(known: EngineMetrics, loads: readonly SglangLoad[] | undefined): EngineMetrics {
  if (loads === undefined) return known;
  const { blockTokens = 0, blocks = 0 } = known.cache ?? {};
  // A server whose ranks are taken for one has all their room.
  const kvTokens = (blockTokens * blocks * known.ranks.length) / loads.length;
  const ranks = loads.map(({ running, waiting, usedTokens }) => ({
    ...{ running, waiting },
    kvUsage: kvTokens > 0 ? Math.min(1, usedTokens / kvTokens) : 0,
  }));
  const cache = known.cache && {
    ...known.cache,
    blocks: (blocks * known.ranks.length) / ranks.length,
  };
  return { ...known, ranks, cache };
}

/** At the host of its URL, as decode servers have to reach it, too. */
function meetingPointOf(
  engineUrl: string,
  { bootstrapPort, tensorRanks, pipelineRanks }: SglangServer,
): MeetingPoint {
  const host = new URL(engineUrl).hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: bootstrapPort, engineIds: [], tensorRanks, pipelineRanks };
}

function eventsOf(engineUrl: string, server: SglangServer, ranks: number): Events {
  const { events, dataParallelRanks, cachesPrefixes, side, adapterSlots } = server;
  if (!cachesPrefixes) {
    const flag =
      side === 'decode'
        ? 'start it with --disaggregation-decode-enable-radix-cache'
        : 'start it without --disable-radix-cache';
    return noEvents(`it caches no prefixes; ${flag}`);
  }
  if (events === undefined) {
    return noEvents(`it publishes no KV events; start it with ${EVENTS_FLAG}`);
  }
  // They name no adapter (30cb848d4, mem_cache/events.py): its blocks would count as the base model's.
  if (adapterSlots !== undefined) return noEvents('its events do not tell adapters apart');
  if (ranks !== dataParallelRanks) {
    return noEvents(
      `it chooses among its ${dataParallelRanks} data-parallel ranks itself: it does not do what routed_dp_rank says`,
    );
  }
  const at = (endpoint: string, rank: number): string =>
    endpoint === '' ? '' : rankEndpoint(endpoint, rank);
  try {
    const published = Array.from({ length: ranks }, (_, rank) => ({
      ...events,
      endpoint: at(events.endpoint, rank),
      replayEndpoint: at(events.replayEndpoint, rank),
    }));
    return eventsAt(engineUrl, published, isBoundBySglang);
  } catch (error) {
    return noEvents((error as Error).message);
  }
}

/** Older ones connect to an address of an interface, newer ones listen there: only what all take for listening counts. */
function isBoundBySglang(endpoint: string): boolean {
  return /^tcp:\/\/(\*|0\.0\.0\.0|\[?::\]?):\d+$/.test(endpoint) || endpoint.startsWith('ipc://');
}
