import type { FastifyInstance } from 'fastify';
import type { SimEngine } from '../engine/sim-engine.ts';
import { Adapters } from '../http/adapters.ts';
import type { Front } from '../http/front.ts';
import { createServer } from '../http/server.ts';
import type { InUse } from '../http/sim-routes.ts';
import { openPublishers } from '../observe/event-publishing.ts';
import type { EngineLife, Endpoints, LifeContext } from '../stand-in.ts';
import type { BootstrapNetwork } from './bootstrap-network.ts';
import { BootstrapServer } from './bootstrap-server.ts';
import { addGenerateRoute } from './generate-route.ts';
import { RankDispatch } from './rank-dispatch.ts';
import { SglangFacts } from './sglang-facts.ts';
import { SglangRank } from './sglang-rank.ts';
import { addSglangAdapterRoutes } from './sglang-adapter-routes.ts';
import { addSglangRoutes } from './sglang-routes.ts';
import type { SglangSettings } from './sglang-settings.ts';

export interface SglangLifeOptions extends LifeContext {
  settings: SglangSettings;
  network: BootstrapNetwork;
}

/** The release that it says it is: about that of the sources it is made after. */
const VERSION = '0.5.16';

/** One life of an SGLang stand-in. */
export class SglangLife implements EngineLife {
  readonly #options: SglangLifeOptions;
  readonly #ranks: readonly SglangRank[];
  readonly #dispatch: RankDispatch;
  readonly #bootstrap: BootstrapServer | undefined;
  readonly #open = { count: 0 };
  #endpoints: Endpoints = { url: '', events: '', replay: '' };
  #server: FastifyInstance | undefined;

  constructor(options: SglangLifeOptions) {
    this.#options = options;
    const { settings } = options;
    this.#bootstrap = settings.mode === 'prefill' ? this.#bootstrapServer() : undefined;
    const adapters = new Adapters(settings.adapters);
    const shared = { ...options, bootstrap: this.#bootstrap, adapters, open: this.#open };
    this.#ranks = Array.from(
      { length: settings.ranks },
      (_, rank) => new SglangRank({ ...shared, rank }),
    );
    this.#dispatch = new RankDispatch(this.#ranks, settings, options.complain);
  }

  get engines(): readonly SimEngine[] {
    return this.#ranks.map(({ engine }) => engine);
  }

  get endpoints(): Endpoints {
    return this.#endpoints;
  }

  get inUse(): InUse {
    const sum = (of: (engine: SimEngine) => number): number =>
      this.engines.reduce((total, engine) => total + of(engine), 0);
    return {
      openRequests: this.#open.count,
      runs: sum(({ openRuns }) => openRuns),
      usedBlocks: sum(({ pool }) => pool.usedBlocks),
      heldPrompts: this.#bootstrap?.openRooms ?? 0,
    };
  }

  async open(): Promise<void> {
    try {
      await this.#begin();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#bootstrap !== undefined) this.#options.network.remove(this.#bootstrap);
    this.#bootstrap?.close();
    for (const engine of this.engines) engine.pause();
    await this.#server?.close();
    for (const engine of this.engines) engine.abortAll(() => true);
    await Promise.all(this.#ranks.map(({ publisher }) => publisher?.close()));
  }

  async #begin(): Promise<void> {
    const { settings, endpoints: earlier, controls } = this.#options;
    const ranks = this.#ranks;
    const publishers = await openPublishers({
      ...{ settings, earlier, ranks: ranks.length, replaysTopic: false },
    });
    ranks.forEach((rank, at) => (rank.publisher = publishers[at]));
    const [first] = ranks;
    const [publisher] = publishers;
    if (first === undefined || publisher === undefined) throw new Error('there is no rank');
    const ofRequest = (body: unknown): Front => (ranks[this.#dispatch.rankOf(body)] ?? first).front;
    const server = createServer({ ...first.front, ofRequest }, controls);
    const facts = new SglangFacts({
      ...{ settings, mode: settings.mode, engines: this.engines, version: VERSION, publisher },
      bootstrapPort: this.#bootstrap?.port ?? settings.bootstrapPort,
    });
    addSglangRoutes(server, { front: first.front, facts, engines: this.engines });
    addSglangAdapterRoutes(server, first.front.adapters, settings.adapters !== undefined);
    addGenerateRoute(server, settings.model, (body) => this.#dispatch.rankOf(body));
    this.#server = server;
    const port = earlier === undefined ? settings.port : Number(new URL(earlier.url).port);
    const url = await server.listen({ host: settings.host, port });
    this.#endpoints = { url, events: publisher.endpoint, replay: publisher.replayEndpoint };
  }

  #bootstrapServer(): BootstrapServer {
    const { settings, network, clock, complain } = this.#options;
    const { host, bootstrapPort, meetMs, bandwidthBytesPerSec, cost, ranks } = settings;
    const server = new BootstrapServer({
      ...{ host, clock, complain, meetMs, bandwidthBytesPerSec, ranks },
      port: bootstrapPort === 0 ? network.freePort(host) : bootstrapPort,
      kvBytesPerToken: cost.kvBytesPerToken,
    });
    network.add(server);
    return server;
  }
}
