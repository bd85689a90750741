import type { BlockName } from './cache/block-names.ts';
import { RealClock, type EngineClock } from './engine/clock.ts';
import { ENGINE_DIED } from './engine/generation.ts';
import type { SimEngine } from './engine/sim-engine.ts';
import { FaultPlan, type Fault } from './faults/fault.ts';
import type { InUse, SimControls } from './http/sim-routes.ts';
import { ViolationLog, type ViolationKind } from './violations.ts';

export interface Endpoints {
  url: string;
  events: string;
  replay: string;
  /** Of its bootstrap server, where it has a real one. */
  bootstrapPort?: number | undefined;
}

/** One life of a stand-in, from when its ports are bound until they are free again. */
export interface EngineLife {
  /** One for each data-parallel rank. */
  readonly engines: readonly SimEngine[];
  readonly endpoints: Endpoints;
  readonly inUse: InUse;
  /** Closed again when it fails. */
  open(): Promise<void>;
  close(): Promise<void>;
}

/** What every life of a stand-in is given. */
export interface LifeContext {
  clock: EngineClock;
  faults: FaultPlan;
  controls: SimControls;
  /** Of the life before, to be taken again. */
  endpoints: Endpoints | undefined;
  complain: (kind: ViolationKind, detail: string) => void;
}

export interface StandInOptions {
  name: string;
  /** Default: real time, `speedUp` times as fast. */
  clock?: EngineClock | undefined;
  speedUp?: number | undefined;
  /** Where it writes what it holds against others; several may share one. */
  violations?: ViolationLog | undefined;
}

/** A restart finds its port taken for a moment. */
const BIND_TRIES = 100;
const BIND_PAUSE_MS = 20;

/** A look-alike of an engine, on real sockets: HTTP, KV events and their replay. */
export class StandIn {
  readonly name: string;
  /** What it was told to do wrong. */
  readonly faults = new FaultPlan();
  readonly #clock: EngineClock;
  readonly #violations: ViolationLog;
  readonly #begin: (context: LifeContext) => EngineLife;
  #life: EngineLife;
  #thaw: PromiseWithResolvers<void> | undefined;
  #changing: Promise<void> = Promise.resolve();
  #isStopped = false;

  protected constructor(options: StandInOptions, begin: (context: LifeContext) => EngineLife) {
    const { name, clock, speedUp, violations } = options;
    this.name = name;
    this.#clock = clock ?? new RealClock(speedUp);
    this.#violations = violations ?? new ViolationLog();
    this.#begin = begin;
    this.#life = this.#newLife();
  }

  /** Resolves when all of it can be reached. @throws Error when a port is taken */
  protected open(): Promise<void> {
    return this.#life.open();
  }

  get url(): string {
    return this.#life.endpoints.url;
  }

  get eventsEndpoint(): string {
    return this.#life.endpoints.events;
  }

  get replayEndpoint(): string {
    return this.#life.endpoints.replay;
  }

  /** Port of its bootstrap server, with MooncakeConnector. */
  get bootstrapPort(): number | undefined {
    return this.#life.endpoints.bootstrapPort;
  }

  /** All zero when it is at rest. */
  get inUse(): InUse {
    return this.#life.inUse;
  }

  /** Names of the blocks in the cache of a rank, as its naming of blocks makes them. */
  cachedBlocks(rank = 0): Set<BlockName> {
    return this.#life.engines[rank]?.pool.names() ?? new Set();
  }

  /** The next occasions go wrong. */
  arm(fault: Fault, times = 1): void {
    this.faults.arm(fault, times);
  }

  /** The process hangs: its sockets stay open and nothing is answered. */
  freeze(): void {
    this.#thaw ??= Promise.withResolvers<void>();
    for (const engine of this.#life.engines) engine.pause();
  }

  thaw(): void {
    this.#thaw?.resolve();
    this.#thaw = undefined;
    for (const engine of this.#life.engines) engine.resume();
  }

  /** What computes is dead, what answers is not: every request fails and /health says 503. */
  die(): void {
    for (const engine of this.#life.engines) engine.die(ENGINE_DIED);
  }

  /** As after a crash: connections break, the cache is empty, events count from 0. Comes back after `downMs`, real time. */
  async restart(downMs = 0): Promise<void> {
    this.thaw();
    this.#changing = this.#changing.then(() => this.#beginAgain(downMs));
    await this.#changing;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.thaw();
    this.#changing = this.#changing.then(() => this.#life.close());
    await this.#changing;
  }

  async #beginAgain(downMs: number): Promise<void> {
    if (this.#isStopped) return;
    const { endpoints } = this.#life;
    await this.#life.close();
    await new Promise((resolve) => setTimeout(resolve, downMs));
    for (let tries = 1; !this.#isStopped; tries += 1) {
      this.#life = this.#newLife(endpoints);
      try {
        return await this.#life.open();
      } catch (error) {
        if (tries === BIND_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, BIND_PAUSE_MS));
      }
    }
  }

  #newLife(endpoints?: Endpoints): EngineLife {
    return this.#begin({
      clock: this.#clock,
      faults: this.faults,
      controls: this.#controls(),
      endpoints,
      complain: (kind, detail) => this.#complain(kind, detail),
    });
  }

  #complain(kind: ViolationKind, detail: string): void {
    this.#violations.record({ kind, engine: this.name, detail, atMs: this.#clock.now() });
  }

  #controls(): SimControls {
    const { faults, name } = this;
    const violations = this.#violations;
    return {
      violations: () => ({ list: violations.of(name), counts: violations.countsOf(name) }),
      inUse: () => this.inUse,
      armed: () => faults.armed,
      arm: (fault, times) => faults.arm(fault, times),
      clearFaults: () => faults.clear(),
      freeze: () => this.freeze(),
      thaw: () => this.thaw(),
      die: () => this.die(),
      restart: (downMs) => {
        // Whoever asked over HTTP has no place to hear of a port that is taken: it ends the process.
        void this.restart(downMs);
      },
      thawed: () => this.#thaw?.promise ?? Promise.resolve(),
    };
  }
}
