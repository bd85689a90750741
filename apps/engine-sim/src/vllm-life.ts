import { randomBytes } from 'node:crypto';
import { encodeEventBatch } from '@baton/engine-protocols';
import type { EventPublisher } from '@baton/kv-events';
import type { FastifyInstance } from 'fastify';
import { connectorOf } from './connectors/connector-of.ts';
import type { VllmConnector } from './connectors/vllm-connector.ts';
import type { VllmNetwork } from './connectors/vllm-network.ts';
import { VllmBlockNaming } from './cache/block-names.ts';
import { SimEngine, type PoolEvent } from './engine/sim-engine.ts';
import type { StandInSettings } from './engine-options.ts';
import { Adapters } from './http/adapters.ts';
import type { Front } from './http/front.ts';
import { addEngineRoutes } from './http/engine-routes.ts';
import { addScaleOutRoutes } from './http/generation-routes.ts';
import { createServer } from './http/server.ts';
import type { InUse } from './http/sim-routes.ts';
import { VllmDialect } from './http/vllm-dialect.ts';
import { ByteTokenizer } from './model/byte-tokenizer.ts';
import { vllmEvent } from './observe/cache-event-encoding.ts';
import { EngineMetrics } from './observe/engine-metrics.ts';
import {
  eventLimits,
  everywhere,
  openPublishers,
  publishBatch,
} from './observe/event-publishing.ts';
import { NixlMetrics } from './observe/nixl-metrics.ts';
import type { EngineLife, Endpoints, LifeContext } from './stand-in.ts';

export interface LifeOptions extends LifeContext {
  settings: StandInSettings;
  network: VllmNetwork;
}

/** The release that it says it is: the one whose captures it is held against. */
const VERSION = '0.32.0';
const RANK = 0;

/** One life of a stand-in, from when its ports are bound until they are free again. */
export class VllmLife implements EngineLife {
  readonly engine: SimEngine;
  readonly #options: LifeOptions;
  readonly #front: Front;
  readonly #metrics: EngineMetrics;
  readonly #connector: VllmConnector | undefined;
  #endpoints: Endpoints = { url: '', events: '', replay: '' };
  #publisher: EventPublisher | undefined;
  #server: FastifyInstance | undefined;

  constructor(options: LifeOptions) {
    this.#options = options;
    const { settings, clock } = options;
    checkSettings(settings);
    const startedSec = clock.wall() / 1_000;
    const nixlMetrics = new NixlMetrics();
    const nixlFamilies = settings.nixl && nixlMetrics.families();
    const adapters = new Adapters(settings.adapters);
    this.#metrics = new EngineMetrics(settings, startedSec, nixlFamilies ?? [], () => clock.wall());
    const tokenizer = new ByteTokenizer(settings.vocabSize);
    this.engine = new SimEngine({
      ...settings,
      maxBatchTokens: settings.maxBatchTokens ?? settings.cost.chunkTokens,
      adapterSlots: settings.adapters.slots,
      adapterLoadMs: settings.adapters.loadMs,
      endToken: tokenizer.endToken,
      naming: new VllmBlockNaming(settings.hashSeed),
      clock,
      observer: this.#metrics,
      onCacheEvents: (events) => this.#publish(events),
      // With what computes goes what others could read.
      onDeath: () => this.#unkeep(),
      onWrongKv: (run) => options.complain('wrong_kv', `${run.request.id} decodes from other KV`),
    });
    this.#metrics.attach(this.engine);
    this.engine.adapters.use(adapters.list);
    this.#connector = connectorOf({ ...options, engine: this.engine, nixlMetrics });
    this.#front = {
      settings,
      engine: this.engine,
      tokenizer,
      adapters,
      clock,
      faults: options.faults,
      dialect: new VllmDialect({ ...options, connector: this.#connector }),
      fingerprint: `vllm-${VERSION}-${randomBytes(4).toString('hex')}`,
      createdSec: Math.floor(startedSec),
      complain: options.complain,
      open: { count: 0 },
    };
  }

  get engines(): readonly SimEngine[] {
    return [this.engine];
  }

  get endpoints(): Endpoints {
    return this.#endpoints;
  }

  get inUse(): InUse {
    return {
      openRequests: this.#front.open.count,
      runs: this.engine.openRuns,
      usedBlocks: this.engine.pool.usedBlocks,
      heldPrompts: this.#connector?.held ?? 0,
    };
  }

  /** Closed again when it fails. */
  async open(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#unkeep();
    this.engine.pause();
    await this.#server?.close();
    this.engine.abortAll(() => true);
    await this.#publisher?.close();
  }

  #unkeep(): void {
    this.#connector?.close();
  }

  async #open(): Promise<void> {
    const { settings, endpoints: earlier, controls } = this.#options;
    const [publisher] = await openPublishers({ settings, earlier });
    if (publisher === undefined) throw new Error('one rank has one publisher');
    this.#publisher = publisher;
    const server = createServer(this.#front, controls);
    addScaleOutRoutes(server);
    addEngineRoutes(server, {
      front: this.#front,
      metrics: () => this.#metrics.text(),
      kvEventSources: kvEventSources(publisher),
      version: VERSION,
    });
    this.#server = server;
    const port = earlier === undefined ? settings.port : Number(new URL(earlier.url).port);
    const bootstrapPort = await this.#connector?.open(earlier?.bootstrapPort);
    const url = await server.listen({ host: settings.host, port });
    const { endpoint: events, replayEndpoint: replay } = publisher;
    this.#endpoints = { url, events, replay, bootstrapPort };
  }

  #publish(events: readonly PoolEvent[]): void {
    const { settings, clock, faults } = this.#options;
    const facts = { blockTokens: settings.blockTokens };
    const batch = encodeEventBatch(
      clock.wall() / 1_000,
      events.map((event) => vllmEvent(event, facts)),
      RANK,
    );
    publishBatch(this.#publisher, faults, batch);
  }
}

/** @throws Error for a cache in which the longest prompt would wait for ever, as vLLM refuses it at its start. */
function checkSettings({ blocks, blockTokens, maxModelTokens, name }: StandInSettings): void {
  if ((blocks - 1) * blockTokens >= maxModelTokens) return;
  throw new Error(
    `${name}: ${blocks - 1} blocks of ${blockTokens} tokens do not hold a window of ${maxModelTokens}`,
  );
}

function kvEventSources({ endpoint, replayEndpoint }: EventPublisher): object {
  const rank = {
    enable_kv_cache_events: true,
    publisher: 'zmq',
    endpoint: everywhere(endpoint),
    replay_endpoint: everywhere(replayEndpoint),
    buffer_steps: eventLimits.bufferSteps,
    hwm: eventLimits.highWaterMark,
    max_queue_size: eventLimits.highWaterMark,
    topic: '',
  };
  return { [RANK]: rank };
}
