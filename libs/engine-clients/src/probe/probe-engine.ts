import { hash } from 'node:crypto';
import {
  readEventSources,
  readModels,
  readVersion,
  readVllmMetrics,
  type PublishedEvents,
  type ServedModel,
  type VllmMetrics,
} from '@baton/engine-protocols';
import { BatonError } from '@baton/kv';
import { readTokenizeAnswer } from '@baton/openai';
import type { EngineAccess } from '../access/engine-access.ts';
import { zmtpAddress } from '../zmtp/zmtp-endpoint.ts';
import type { KvEventSource } from '../kv-events/subscribe.ts';
import { askEngine, jsonOf, type EngineAnswer } from './ask-engine.ts';

/** What a running engine says of itself. */
export interface ProbedEngine {
  engine: 'vllm';
  version: string;
  model: ServedModel;
  /** Prompt and output together. */
  maxModelTokens: number;
  /** Undefined when it has no metrics. */
  metrics: VllmMetrics | undefined;
  /** Undefined when its events cannot be followed. */
  events: KvEventSource | undefined;
  /** Why they cannot, and what would be right. */
  eventsObstacle: string | undefined;
  /** Digest of how it cuts texts and renders chats: engines with equal ones have equal keys. */
  tokenization: string;
}

export interface ProbeOptions {
  engineUrl: string;
  timeoutMs?: number;
  /** Its key and certificate, where it asks for them. */
  access?: EngineAccess | undefined;
  signal: AbortSignal;
}

const HTTP_UNAUTHORIZED = 401;
const HTTP_FAULT = 500;
const TIMEOUT_MS = 5_000;
/** Words, figures, white space, accents, other scripts, an emoji: where tokenizers differ. */
const SAMPLE_TEXT = 'The 42 quick  foxes\n\tjumped over naïve Ωmega, 東京 and 🚀!';
const SAMPLE_CHAT = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: SAMPLE_TEXT },
];
const EVENTS_FLAG =
  '--kv-events-config \'{"enable_kv_cache_events":true,"publisher":"zmq","endpoint":"tcp://*:5557","replay_endpoint":"tcp://*:5558"}\'';

/** @throws BatonError as {@link askEngine} does; config_invalid for an engine that is none that is known here. */
export async function probeEngine({
  engineUrl,
  timeoutMs = TIMEOUT_MS,
  access,
  signal,
}: ProbeOptions): Promise<ProbedEngine> {
  await requireHealth({ engineUrl, timeoutMs, access, signal });
  const ask = (path: string, body?: object): Promise<EngineAnswer> =>
    askEngine({ engineUrl, path, body, timeoutMs, access, signal });
  const said = await ask('/version');
  const version = readVersion(jsonOf(said));
  if (version === undefined) {
    throw unusable(engineUrl, `does not answer GET /version as vLLM does (${said.status})`);
  }
  const listed = await ask('/v1/models');
  if (listed.status === HTTP_UNAUTHORIZED) {
    const hasKey = access?.of(engineUrl).headers['authorization'] !== undefined;
    const message = hasKey
      ? `the engine at ${engineUrl} does not take the API key that was given for it`
      : `the engine at ${engineUrl} asks for an API key; give the file with it as --api-key-file`;
    throw new BatonError('config_invalid', message);
  }
  const model = readModels(jsonOf(listed))?.[0];
  if (model === undefined) {
    throw unusable(engineUrl, `lists no model at GET /v1/models (${listed.status})`);
  }
  const text = await ask('/tokenize', { model: model.id, prompt: SAMPLE_TEXT });
  const cut = readTokenizeAnswer(jsonOf(text));
  if (cut === undefined) {
    throw unusable(engineUrl, `answers ${text.status} to POST /tokenize, and no tokens`);
  }
  // A model without a chat template refuses it: that is as much a part of how it treats chats.
  const chat = readTokenizeAnswer(
    jsonOf(await ask('/tokenize', { model: model.id, messages: SAMPLE_CHAT })),
  );
  return {
    engine: 'vllm',
    version,
    model,
    maxModelTokens: model.maxModelTokens || cut.max_model_len,
    metrics: await readEngineMetrics({ engineUrl, timeoutMs, access, signal }),
    ...eventsOf(engineUrl, await ask('/kv_event_sources')),
    tokenization: digestOf([cut.tokens, chat?.tokens ?? []]),
  };
}

/**
 * The metrics of an engine that is known; undefined when it has none.
 *
 * @throws BatonError as {@link askEngine} does
 */
export async function readEngineMetrics({
  engineUrl,
  timeoutMs = TIMEOUT_MS,
  access,
  signal,
}: ProbeOptions): Promise<VllmMetrics | undefined> {
  const page = await askEngine({ engineUrl, path: '/metrics', timeoutMs, access, signal });
  return page.status === 200 ? readVllmMetrics(page.text) : undefined;
}

/**
 * That what computes is alive: vLLM's HTTP side can answer without it.
 *
 * @throws BatonError as {@link askEngine} does; engine_unavailable when it is dead
 */
export async function requireHealth({
  engineUrl,
  timeoutMs = TIMEOUT_MS,
  access,
  signal,
}: ProbeOptions): Promise<void> {
  const { status } = await askEngine({ engineUrl, path: '/health', timeoutMs, access, signal });
  if (status < HTTP_FAULT) return;
  throw new BatonError('engine_unavailable', `${engineUrl}/health: the engine is dead (${status})`);
}

type Events = Pick<ProbedEngine, 'events' | 'eventsObstacle'>;

function eventsOf(engineUrl: string, answer: EngineAnswer): Events {
  const none = (eventsObstacle: string): Events => ({ events: undefined, eventsObstacle });
  const sources = readEventSources(jsonOf(answer));
  const [source, ...others] = sources ?? [];
  if (sources === undefined) {
    return none(`it does not say where its KV events are (${answer.status} to /kv_event_sources)`);
  }
  if (source === undefined) return none(`it publishes no KV events; start it with ${EVENTS_FLAG}`);
  // Requests go to one address, and which rank takes one is the engine's own choice.
  if (others.length > 0) return none('it has several data-parallel ranks behind one address');
  try {
    return { events: eventSource(engineUrl, source), eventsObstacle: undefined };
  } catch (error) {
    return none((error as Error).message);
  }
}

/** Where its events are for somebody on another machine. @throws BatonError config_invalid */
function eventSource(engineUrl: string, published: PublishedEvents): KvEventSource {
  const { endpoint, replayEndpoint, topic } = published;
  const isBound = /[*]|::/.test(endpoint) || endpoint.startsWith('ipc://');
  if (!isBound) {
    throw new BatonError(
      'config_invalid',
      `its KV events go to ${endpoint}, and do not wait to be fetched; give its endpoint as tcp://*:5557`,
    );
  }
  const { hostname } = new URL(engineUrl);
  const at = (place: string): string => {
    const there = place.replace(/^tcp:\/\/(\*|\[::\]|::)/, `tcp://${hostname}`);
    zmtpAddress(there, false);
    return there;
  };
  return {
    eventsEndpoint: at(endpoint),
    replayEndpoint: replayEndpoint === '' ? undefined : at(replayEndpoint),
    topic,
  };
}

function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'hex').slice(0, 32);
}

function unusable(engineUrl: string, why: string): BatonError {
  return new BatonError(
    'config_invalid',
    `the engine at ${engineUrl} ${why}; only vLLM can be served without an agent`,
  );
}
