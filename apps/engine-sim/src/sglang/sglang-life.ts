import { encodeSglangBatch } from '@baton/engine-protocols';
import { EventPublisher } from '@baton/kv-events';
import type { FastifyInstance } from 'fastify';
import { SimEngine, type PoolEvent } from '../engine/sim-engine.ts';
import type { EngineObserver } from '../engine/engine-observer.ts';
import { Adapters } from '../http/adapters.ts';
import type { Front } from '../http/front.ts';
import { createServer } from '../http/server.ts';
import type { InUse } from '../http/sim-routes.ts';
import { ByteTokenizer } from '../model/byte-tokenizer.ts';
import type { EngineLife, Endpoints, LifeContext } from '../stand-in.ts';
import type { BootstrapNetwork } from './bootstrap-network.ts';
import { BootstrapServer } from './bootstrap-server.ts';
import { PageCopies } from './page-copies.ts';
import { SglangPageNaming, UnsharedNaming } from './page-names.ts';
import { SglangDialect } from './sglang-dialect.ts';
import { SglangFacts } from './sglang-facts.ts';
import { addSglangRoutes } from './sglang-routes.ts';
import type { SglangSettings } from './sglang-settings.ts';

export interface SglangLifeOptions extends LifeContext {
  settings: SglangSettings;
  network: BootstrapNetwork;
}

/** The release that it says it is: about that of the sources it is made after. */
const VERSION = '0.5.16';
const RANK = 0;
const BUFFER_STEPS = 10_000;
const HIGH_WATER_MARK = 100_000;
const BUFFER_BYTES = 64 * 1024 * 1024;

const nothing = (): void => undefined;
const unobserved: EngineObserver = {
  ...{ submitted: nothing, admitted: nothing, preempted: nothing },
  ...{ stepped: nothing, token: nothing, ended: nothing },
};

/** One life of an SGLang stand-in. */
export class SglangLife implements EngineLife {
  readonly engine: SimEngine;
  readonly #options: SglangLifeOptions;
  readonly #front: Front;
  readonly #bootstrap: BootstrapServer | undefined;
  readonly #copies: PageCopies;
  #endpoints: Endpoints = { url: '', events: '', replay: '' };
  #publisher: EventPublisher | undefined;
  #server: FastifyInstance | undefined;

  constructor(options: SglangLifeOptions) {
    this.#options = options;
    const { settings, clock, faults, network, complain } = options;
    const { mode } = settings;
    const tokenizer = new ByteTokenizer(settings.vocabSize);
    this.#copies = new PageCopies(settings.blockTokens);
    this.engine = new SimEngine({
      ...settings,
      maxBatchTokens: settings.maxBatchTokens ?? settings.cost.chunkTokens,
      endToken: tokenizer.endToken,
      naming: this.#cachesPrefixes ? new SglangPageNaming() : new UnsharedNaming(),
      clock,
      observer: unobserved,
      onCacheEvents: (events) => this.#publish(events),
      onDeath: () => this.#bootstrap?.close(),
      onWrongKv: (run) => complain('wrong_kv', `${run.request.id} decodes from other KV`),
    });
    this.#bootstrap = mode === 'prefill' ? this.#bootstrapServer() : undefined;
    this.#front = {
      ...{ settings: { ...settings, nixl: undefined, hashSeed: '' }, engine: this.engine },
      ...{ tokenizer, adapters: new Adapters(), clock, faults, complain },
      dialect: new SglangDialect({
        ...{ mode, clock, faults, network, bootstrap: this.#bootstrap, complain },
      }),
      fingerprint: '',
      createdSec: Math.floor(clock.wall() / 1_000),
      open: { count: 0 },
    };
  }

  get endpoints(): Endpoints {
    return this.#endpoints;
  }

  get inUse(): InUse {
    return {
      openRequests: this.#front.open.count,
      runs: this.engine.openRuns,
      usedBlocks: this.engine.pool.usedBlocks,
      heldPrompts: this.#bootstrap?.openRooms ?? 0,
    };
  }

  async open(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#bootstrap !== undefined) this.#options.network.remove(this.#bootstrap);
    this.#bootstrap?.close();
    this.engine.pause();
    await this.#server?.close();
    this.engine.abortAll(() => true);
    await this.#publisher?.close();
  }

  /** A decode server keeps no prefixes unless it is told to. */
  get #cachesPrefixes(): boolean {
    return this.#options.settings.mode !== 'decode';
  }

  async #open(): Promise<void> {
    const { settings, endpoints: earlier, controls } = this.#options;
    const { host, eventsPort, replayPort } = settings;
    const endpoint = (port: number): string => `tcp://${host}:${port === 0 ? '*' : port}`;
    const publisher = await EventPublisher.open({
      endpoint: earlier?.events ?? endpoint(eventsPort),
      replayEndpoint: earlier?.replay ?? endpoint(replayPort),
      bufferSteps: BUFFER_STEPS,
      bufferBytes: BUFFER_BYTES,
      highWaterMark: HIGH_WATER_MARK,
      replaysTopic: false,
    });
    this.#publisher = publisher;
    const server = createServer(this.#front, controls);
    const facts = new SglangFacts({
      ...{ settings, mode: settings.mode, engine: this.engine, version: VERSION, publisher },
      bootstrapPort: this.#bootstrap?.port ?? settings.bootstrapPort,
    });
    addSglangRoutes(server, this.#front, facts);
    this.#server = server;
    const port = earlier === undefined ? settings.port : Number(new URL(earlier.url).port);
    const url = await server.listen({ host, port });
    this.#endpoints = { url, events: publisher.endpoint, replay: publisher.replayEndpoint };
  }

  #bootstrapServer(): BootstrapServer {
    const { settings, network, clock, complain } = this.#options;
    const { host, bootstrapPort, meetMs, bandwidthBytesPerSec, cost } = settings;
    const server = new BootstrapServer({
      ...{ host, clock, complain, meetMs, bandwidthBytesPerSec, pool: this.engine.pool },
      port: bootstrapPort === 0 ? network.freePort(host) : bootstrapPort,
      kvBytesPerToken: cost.kvBytesPerToken,
    });
    network.add(server);
    return server;
  }

  #publish(happened: readonly PoolEvent[]): void {
    if (!this.#cachesPrefixes) return;
    const events = this.#copies.events(happened);
    if (events.length === 0) return;
    const { clock, faults } = this.#options;
    const batch = encodeSglangBatch(clock.wall() / 1_000, events, RANK);
    const fault = faults.take(['lose_events', 'repeat_events']);
    const times = fault === undefined ? 1 : fault.kind === 'lose_events' ? 0 : 2;
    this.#publisher?.publish(batch, times);
  }
}
