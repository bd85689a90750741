import { BatonError } from '@baton/kv';
import type { Logger } from '@baton/service';
import { AgentBridge } from './agent/agent-bridge.ts';
import { CachedExports } from './agent/cached-exports.ts';
import { LoadReporter } from './agent/load-reporter.ts';
import { modelNameOf } from './config.ts';
import type { EngineConfig } from './config.ts';
import type { InferenceFacts } from './core/inference-port.ts';
import { engineHello } from './engine-hello.ts';
import { InferenceClient } from './generation/inference-client.ts';
import type { InferenceThread } from './generation/inference-client.ts';
import type { RunContext } from './generation/request-run.ts';
import { createServer } from './http/server.ts';
import { CacheEvents } from './kv-events/cache-events.ts';
import { KvEventPublisher } from './kv-events/kv-event-publisher.ts';
import { EngineMetrics } from './observe/engine-metrics.ts';
import { RunSpans } from './observe/run-spans.ts';
import { pieceTable, Tokenizer } from './tokenizer/tokenizer.ts';
import type { TokenizerFacts } from './tokenizer/tokenizer-port.ts';

export interface EngineOptions {
  config: EngineConfig;
  log: Logger;
  /** Starts the thread on which libllama computes. */
  openThread: () => InferenceThread;
  /** The engine cannot go on; /health says so already. */
  onFatal: (error: BatonError) => void;
}

export interface Engine {
  endpoints: { http: string; events: string; replay: string };
  stop(): Promise<void>;
}

/** What /version says. */
const VERSION = '0.1.0';
/** Batches of KV events that a replay can go back, as in vLLM. */
const EVENT_BUFFER_STEPS = 10_000;
const EVENT_BUFFER_BYTES = 64 * 1024 * 1024;
const EVENT_HIGH_WATER_MARK = 100_000;

/** Called in reverse order when the engine stops. */
type Closers = (() => unknown)[];

/** Puts the engine together: two threads, KV events, HTTP, the link to the agent. What was opened is closed on failure. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const closers: Closers = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return { endpoints: await openEngine(options, closers), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openEngine(options: EngineOptions, closers: Closers): Promise<Engine['endpoints']> {
  const { config, log } = options;
  // Before the model is loaded: a port in use is found out at once.
  const events = await openEvents(config);
  closers.push(() => events.close());
  const threads = await openThreads(options, closers);
  const { inference, tokenizer, vocabulary, facts } = threads;
  const { prefillTokensPerSec, decodeTokensPerSec } = inference.load;
  const speed = `${prefillTokensPerSec.toFixed()} and ${decodeTokensPerSec.toFixed()} tokens/s`;
  log.info(
    { event: 'speed', prefillTokensPerSec, decodeTokensPerSec },
    `prefill, decode: ${speed}`,
  );
  const cacheEvents = new CacheEvents(config.segmentTokens);
  inference.onShared((event) => {
    events.add(cacheEvents.of(event));
    if (event.type === 'refused') log.warn({ event: 'command_refused', ...event }, event.message);
    if (event.type === 'fatal') options.onFatal(new BatonError('engine_failed', event.message));
  });

  const { segmentTokens } = config;
  const modelName = modelNameOf(config);
  const now = (): number => performance.now();
  const load = () => inference.load;
  const metrics = new EngineMetrics({ modelName, facts, segmentTokens, load, now });
  const spans = new RunSpans(() => config.workerId ?? runs.agent?.workerId ?? config.role);
  const observers = [metrics, spans];
  const runs: RunContext = { inference, agent: undefined, segmentTokens, observers };
  const { tokenization, vocabSize } = vocabulary;
  const server = createServer({
    front: {
      modelName,
      maxModelTokens: facts.maxModelTokens,
      segmentTokens,
      vocabSize,
      tokenization,
      tokenizer,
      pieces: pieceTable(vocabulary),
      inference,
      cacheEvents,
      runs,
      now: Date.now,
    },
    kvEventSources: kvEventSources(events),
    metrics: () => metrics.text(),
    version: VERSION,
    log,
  });
  closers.push(() => server.close());
  const http = await server.listen({ host: config.host, port: config.port });
  const { endpoint, replayEndpoint } = events;
  if (config.agentSocket !== undefined) {
    const hello = engineHello({
      facts,
      modelName,
      tokenization,
      segmentTokens,
      engineUrl: http,
      eventsEndpoint: endpoint,
      replayEndpoint,
    });
    const signal = new AbortController();
    closers.push(() => signal.abort());
    runs.agent = openAgent({ socketPath: config.agentSocket, hello, threads, log, signal });
  }
  return { http, events: endpoint, replay: replayEndpoint };
}

interface Threads {
  tokenizer: Tokenizer;
  vocabulary: TokenizerFacts;
  inference: InferenceClient;
  facts: InferenceFacts;
}

/** Both load at once; what is wrong with the model file, the tokenizer says with the better words. */
async function openThreads(options: EngineOptions, closers: Closers): Promise<Threads> {
  const inference = new InferenceClient(options.openThread());
  closers.push(() => inference.stop());
  const { tokenizer, facts: vocabulary } = await Tokenizer.open(options.config.model);
  closers.push(() => tokenizer.close());
  return { tokenizer, vocabulary, inference, facts: await inference.ready };
}

function openEvents({ host, eventsPort, replayPort }: EngineConfig): Promise<KvEventPublisher> {
  const endpoint = (port: number): string => `tcp://${host}:${port === 0 ? '*' : port}`;
  return KvEventPublisher.open({
    endpoint: endpoint(eventsPort),
    replayEndpoint: endpoint(replayPort),
    bufferSteps: EVENT_BUFFER_STEPS,
    bufferBytes: EVENT_BUFFER_BYTES,
    highWaterMark: EVENT_HIGH_WATER_MARK,
    now: Date.now,
  });
}

/** Body of /kv_event_sources: where to find the events of each data-parallel rank; here there is one. */
function kvEventSources(events: KvEventPublisher): object {
  const rank = {
    enable_kv_cache_events: true,
    publisher: 'zmq',
    endpoint: events.endpoint,
    replay_endpoint: events.replayEndpoint,
    buffer_steps: EVENT_BUFFER_STEPS,
    hwm: EVENT_HIGH_WATER_MARK,
    max_queue_size: EVENT_HIGH_WATER_MARK,
    topic: '',
  };
  return { '0': rank };
}

interface AgentSetup {
  socketPath: string;
  hello: ReturnType<typeof engineHello>;
  threads: Threads;
  log: Logger;
  signal: AbortController;
}

function openAgent({ socketPath, hello, threads, log, signal }: AgentSetup): AgentBridge {
  const { inference, facts } = threads;
  const agent = new AgentBridge({
    socketPath,
    hello: () => hello,
    pageBytes: facts.pageBytes,
    onArena: (arena) => {
      inference.send({ type: 'arena', arena });
      if (arena) reporter.report();
    },
    onExport: (request) => exports.begin(request),
    signal: signal.signal,
    log,
  });
  const exports = new CachedExports(inference, agent);
  const reporter = new LoadReporter(agent, () => inference.load);
  signal.signal.addEventListener('abort', () => {
    reporter.stop();
    agent.close();
  });
  return agent;
}
