import type { CacheFollowerCounters } from '@baton/engine-clients';
import type { baton } from '@baton/proto';
import type { EngineEventCounters } from './engine-events.ts';

type Counts = Partial<Record<keyof ReturnType<typeof countsOf>, number>>;

/** The counters of a beat that come from engines' events: since the epoch began, engines that are gone included. */
export class EventCounts {
  #before: Counts = {};

  /** An engine is gone: what was counted with it stays. */
  ended(events: EngineEventCounters): void {
    this.#before = sum(this.#before, countsOf(events));
  }

  /** @param events those of the present engine, if there is one. */
  now(events: EngineEventCounters | undefined): baton.v1.IAgentCounters {
    if (events === undefined) return this.#before;
    return {
      ...sum(this.#before, countsOf(events)),
      unresolvedBlocks: total(events, (rank) => rank.unresolvedBlocks),
      hybridRefusedRanks: events.hybridRefusedRanks,
    };
  }
}

function countsOf(events: EngineEventCounters) {
  return {
    eventGaps: total(events, (rank) => rank.gaps),
    eventDecodeFailures: total(events, (rank) => rank.decodeFailures + rank.unreadable),
    replayedBatches: total(events, (rank) => rank.replayed),
    eventResets: total(events, (rank) => rank.resets),
    engineRestarts: total(events, (rank) => rank.restarts),
    eventMismatches: total(events, (rank) => rank.mismatched),
    malformedEvents: total(events, (rank) => rank.malformed),
    ignoredBlocks: total(events, (rank) => rank.ignored),
    refusedBlocks: total(events, (rank) => rank.refused),
    otherBlockSizes: total(events, (rank) => rank.otherBlockSizes),
    journalFailures: total(events, (rank) => rank.journalFailures),
    engineCacheResets: events.cacheResets,
    engineCacheResetFailures: events.cacheResetFailures,
  } satisfies baton.v1.IAgentCounters;
}

function total(events: EngineEventCounters, of: (rank: CacheFollowerCounters) => number): number {
  return events.ranks.reduce((sum, rank) => sum + of(rank), 0);
}

function sum(before: Counts, more: Required<Counts>): Required<Counts> {
  const names = Object.keys(more) as (keyof Counts)[];
  const sums = names.map((name) => [name, (before[name] ?? 0) + more[name]]);
  return Object.fromEntries(sums) as Required<Counts>;
}
