import type { WorkerFacts } from '@baton/cluster';
import type { CoreInput } from '@baton/core';
import type { ProbeResult, ProbedEngine } from '@baton/engine-clients';
import type { Logger } from '@baton/service';
import { EngineAdapters } from '@baton/worker-knowledge';
import type { EngineSetting } from '../config.ts';
import { EngineAccount } from './engine-account.ts';
import { engineFacts, requireSide } from './engine-facts.ts';

/** Looks in a row at which events could not be followed, before the engine counts as one without. */
const UNHEARD_LOOKS = 5;

export interface KnownEngineOptions {
  setting: EngineSetting;
  workerId: string;
  hear: (input: CoreInput) => void;
  log: Logger;
}

/**
 * What is told of an engine, and how well it is known. While its events cannot be followed it is known by what it was
 * given; they are tried aside meanwhile, and take over when they come, so that no guess is given up for nothing.
 */
export class KnownEngine {
  /** Undefined until it was looked at. */
  account: EngineAccount | undefined;
  probed: ProbeResult | undefined;
  /** Why it is not known exactly what it holds. */
  unknown: string | undefined;
  readonly adapters = new EngineAdapters();
  readonly #options: KnownEngineOptions;
  /** Follows events of which none have come yet. */
  #aside: EngineAccount | undefined;
  #unheard = 0;

  constructor(options: KnownEngineOptions) {
    this.#options = options;
  }

  /**
   * It was looked at. Another engine than before begins anew.
   *
   * @param wasAway it did not serve at the look before
   * @throws BatonError config_invalid for one that is another side of pairs than it was given as, and for endpoints of
   *   events that are none
   */
  async looked(now: ProbeResult, wasAway: boolean): Promise<void> {
    const before = this.probed;
    const probed = withAnswersOf(before, now);
    const { account } = this;
    requireSide(probed, this.#options.setting);
    this.probed = probed;
    const isSame =
      account !== undefined &&
      isSameEngine(before, probed) &&
      !(wasAway && mayBeEmpty(account.facts, probed));
    if (!isSame) this.adapters.begin();
    this.adapters.heard(probed.engine, probed);
    if (isSame) await this.#judge(account, probed);
    else await this.#begin(this.#accountOf(probed, probed.events !== undefined));
  }

  async close(): Promise<void> {
    await Promise.all([this.account?.close(), this.#aside?.close()]);
  }

  /** Whether the same engine is known as well as it can be. */
  async #judge(account: EngineAccount, probed: ProbedEngine): Promise<void> {
    const aside = this.#aside;
    if (aside !== undefined) {
      if (aside.obstacle === undefined) await this.#begin(aside);
      return;
    }
    this.#unheard = account.obstacle === undefined ? 0 : this.#unheard + 1;
    if (this.#unheard < UNHEARD_LOOKS) return;
    const { obstacle, isHybrid } = account;
    await this.#begin(this.#accountOf(probed, false), obstacle);
    if (!isHybrid) this.#aside = this.#accountOf(probed, true, false);
  }

  #accountOf(probed: ProbedEngine, isHeard: boolean, isTold = true): EngineAccount {
    const { setting, hear, log } = this.#options;
    const facts = engineFacts(probed, setting, isHeard);
    const adapterRevision = (name: string) => this.adapters.revisionOf(name);
    return new EngineAccount({ facts, probed, adapterRevision, isTold, hear, log });
  }

  /** @param obstacle why its events cannot be followed although it publishes some */
  async #begin(account: EngineAccount, obstacle?: string): Promise<void> {
    const before = [this.account, this.#aside].filter((old) => old !== account);
    this.#aside = undefined;
    this.#unheard = 0;
    account.isTold = true;
    this.account = account;
    const isExact = account.facts.approximate !== true;
    this.unknown = isExact ? undefined : (this.probed?.eventsObstacle ?? obstacle);
    await Promise.all(before.map((old) => old?.close()));
    this.#say(account.facts);
  }

  #say({ approximate, layout: { connector }, role }: WorkerFacts): void {
    const { log, workerId } = this.#options;
    const { probed } = this;
    if (probed === undefined) return;
    const { engine, version, model } = probed;
    const index = approximate === true ? 'approximate' : 'exact';
    const fields = { workerId, engine, version, model: model.id, index, connector };
    const caches = probed.metrics?.cache?.prefixCaching !== false;
    const why = caches ? this.unknown : 'it caches no prefixes';
    log.info({ event: 'engine_found', ...fields, why }, `${workerId} is ${engine} ${version}`);
    if (role !== 'both' && connector === '') {
      log.warn({ event: 'engine_alone', workerId }, noConnector(role, engine));
    }
    if (!probed.takesChats) log.warn({ event: 'engine_without_chats', workerId }, NO_CHATS);
  }
}

const NO_CHATS =
  'its /tokenize gives no tokens of a chat: chats that are sent to it are refused, completions are served';

function noConnector(role: string, engine: ProbedEngine['engine']): string {
  const lacks = `and cannot be the ${role} side of a pair`;
  return engine === 'vllm'
    ? `it has no NixlConnector ${lacks}; start it with --kv-transfer-config`
    : `it does whole requests ${lacks}; start it with --disaggregation-mode ${role}`;
}

/** Answers that fail for once make no other engine: what it said before still holds. */
function withAnswersOf(before: ProbeResult | undefined, now: ProbeResult): ProbeResult {
  if (before === undefined) return now;
  const startedAtSec = now.metrics?.startedAtSec ?? 0;
  const isStillIt =
    startedAtSec > 0 &&
    startedAtSec === before.metrics?.startedAtSec &&
    now.version === before.version;
  if (now.isProvisional && isStillIt) {
    return { ...before, metrics: now.metrics, adapters: now.adapters };
  }
  if (now.metrics !== undefined || before.metrics === undefined) return now;
  const { metrics, connector } = before;
  const known = { ...now, metrics, connector };
  return isSameEngine(before, known) ? known : now;
}

function isSameEngine(before: ProbeResult | undefined, now: ProbeResult): boolean {
  if (before === undefined) return false;
  const identity = ({ metrics, ...said }: ProbeResult): string => {
    const { startedAtSec, cache } = metrics ?? {};
    return JSON.stringify({
      ...{ ...said, eventsObstacle: undefined, isProvisional: undefined, adapters: undefined },
      ...{ startedAtSec, cache },
    });
  };
  return identity(before) === identity(now);
}

/** One that was away and tells neither when it began nor what it holds may have begun anew. */
function mayBeEmpty({ approximate }: WorkerFacts, { metrics }: ProbedEngine): boolean {
  return approximate === true && (metrics?.startedAtSec ?? 0) === 0;
}
