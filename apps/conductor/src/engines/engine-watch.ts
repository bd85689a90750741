import { setTimeout as delay } from 'node:timers/promises';
import type { RankLoad, WorkerState } from '@baton/cluster';
import type { CoreInput } from '@baton/core';
import {
  lookAgain,
  probeEngine,
  type EngineAccess,
  type ProbedEngine,
} from '@baton/engine-clients';
import type { EngineMetrics } from '@baton/engine-protocols';
import { toBatonError } from '@baton/kv';
import type { Logger } from '@baton/service';
import type { EngineSetting } from '../config.ts';
import { EngineAccount } from './engine-account.ts';
import { engineFacts, engineUrlOf, requireSide, workerIdOf } from './engine-facts.ts';

/** Longer than the longest look: what does not answer is away, and not gone. */
const LEASE_MS = 60_000;
/** For an answer while the engine serves. */
const ANSWER_MS = 2_000;
/** Looks in a row without an answer in time, before the engine counts as away. */
const LATE_LOOKS = 3;
/** Looks in a row at which events could not be followed, before the engine counts as one without. */
const UNHEARD_LOOKS = 5;
/** Whether what could not be followed can be, is tried so often. */
const RETRY_EVENTS_MS = 60_000;

/** What is known of an engine. */
export interface EngineFindings {
  workerId: string;
  url: string;
  role: EngineSetting['role'];
  /** Whether it serves; undefined until it was looked at. */
  serves: boolean | undefined;
  /** Why it does not serve. */
  problem: string | undefined;
  engine: string | undefined;
  version: string | undefined;
  model: string | undefined;
  blockTokens: number | undefined;
  /** What moves its KV in a pair; empty when nothing does. */
  connector: string | undefined;
  /** It runs legs of pairs and never a whole request. */
  pairOnly: boolean | undefined;
  /** False when chats that are sent to it are refused. */
  takesChats: boolean | undefined;
  index: 'exact' | 'approximate' | undefined;
  /** Why it is not known exactly what it holds, and what would be right. */
  approximateBecause: string | undefined;
  /** Requests for which it is kept although nothing new is planned on it; undefined while that goes on. */
  drainingFor: number | undefined;
}

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
  #probed: ProbedEngine | undefined;
  #account: EngineAccount | undefined;
  /** Of the last look that succeeded. */
  #metrics: EngineMetrics | undefined;
  /** What is in the way; undefined while it serves. */
  #problem: string | undefined;
  /** As last said. */
  #misfit: string | undefined;
  #lateLooks = 0;
  #unheard = 0;
  #retryEventsAtMs = 0;
  #reports = 0;
  #isDraining = false;
  /** Why it is not known exactly what it holds. */
  #unknown: string | undefined;
  readonly #looked = Promise.withResolvers<void>();

  constructor(options: EngineWatchOptions) {
    this.#options = options;
    this.workerId = workerIdOf(options.setting);
  }

  get findings(): EngineFindings {
    const { url, ...setting } = this.#options.setting;
    const facts = this.#account?.facts;
    const role = facts?.role ?? setting.role;
    const problem = this.#problem ?? this.#options.misfit(this.workerId);
    return {
      ...{ workerId: this.workerId, url, role },
      serves: facts === undefined && problem === undefined ? undefined : problem === undefined,
      problem,
      engine: facts?.engine,
      version: facts?.layout.connectorVersion,
      model: facts?.model,
      blockTokens: facts?.layout.blockTokens,
      connector: facts?.layout.connector,
      pairOnly: facts?.pairOnly,
      takesChats: this.#probed?.takesChats,
      index: facts === undefined ? undefined : facts.approximate === true ? 'approximate' : 'exact',
      approximateBecause: this.#unknown,
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
    this.#tell(this.#problem === undefined ? 'draining' : 'starting', this.#metrics);
  }

  /** Until the signal is aborted, or it is drained; never rejects. */
  async run(): Promise<void> {
    const { signal, intervalMs, using } = this.#options;
    while (!signal.aborted) {
      await this.#look();
      this.#looked.resolve();
      if (this.#isDraining && using(this.workerId) === 0) break;
      await delay(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.#looked.resolve();
    this.#tell('leaving', undefined);
    await this.#account?.close();
  }

  /** Tells everything that is held now. */
  snapshot(snapshotId: number): void {
    this.#account?.snapshot(snapshotId);
  }

  async #look(): Promise<void> {
    const { setting, access, signal, answerMs = ANSWER_MS } = this.#options;
    const engineUrl = engineUrlOf(setting);
    try {
      const before = this.#probed;
      let metrics: EngineMetrics | undefined;
      if (before !== undefined && this.#problem === undefined) {
        metrics = await lookAgain(before, { engineUrl, timeoutMs: answerMs, access, signal });
      }
      // One that was away, or has begun again, may be another one.
      if (before === undefined || before.metrics?.startedAtSec !== metrics?.startedAtSec) {
        const probed = await probeEngine({ engineUrl, access, pair: setting, signal });
        requireSide(probed, setting);
        metrics = probed.metrics;
        this.#probed = withMetricsOf(before, probed);
      }
      await this.#keepAccount(before);
      this.#lateLooks = 0;
      this.#said(undefined);
      this.#metrics = metrics;
      this.#tell(this.#isDraining ? 'draining' : 'ready', metrics);
      this.#saidMisfit();
    } catch (error) {
      if (signal.aborted) return;
      const { code, message } = toBatonError(error);
      if (code === 'deadline_exceeded' && this.#mayBeBusy()) return;
      this.#said(message);
      this.#tell('starting', undefined);
    }
  }

  /** One that served a moment ago may keep its HTTP side waiting for a while, as vLLM does during its first prompt. */
  #mayBeBusy(): boolean {
    if (this.#account === undefined || this.#problem !== undefined) return false;
    this.#lateLooks += 1;
    return this.#lateLooks < LATE_LOOKS;
  }

  /** Another engine, or one that can be followed now and could not before, or the other way round, begins anew. */
  async #keepAccount(before: ProbedEngine | undefined): Promise<void> {
    const { setting, hear, log } = this.#options;
    const probed = this.#probed;
    if (probed === undefined) return;
    const known = this.#account;
    const isSame =
      known !== undefined && isSameEngine(before, probed) && !this.#mayBeEmpty(known, probed);
    const facts = engineFacts(probed, setting, probed.events !== undefined && this.#mayHear());
    if (isSame && known.facts.approximate === facts.approximate) return;
    await known?.close();
    this.#account = new EngineAccount({ facts, probed, hear, log });
    const { workerId } = this;
    const { engine, version, eventsObstacle, model } = probed;
    const index = facts.approximate === true ? 'approximate' : 'exact';
    const { connector } = facts.layout;
    const fields = { workerId, engine, version, model: model.id, index, connector };
    this.#unknown = index === 'exact' ? undefined : (eventsObstacle ?? known?.obstacle);
    const caches = probed.metrics?.cache?.prefixCaching !== false;
    const why = caches ? this.#unknown : 'it caches no prefixes';
    log.info({ event: 'engine_found', ...fields, why }, `${workerId} is ${engine} ${version}`);
    if (facts.role !== 'both' && connector === '') {
      log.warn({ event: 'engine_alone', workerId }, noConnector(facts.role, engine));
    }
    if (!probed.takesChats) log.warn({ event: 'engine_without_chats', workerId }, NO_CHATS);
  }

  /** One that was away and tells neither when it began nor what it holds may have begun anew. */
  #mayBeEmpty({ facts }: EngineAccount, { metrics }: ProbedEngine): boolean {
    const tells = facts.approximate !== true || (metrics?.startedAtSec ?? 0) > 0;
    return this.#problem !== undefined && !tells;
  }

  /** Whether its events are to be followed: not for a while after they could not be. */
  #mayHear(): boolean {
    const nowMs = performance.now();
    if (nowMs < this.#retryEventsAtMs) return false;
    this.#unheard = this.#account?.obstacle === undefined ? 0 : this.#unheard + 1;
    if (this.#unheard < UNHEARD_LOOKS) return true;
    this.#unheard = 0;
    this.#retryEventsAtMs = nowMs + RETRY_EVENTS_MS;
    return false;
  }

  #said(problem: string | undefined): void {
    const { log, setting } = this.#options;
    if (problem === this.#problem) return;
    this.#problem = problem;
    const fields = { engineUrl: setting.url };
    if (problem === undefined) log.info({ event: 'engine_ready', ...fields }, 'an engine serves');
    else log.warn({ event: 'engine_unusable', ...fields }, problem);
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

  #tell(state: WorkerState, metrics: EngineMetrics | undefined): void {
    const account = this.#account;
    if (account === undefined) return;
    const { facts, epoch } = account;
    this.#options.hear({
      type: 'beat',
      beat: {
        worker: facts,
        epoch,
        state,
        reason: this.#problem ?? '',
        ...account.told(),
        loads: metrics === undefined ? [] : this.#loads(metrics, facts.kvCapacityBlocks),
        counters: countersOf(metrics),
        leaseMs: LEASE_MS,
      },
    });
  }

  /** vLLM says neither how many prompt tokens wait in it nor how fast it is: that is learned from its answers. */
  #loads({ ranks }: EngineMetrics, kvCapacityBlocks: number): RankLoad[] {
    this.#reports += 1;
    return ranks.map(({ running, waiting, kvUsage }, rank) => ({
      rank,
      runningSequences: running,
      waitingSequences: waiting,
      pendingPrefillTokens: 0,
      kvUsedBlocks: Math.round(kvUsage * kvCapacityBlocks),
      prefillTokensPerSec: 0,
      decodeTokensPerSec: 0,
      dramBytesPerSec: 0,
      ssdBytesPerSec: 0,
      report: this.#reports,
    }));
  }
}

/** As agents count, as far as the engine's metrics tell. */
function countersOf(metrics: EngineMetrics | undefined): Record<string, number> {
  if (metrics === undefined) return {};
  const { nixl, promptTokens } = metrics;
  return {
    ...(promptTokens !== undefined && {
      computedTokens: promptTokens.computed,
      reusedTokens: promptTokens.reused,
      receivedTokens: promptTokens.received,
    }),
    ...(nixl !== undefined && {
      ...{ pullsCompleted: nixl.transfers, pullsFailed: nixl.failedTransfers, bytesIn: nixl.bytes },
    }),
  };
}

const NO_CHATS =
  'its /tokenize gives no tokens of a chat: chats that are sent to it are refused, completions are served';

function noConnector(role: string, engine: ProbedEngine['engine']): string {
  const lacks = `and cannot be the ${role} side of a pair`;
  return engine === 'vllm'
    ? `it has no NixlConnector ${lacks}; start it with --kv-transfer-config`
    : `it does whole requests ${lacks}; start it with --disaggregation-mode ${role}`;
}

/** A page of metrics that fails for once makes no other engine: what it said before still holds. */
function withMetricsOf(before: ProbedEngine | undefined, now: ProbedEngine): ProbedEngine {
  if (now.metrics !== undefined || before?.metrics === undefined) return now;
  const { metrics, connector } = before;
  const known = { ...now, metrics, connector };
  return isSameEngine(before, known) ? known : now;
}

function isSameEngine(before: ProbedEngine | undefined, now: ProbedEngine): boolean {
  if (before === undefined) return false;
  const identity = ({ metrics, ...said }: ProbedEngine): string => {
    const { startedAtSec, cache } = metrics ?? {};
    return JSON.stringify({ ...said, eventsObstacle: undefined, startedAtSec, cache });
  };
  return identity(before) === identity(now);
}
