import { randomInt } from 'node:crypto';
import { EngineAccess, JournalFolder, readCredentials } from '@baton/engine-clients';
import { LINK_WORD_MS, listenForEngine } from '@baton/engine-link';
import type { EngineHandlers, EngineLink, EngineListener } from '@baton/engine-link';
import { baton, readEngineHello } from '@baton/proto';
import { makeFolder } from '@baton/provision';
import { arenaFolders, removeStaleArenas } from '@baton/tier-store';
import { EngineAdapters } from '@baton/worker-knowledge';
import { AdapterWatch } from './adapter-watch.ts';
import type { AgentLog } from './agent-log.ts';
import { BusLink } from './bus-link.ts';
import type { AgentConfig } from './config.ts';
import { TICK_MS } from './core/agent-limits.ts';
import { workerStateFolder } from './core/state-folder.ts';
import { engineFacts } from './core/engine-facts.ts';
import type { EngineFacts } from './core/engine-facts.ts';
import { EngineTokenizer } from './engine-tokenizer.ts';
import { Incarnation } from './incarnation.ts';
import type { CopyCounters } from './incarnation.ts';
import { workerBeat } from './knowledge/worker-beat.ts';

export interface AgentOptions {
  config: AgentConfig;
  log: AgentLog;
  /** The agent cannot be of use, e.g. since there is no memory for its arena; the process is to end. */
  onFatal(error: Error): void;
}

const { WORKER_STATE_LEAVING, WORKER_STATE_READY, WORKER_STATE_STARTING } = baton.v1.WorkerState;
const MAX_NONCE = 2 ** 47;
const noCopies = { exportedBytes: 0, sentBytes: 0, receivedBytes: 0, importedBytes: 0 };

/** The agent of one worker. Nothing is said of the worker before its engine has said what it is. */
export class Agent {
  readonly #options: AgentOptions;
  readonly #bus: BusLink;
  readonly #ended = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #tokenizer: EngineTokenizer;
  #listener: EngineListener | undefined;
  #journals: JournalFolder | undefined;
  #incarnation: Incarnation | undefined;
  readonly #access: EngineAccess;
  /** Engines are taken in one after the other. */
  #attaching: Promise<void> = Promise.resolve();
  #lastEpochMs = 0;
  #reason = 'the engine has not come yet';
  /** What the last beat said of the engine. */
  #toldProblem: string | undefined;

  private constructor(options: AgentOptions) {
    this.#options = options;
    const { config, log } = options;
    this.#access = new EngineAccess(readCredentials(config.engineAccess));
    this.#tokenizer = new EngineTokenizer(this.#access, log, this.#ended.signal);
    this.#bus = new BusLink({
      url: config.natsUrl,
      workerId: config.workerId,
      log,
      order: (order, context) =>
        this.#incarnation?.order(order, context) ?? {
          accepted: false,
          code: 'engine_unavailable',
          message: this.#reason,
        },
      snapshot: ({ snapshotId }) => this.#incarnation?.deltas.snapshot({ snapshotId }) ?? [],
      cancel: ({ planId }) => this.#incarnation?.cancelPlan(planId),
      onConnected: () => this.#beat(),
    });
  }

  static async start(options: AgentOptions): Promise<Agent> {
    const agent = new Agent(options);
    await agent.#start();
    return agent;
  }

  /** Where other agents pull from; empty until an engine has come. */
  get transferAddress(): string {
    return this.#incarnation?.transferAddress ?? '';
  }

  get copies(): CopyCounters {
    return this.#incarnation?.copies ?? noCopies;
  }

  get counters(): baton.v1.IAgentCounters {
    return this.#incarnation?.counters() ?? {};
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#beat({ state: WORKER_STATE_LEAVING, reason: 'the agent stops' });
    this.#ended.abort();
    await this.#attaching;
    const incarnation = this.#incarnation;
    this.#incarnation = undefined;
    if (incarnation) {
      const copies = incarnation.copies;
      this.#options.log.info({ event: 'copies', ...copies }, 'bytes copied in this epoch');
      await incarnation.close();
    }
    await this.#journals?.close();
    await this.#listener?.close();
    await this.#bus.close();
  }

  async #start(): Promise<void> {
    const { config, log } = this.#options;
    const { arenaFolder } = config;
    const folders = arenaFolder === undefined ? arenaFolders : [...arenaFolders, arenaFolder];
    const removed = removeStaleArenas(folders);
    if (removed.length > 0) log.info({ event: 'arenas_removed', removed }, 'removed stale arenas');
    this.#journals = await this.#openJournals();
    await this.#bus.open();
    this.#listener = await listenForEngine({
      socketPath: config.socketPath,
      onEngine: (link) => this.#accept(link),
      signal: this.#ended.signal,
      log,
    });
    this.#timers.push(
      setInterval(() => this.#beat(), config.beatIntervalMs),
      setInterval(() => this.#tick(), TICK_MS),
      setInterval(() => this.#incarnation?.session?.send({ alive: {} }), LINK_WORD_MS),
    );
  }

  async #openJournals(): Promise<JournalFolder | undefined> {
    const { config, log } = this.#options;
    const folder = workerStateFolder(config.workerId, config.stateFolder, process.env);
    if (!config.events.journal || folder === undefined) return undefined;
    try {
      makeFolder(folder, 'BATON_STATE_FOLDER');
    } catch (error) {
      const { message } = error as Error;
      log.warn({ event: 'kv_journal_failed', folder }, `no journal of KV events: ${message}`);
      return undefined;
    }
    return JournalFolder.open(folder, log);
  }

  #tick(): void {
    this.#incarnation?.tick();
    this.#tellProblem();
  }

  /** The conductor hears at once when the engine is hung, and when it goes on. */
  #tellProblem(): void {
    const session = this.#incarnation?.session;
    if (!session || session.problem === this.#toldProblem) return;
    const { problem } = session;
    const { log } = this.#options;
    if (session.isHung) log.warn({ event: 'engine_hung' }, problem ?? '');
    else if (!problem) log.info({ event: 'engine_ready' }, 'the engine is ready');
    this.#beat();
  }

  #accept(link: EngineLink): EngineHandlers {
    let session: ReturnType<Incarnation['attach']> | undefined;
    let owner: Incarnation | undefined;
    const hello = readEngineHello(link.hello);
    if ('fault' in hello) {
      this.#reason = hello.fault;
      this.#options.log.error({ event: 'engine_refused' }, hello.fault);
      link.refuse('protocol_violation', hello.fault);
    } else {
      this.#attaching = this.#attaching.then(async () => {
        const known = await this.#tokenizer.complete(hello, () => link.connected);
        if (known === undefined) return undefined;
        const facts = engineFacts(known);
        owner = await this.#incarnationFor(facts);
        if (!owner) return link.refuse('internal_error', this.#reason);
        const adapters = await this.#adaptersOf(link, facts);
        if (!link.connected || this.#ended.signal.aborted) return undefined;
        session = this.#attach(owner, link, facts, adapters);
        return this.#beat();
      });
    }
    return {
      onMessage: (message) => {
        session?.receive(message);
        this.#tellProblem();
      },
      onClose: (reason) => {
        if (!session || !owner) return;
        owner.detach(session);
        this.#reason = `the engine is gone: ${reason}`;
        this.#beat();
      },
    };
  }

  /** They are known before its events are read: a block of one is named after the weights that it has now. */
  async #adaptersOf(link: EngineLink, { worker }: EngineFacts): Promise<EngineAdapters> {
    const adapters = new EngineAdapters();
    if (worker.engine !== 'vllm') return adapters;
    const { engineUrl } = worker;
    const { signal } = this.#ended;
    const { log } = this.#options;
    const access = this.#access;
    const watch = new AdapterWatch({ engineUrl, access, adapters, log, signal });
    await watch.look();
    void watch.run(() => link.connected);
    return adapters;
  }

  #attach(
    incarnation: Incarnation,
    link: EngineLink,
    facts: EngineFacts,
    adapters: EngineAdapters,
  ) {
    try {
      const session = incarnation.attach(link, facts, adapters);
      this.#reason = '';
      return session;
    } catch (error) {
      // E.g. an endpoint of events that is none.
      this.#reason = error instanceof Error ? error.message : String(error);
      this.#options.log.error({ event: 'engine_refused', err: error }, this.#reason);
      link.refuse('protocol_violation', this.#reason);
      return undefined;
    }
  }

  /** The present one where it suits; else the next, with nothing in it. */
  async #incarnationFor(facts: EngineFacts): Promise<Incarnation | undefined> {
    const present = this.#incarnation;
    if (present?.suits(facts)) return present;
    const { config, log } = this.#options;
    try {
      await present?.close();
      this.#incarnation = undefined;
      this.#incarnation = await Incarnation.open({
        config,
        access: this.#access,
        facts,
        epoch: this.#nextEpoch(),
        journals: this.#journals,
        log,
        publishDelta: (delta) => this.#bus.publishDelta(delta),
        publishResult: (result) => this.#bus.publishTransferred(result),
      });
    } catch (error) {
      const fault = error instanceof Error ? error : new Error(String(error));
      this.#reason = fault.message;
      this.#options.onFatal(fault);
    }
    return this.#incarnation;
  }

  #nextEpoch(): baton.v1.IEpoch {
    this.#lastEpochMs = Math.max(Date.now(), this.#lastEpochMs + 1);
    return { startedAtMs: this.#lastEpochMs, nonce: randomInt(MAX_NONCE) };
  }

  /** Says how the engine is, unless told what to say. */
  #beat(said?: { state: baton.v1.WorkerState; reason: string }): void {
    const incarnation = this.#incarnation;
    // The farewell is the last word.
    if (!incarnation || this.#ended.signal.aborted) return;
    const { session } = incarnation;
    const problem = session ? session.problem : this.#reason;
    this.#toldProblem = problem;
    const state = problem === undefined ? WORKER_STATE_READY : WORKER_STATE_STARTING;
    const { config } = this.#options;
    const spoken = said ?? { state, reason: problem ?? '' };
    this.#bus.publishBeat(workerBeat({ config, incarnation, ...spoken }));
  }
}
