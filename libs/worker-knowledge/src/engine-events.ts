import { CacheFollower, resetEngineCache, type EngineAccess } from '@baton/engine-clients';
import type { CacheFollowerCounters, JournalFolder } from '@baton/engine-clients';
import { Tier } from '@baton/kv';
import type { KnowledgeLog } from './knowledge-log.ts';
import type { EventSettings } from './event-settings.ts';
import { CACHE_RESET_INTERVAL_MS, EVENT_REPORT_INTERVAL_MS } from './limits.ts';
import type { SegmentLedger } from './segment-ledger.ts';
import { eventSources } from './event-sources.ts';

/** What has to be known of an engine to make sense of its events. */
export interface FollowedEngine {
  worker: { engine: string; engineUrl: string; layout: { blockTokens: number } };
  /** Engines with the same identity can use each other's segments and keys. */
  identity: string;
  tokenization: string;
  segmentTokens: number;
  eventsEndpoint: string;
  replayEndpoint: string;
  /** Which weights the name of an adapter stands for now; undefined where that is not known. */
  adapterRevision?: (name: string) => string | undefined;
}

export interface EngineEventsOptions {
  facts: FollowedEngine;
  settings: EventSettings;
  /** To the engine's API, where it asks for a key or has a certificate of its own. */
  access?: EngineAccess | undefined;
  ledger: SegmentLedger;
  /** Where what the engine said is remembered. */
  journals?: JournalFolder | undefined;
  log: KnowledgeLog;
  now(): number;
}

export interface EngineEventCounters {
  /** One for each rank. */
  ranks: CacheFollowerCounters[];
  /** Now: ranks that announce nothing, since their model is hybrid and that is not allowed. */
  hybridRefusedRanks: number;
  cacheResets: number;
  cacheResetFailures: number;
}

/** Baton's own engine: the hashes of its events are segment keys. */
const OWN_ENGINE = 'llama';
/** What is worth a word in the log when it grows. */
const faults = [
  'gaps',
  'unreadable',
  'decodeFailures',
  'malformed',
  'mismatched',
  'refused',
  'dropped',
  'otherBlockSizes',
] as const;

/** Keeps the ledger's account of the engine's tiers equal to what the engine says, for as long as one engine lives. */
export class EngineEvents {
  readonly #options: EngineEventsOptions;
  readonly #followers: CacheFollower[];
  /** Ranks whose model is not followed, and of which that has been said. */
  readonly #refused = new Set<number>();
  /** Faults of each rank that have been reported. */
  readonly #reported = new Map<CacheFollower, CacheFollowerCounters>();
  #nextReportMs = 0;
  #nextCacheResetMs = 0;
  #cacheResets = 0;
  #cacheResetFailures = 0;
  #closing: Promise<unknown> | undefined;

  /** @throws BatonError config_invalid for an endpoint that is none. */
  constructor(options: EngineEventsOptions) {
    this.#options = options;
    const { eventsEndpoint, replayEndpoint } = options.facts;
    const sources = eventSources(options.settings, { eventsEndpoint, replayEndpoint });
    this.#followers = sources.map((source, rank) => this.#follow(source, rank));
  }

  get counters(): EngineEventCounters {
    return {
      ranks: this.#followers.map(({ counters }) => counters),
      hybridRefusedRanks: this.#followers.filter(({ cache }) => cache.hybridRefused).length,
      cacheResets: this.#cacheResets,
      cacheResetFailures: this.#cacheResetFailures,
    };
  }

  /** Why nothing can be heard of a rank now; undefined while all can be heard. */
  get fault(): string | undefined {
    return this.#followers.find(({ fault }) => fault !== undefined)?.fault;
  }

  /** Time has passed: faults that have come are reported, not more often than is of use. */
  tick(): void {
    const { now } = this.#options;
    if (now() < this.#nextReportMs) return;
    this.#nextReportMs = now() + EVENT_REPORT_INTERVAL_MS;
    this.#followers.forEach((follower, rank) => this.#report(follower, rank));
  }

  /** The engine is gone, and its cache with it. Resolves when what it said is on disk. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  #close(): Promise<unknown> {
    const closing = Promise.all(this.#followers.map((follower) => follower.close()));
    const { ledger } = this.#options;
    for (const { rank, tier, resumePoints, segments } of ledger.states()) {
      // The arena goes on; all else was the engine's.
      if (tier !== Tier.DRAM && segments > 0) ledger.clear({ rank, tier, resumePoints });
    }
    return closing;
  }

  #follow(source: ReturnType<typeof eventSources>[number], rank: number): CacheFollower {
    const { facts, settings, ledger, journals, log } = this.#options;
    const { tokenization, segmentTokens, worker } = facts;
    const isOwn = worker.engine === OWN_ENGINE;
    const dialect = settings.dialect ?? (worker.engine === 'sglang' ? 'sglang' : 'vllm');
    const place = (tier: Tier, resumePoints: boolean) => ({ rank, tier, resumePoints });
    return new CacheFollower({
      source,
      dialect,
      rank,
      cache: {
        tokenization,
        segmentTokens,
        hashesAreKeys: isOwn,
        adapterRevision: facts.adapterRevision,
        hybrid: settings.hybrid,
        blockTokens: isOwn ? segmentTokens : worker.layout.blockTokens,
      },
      sink: {
        store: (tier, keys, resumePoints) => ledger.store(place(tier, resumePoints), keys),
        remove: (tier, keys, resumePoints) => ledger.remove(place(tier, resumePoints), keys),
        clear: (tier, resumePoints) => ledger.clear(place(tier, resumePoints)),
      },
      journals,
      identity: JSON.stringify([facts.identity, worker.engine, dialect, settings.hybrid, isOwn]),
      log,
      onReset: (reason) => {
        if (reason === 'gap') void this.#resetCache();
      },
    });
  }

  /** What the engine has in its cache cannot be known any more: with an empty one it can. */
  async #resetCache(): Promise<void> {
    const { facts, settings, access, log, now } = this.#options;
    if (!settings.resetEngineCache || now() < this.#nextCacheResetMs) return;
    this.#nextCacheResetMs = now() + CACHE_RESET_INTERVAL_MS;
    const { engine, engineUrl } = facts.worker;
    const fault = await resetEngineCache({ engine, engineUrl, access });
    if (fault === undefined) {
      this.#cacheResets += 1;
      log.info({ event: 'engine_cache_reset' }, 'the engine has emptied its prefix cache');
    } else {
      this.#cacheResetFailures += 1;
      log.warn({ event: 'engine_cache_reset_failed', reason: fault }, fault);
    }
  }

  #report(follower: CacheFollower, rank: number): void {
    const { counters, cache } = follower;
    const { log } = this.#options;
    if (cache.hybridRefused && !this.#refused.has(rank)) {
      this.#refused.add(rank);
      const message = `rank ${rank} is not announced: its model has sliding-window or state layers, and events.hybrid is off`;
      log.warn({ event: 'hybrid_refused', rank }, message);
    }
    const before = this.#reported.get(follower);
    this.#reported.set(follower, counters);
    const grown = faults
      .map((name) => [name, counters[name] - (before?.[name] ?? 0)] as const)
      .filter(([, count]) => count > 0);
    if (grown.length === 0) return;
    const counts = Object.fromEntries(grown);
    log.warn(
      { event: 'kv_event_faults', rank, ...counts },
      `faults in the KV events of rank ${rank}`,
    );
  }
}
