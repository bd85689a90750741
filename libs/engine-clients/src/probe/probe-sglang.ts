import {
  readModels,
  readSglangLoads,
  readSglangServer,
  type EngineMetrics,
  type SglangServer,
} from '@baton/engine-protocols';
import { BatonError, type MeetingPoint } from '@baton/kv';
import { jsonOf } from './ask-engine.ts';
import { eventsAt, noEvents, type Events } from './event-source.ts';
import {
  asking,
  unusable,
  type Ask,
  type ProbedEngine,
  type ProbeOptions,
} from './probed-engine.ts';
import { sampleTokenizer } from './tokenizer-sample.ts';

/** What moves KV between servers; the backend "fake" moves none. */
const BACKENDS: readonly string[] = ['ascend', 'mooncake', 'mori', 'nixl'];
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
  return {
    engine: 'sglang',
    version,
    model: { ...model, root: server.modelPath },
    dtype: kvDtype,
    maxModelTokens: model.maxModelTokens || server.contextTokens || windowTokens,
    maxSequences: server.maxSequences,
    metrics: metricsOf(server, await readLoads(ask)),
    connector:
      side !== undefined && BACKENDS.includes(transferBackend) ? `sglang-${transferBackend}` : '',
    meetingPoint: side === 'prefill' ? meetingPointOf(engineUrl, server) : undefined,
    side,
    ranks: 1,
    ...eventsOf(engineUrl, server),
    ...tokenizer,
  };
}

/**
 * Its load, with what was known of its cache. That it answers has to do as a sign of life: its /health computes a token,
 * takes a second at least and waits behind long prompts.
 */
export async function lookAtSglang(
  before: EngineMetrics | undefined,
  options: ProbeOptions,
): Promise<EngineMetrics | undefined> {
  const loads = await readLoads(asking(options));
  if (before?.cache === undefined || loads === undefined) return before;
  const { blockTokens, blocks } = before.cache;
  return withLoads(before, loads, blockTokens * blocks);
}

type Loads = NonNullable<ReturnType<typeof readSglangLoads>>;

/** @throws BatonError engine_unavailable when it does not say */
async function readLoads(ask: Ask): Promise<Loads | undefined> {
  for (const path of ['/v1/loads?include=core', '/get_load']) {
    const answer = await ask(path);
    const loads = readSglangLoads(jsonOf(answer));
    if (loads !== undefined) return loads;
    if (answer.status === HTTP_UNAVAILABLE) {
      throw new BatonError('engine_unavailable', 'the engine is not ready (503 to /v1/loads)');
    }
  }
  return undefined;
}

function metricsOf(server: SglangServer, loads: Loads | undefined): EngineMetrics {
  const { pageTokens, kvTokens, dataParallelRanks: ranks, cachesPrefixes } = server;
  const blocks = Math.floor((kvTokens * ranks) / pageTokens);
  const cache = { blockTokens: pageTokens, blocks, prefixCaching: cachesPrefixes };
  const known: EngineMetrics = {
    ...{ startedAtSec: 0, ranks: [{ running: 0, waiting: 0, kvUsage: 0 }], cache },
    ...{ nixl: undefined, promptTokens: undefined },
  };
  return loads === undefined ? known : withLoads(known, loads, blocks * pageTokens);
}

function withLoads(
  known: EngineMetrics,
  { running, waiting, usedTokens }: Loads,
  kvTokens: number,
): EngineMetrics {
  const kvUsage = kvTokens > 0 ? Math.min(1, usedTokens / kvTokens) : 0;
  return { ...known, ranks: [{ running, waiting, kvUsage }] };
}

/** At the host of its URL, as decode servers have to reach it, too. */
function meetingPointOf(
  engineUrl: string,
  { bootstrapPort, tensorRanks, pipelineRanks }: SglangServer,
): MeetingPoint {
  const host = new URL(engineUrl).hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: bootstrapPort, engineIds: [], tensorRanks, pipelineRanks };
}

function eventsOf(engineUrl: string, server: SglangServer): Events {
  const { events, dataParallelRanks, cachesPrefixes, side } = server;
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
  // Requests go to one address, and which rank takes one is the engine's own choice.
  if (dataParallelRanks > 1) {
    return noEvents('it has several data-parallel ranks behind one address');
  }
  return eventsAt(engineUrl, [events], isBoundBySglang);
}

/** Older ones connect to an address of an interface, newer ones listen there: only what all take for listening counts. */
function isBoundBySglang(endpoint: string): boolean {
  return /^tcp:\/\/(\*|0\.0\.0\.0|\[?::\]?):\d+$/.test(endpoint) || endpoint.startsWith('ipc://');
}
