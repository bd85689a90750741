import { setTimeout as delay } from 'node:timers/promises';
import type { WorkerState } from '@baton/cluster';
import type { CoreInput } from '@baton/core';
import { changeAdapter, lookAgain, probeEngine, type EngineAccess } from '@baton/engine-clients';
import type { EngineMetrics } from '@baton/engine-protocols';
import { BatonError, toBatonError } from '@baton/kv';
import type { Logger } from '@baton/service';
import type { EngineSetting } from '../config.ts';
import { workerIdOf } from './engine-facts.ts';
import type { EngineFindings } from './engine-findings.ts';
import { countersOf, loadsOf } from './engine-load.ts';
import { KnownEngine } from './known-engine.ts';

/** Longer than the longest look: what does not answer is away, and not gone. */
const LEASE_MS = 60_000;
/** For an answer while the engine serves. */
const ANSWER_MS = 5_000;
/** Looks in a row without an answer in time, before the engine counts as away. */
const LATE_LOOKS = 3;
/** What an engine failed to answer when it was first looked at is asked again, at the latest after this time. */
const MAX_RETRY_MS = 60_000;

export interface EngineWatchOptions {
  setting: EngineSetting;
  access: EngineAccess;
  /** Between two looks, ms. */
  intervalMs: number;
  /** For an answer while the engine serves, ms. */
  answerMs?: number;
  hear: (input: CoreInput) => void;
  /** Why nothing is planned on a worker although it serves; undefined when something can be. */
  misfit: (workerId: string) => string | undefined;
  /** Live plans that need a worker. */
  using: (workerId: string) => number;
  log: Logger;
  signal: AbortSignal;
}

/** Stands for a running engine that has no agent: looks at it again and again, and tells what an agent would tell. */
export class EngineWatch {
  readonly workerId: string;
  readonly #options: EngineWatchOptions;
  readonly #known: KnownEngine;
  /** Of the last look that succeeded. */
  #metrics: EngineMetrics | undefined;
  /** Looks that succeeded: what one of them found may be told again, and is no news then. */
  #looks = 0;
  /** What is in the way; undefined while it serves. */
  #problem: string | undefined;
  /** Kinds of problems that were said since it served. */
  readonly #saidKinds = new Set<string>();
  /** Why nothing is planned on it although it may serve. */
  #pausedBecause: string | undefined;
  /** As last said. */
  #misfit: string | undefined;
  #lateLooks = 0;
  #retries = 0;
  #retryAtMs = 0;
  #isDraining = false;
  /** It has said goodbye: nothing is told any more. */
  #isOver = false;
  readonly #looked = Promise.withResolvers<void>();
  /** One look after the other. */
  #looking: Promise<void> = Promise.resolve();

  constructor(options: EngineWatchOptions) {
    this.#options = options;
    this.workerId = workerIdOf(options.setting);
    const { setting, hear, log } = options;
    this.#known = new KnownEngine({ setting, workerId: this.workerId, hear, log });
  }

  get findings(): EngineFindings {
    const { url, ...setting } = this.#options.setting;
    const { probed, account, unknown } = this.#known;
    const facts = account?.facts;
    const role = facts?.role ?? setting.role;
    const problem = this.#pausedBecause ?? this.#problem ?? this.#options.misfit(this.workerId);
    return {
      ...{ workerId: this.workerId, url, role },
      serves: facts === undefined && problem === undefined ? undefined : problem === undefined,
      problem,
      engine: facts?.engine,
      version: facts?.layout.connectorVersion,
      model: facts?.model,
      blockTokens: facts?.layout.blockTokens,
      blockTokensAssumed: probed && probed.metrics?.cache?.blockTokens === undefined,
      connector: facts?.layout.connector,
      pairOnly: facts?.pairOnly,
      takesChats: probed?.takesChats,
      index: facts === undefined ? undefined : facts.approximate === true ? 'approximate' : 'exact',
      approximateBecause: unknown,
      adapters: this.#known.adapters.held,
      drainingFor: this.#isDraining ? this.#options.using(this.workerId) : undefined,
    };
  }

  /** Resolves when it was looked at for the first time, or will not be. */
  looked(): Promise<void> {
    return this.#looked.promise;
  }

  /** From now on nothing is planned on it; its watch ends when nothing needs it any more. */
  drain(): void {
    this.#isDraining = true;
    this.#tellState();
  }

  /**
   * Nothing is planned on it, and what is known of it stays.
   *
   * @param because undefined goes on
   */
  pause(because: string | undefined): void {
    this.#pausedBecause = because;
    this.#tellState();
  }

  /** Until the signal is aborted, or it is drained; never rejects. */
  async run(): Promise<void> {
    const { signal, intervalMs, using } = this.#options;
    while (!signal.aborted) {
      await this.#lookNext();
      this.#looked.resolve();
      if (this.#isDraining && using(this.workerId) === 0) break;
      await delay(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.#looked.resolve();
    this.#tell('leaving', undefined);
    this.#isOver = true;
    // Whoever changes an adapter may have begun another look.
    await this.#looking;
    await this.#known.close();
  }

  /** Tells everything that is held now. */
  snapshot(snapshotId: number): void {
    this.#known.account?.snapshot(snapshotId);
  }

  /**
   * Has the engine load an adapter from a path on its machine, or without one unload it. What it has then is found by
   * looking at once.
   *
   * @throws BatonError adapter_refused with what the engine says, engine_unavailable when it does not serve
   */
  async changeAdapter(name: string, path: string | undefined): Promise<void> {
    const { setting, access, signal } = this.#options;
    const engine = this.#known.probed?.engine;
    if (engine === undefined || this.#problem !== undefined) {
      const why = this.#problem ?? 'it was not looked at yet';
      throw new BatonError('engine_unavailable', `${this.workerId} does not serve: ${why}`);
    }
    const engineUrl = setting.url;
    await changeAdapter({ engine, engineUrl, access, signal }, { name, path });
    await this.#lookNext();
  }

  #lookNext(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  async #look(): Promise<void> {
    if (this.#isOver) return;
    const { setting, access, signal, answerMs = ANSWER_MS } = this.#options;
    const engineUrl = setting.url;
    const wasAway = this.#problem !== undefined;
    try {
      const before = this.#known.probed;
      let metrics: EngineMetrics | undefined;
      let adapters = before?.adapters ?? [];
      if (before !== undefined && !wasAway) {
        const look = await lookAgain(before, { engineUrl, timeoutMs: answerMs, access, signal });
        ({ metrics } = look);
        adapters = look.adapters ?? adapters;
      }
      // One that was away, or has begun again, may be another one.
      const isSame = before !== undefined && !wasAway && !this.#mayAnswerMore();
      if (isSame && before.metrics?.startedAtSec === metrics?.startedAtSec) {
        this.#known.adapters.heard(before.engine, { adapters, metrics });
        await this.#known.looked({ ...before, adapters }, wasAway);
      } else {
        const probed = await probeEngine({ engineUrl, access, pair: setting, signal });
        metrics = probed.metrics;
        await this.#known.looked(probed, wasAway);
        this.#askAgainLater(probed.isProvisional);
      }
      this.#lateLooks = 0;
      this.#said(undefined);
      this.#metrics = metrics;
      this.#looks += 1;
      this.#tellState();
      this.#saidMisfit();
    } catch (error) {
      if (signal.aborted) return;
      const { code, message } = toBatonError(error);
      if (code === 'deadline_exceeded' && this.#mayBeBusy()) return;
      this.#said(message, code === 'config_invalid' ? code : 'away');
      this.#tellState();
    }
  }

  /** Whether it is time to ask again what it failed to answer. */
  #mayAnswerMore(): boolean {
    return this.#known.probed?.isProvisional === true && performance.now() >= this.#retryAtMs;
  }

  #askAgainLater(isProvisional: boolean): void {
    this.#retries = isProvisional ? this.#retries + 1 : 0;
    const pauseMs = Math.min(MAX_RETRY_MS, this.#options.intervalMs * 2 ** this.#retries);
    this.#retryAtMs = performance.now() + pauseMs;
  }

  /** One that served a moment ago may keep its HTTP side waiting for a while, as vLLM does during its first prompt. */
  #mayBeBusy(): boolean {
    if (this.#known.account === undefined || this.#problem !== undefined) return false;
    this.#lateLooks += 1;
    return this.#lateLooks < LATE_LOOKS;
  }

  /** An outage has one warning, whatever stands in the way from look to look; what only a person can mend has its own. */
  #said(problem: string | undefined, kind = ''): void {
    const { log, setting } = this.#options;
    const { workerId } = this;
    const before = this.#problem;
    this.#problem = problem;
    const fields = { workerId, engineUrl: setting.url };
    if (problem === undefined) {
      this.#saidKinds.clear();
      if (before !== undefined) log.info({ event: 'engine_ready', ...fields }, 'an engine serves');
    } else if (!this.#saidKinds.has(kind)) {
      this.#saidKinds.add(kind);
      log.warn({ event: 'engine_unusable', ...fields }, `it cannot be served: ${problem}`);
    }
  }

  #saidMisfit(): void {
    const { log, misfit } = this.#options;
    const { workerId } = this;
    const before = this.#misfit;
    this.#misfit = misfit(workerId);
    if (this.#misfit === undefined || this.#misfit === before) return;
    const message = `nothing is planned on ${workerId}: its ${this.#misfit}`;
    log.warn({ event: 'engine_misfit', workerId }, message);
  }

  #tellState(): void {
    if (this.#problem !== undefined) this.#tell('starting', undefined);
    else if (this.#isDraining) this.#tell('draining', this.#metrics);
    else this.#tell(this.#pausedBecause === undefined ? 'ready' : 'starting', this.#metrics);
  }

  #tell(state: WorkerState, metrics: EngineMetrics | undefined): void {
    const account = this.#known.account;
    if (account === undefined || this.#isOver) return;
    const { facts, epoch } = account;
    this.#options.hear({
      type: 'beat',
      beat: {
        worker: facts,
        epoch,
        state,
        reason: this.#pausedBecause ?? this.#problem ?? '',
        ...account.told(),
        loads: metrics === undefined ? [] : loadsOf(metrics, facts.kvCapacityBlocks, this.#looks),
        counters: metrics === undefined ? {} : countersOf(metrics),
        leaseMs: LEASE_MS,
        adapters: this.#known.adapters.take(),
      },
    });
  }
}
