import { EngineCache, engineTiers, EventDecoder } from '@baton/engine-protocols';
import type {
  EngineCacheCounters,
  EngineCacheOptions,
  EngineCacheSink,
  EventDialect,
} from '@baton/engine-protocols';
import type { EventJournal } from './event-journal.ts';
import type { ResetReason } from './event-stream.ts';
import { checkKvEventSource, subscribeKvEvents } from './subscribe.ts';
import type { KvEventCounters, KvEventSource, KvEventSubscriber } from './subscribe.ts';
import type { KvEventLog } from './kv-event-log.ts';

/** Where journals come from; a {@link JournalFolder} is one. */
export interface EventJournals {
  /** Undefined when there can be none. */
  journal(name: string, identity: string): Promise<EventJournal | undefined>;
}

export interface CacheFollowerOptions {
  source: KvEventSource;
  dialect?: Exclude<EventDialect, 'snapshot'> | undefined;
  /** Data-parallel rank; for the log and the journal's name. */
  rank: number;
  cache: Omit<EngineCacheOptions, 'sink'>;
  sink: EngineCacheSink;
  /** Where what was heard is remembered for a later life of this process. */
  journals?: EventJournals | undefined;
  /** What keys and names mean: with another engine, model or tokenization what is remembered is void. */
  identity: string;
  /** What was known of the rank is given up. */
  onReset?(reason: ResetReason): void;
  log?: KvEventLog | undefined;
  replayTimeoutMs?: number | undefined;
  catchUpMs?: number | undefined;
}

export interface CacheFollowerCounters extends KvEventCounters, EngineCacheCounters {
  /** Batches and single events that cannot be read. */
  decodeFailures: number;
  /** Times that the journal had to stop. */
  journalFailures: number;
}

/** Batches that have waited are applied so many at a time: others have their turn between. */
const BATCHES_PER_TURN = 32;

/**
 * The cache of one rank of an engine, as its events say it. What a journal remembers is told to the sink when the
 * engine has confirmed that it is still the one that it was, and not before.
 */
export class CacheFollower {
  readonly cache: EngineCache;
  readonly #options: CacheFollowerOptions;
  readonly #decoder: EventDecoder;
  readonly #starting: Promise<void> | undefined;
  #subscriber: KvEventSubscriber | undefined;
  #journal: EventJournal | undefined;
  #decodeFailures = 0;
  /** True from when the engine is known to be the one that the cache is about. */
  #isTelling = false;
  #isClosed = false;

  /** @throws BatonError config_invalid for an endpoint that is none, RangeError for settings of the cache. */
  constructor(options: CacheFollowerOptions) {
    checkKvEventSource(options.source);
    this.#options = options;
    this.#decoder = new EventDecoder(options.dialect);
    const { sink } = options;
    this.cache = new EngineCache({
      ...options.cache,
      sink: {
        store: (tier, keys, resumePoints) => {
          if (this.#isTelling) sink.store(tier, keys, resumePoints);
        },
        remove: (tier, keys, resumePoints) => {
          if (this.#isTelling) sink.remove(tier, keys, resumePoints);
        },
        clear: (tier, resumePoints) => {
          if (this.#isTelling) sink.clear(tier, resumePoints);
        },
      },
    });
    if (options.journals) this.#starting = this.#startWith(options.journals);
    else this.#subscribe(undefined);
  }

  /** Why nothing can be heard now; undefined while the engine can be. */
  get fault(): string | undefined {
    return this.#subscriber?.fault;
  }

  get counters(): CacheFollowerCounters {
    return {
      ...(this.#subscriber?.counters ?? noCounts),
      ...this.cache.counters,
      decodeFailures: this.#decodeFailures,
      journalFailures: this.#journal?.failures ?? 0,
    };
  }

  /** Nothing is told after this call. Resolves when what was heard is on disk. */
  async close(): Promise<void> {
    this.#isTelling = false;
    this.#isClosed = true;
    this.#subscriber?.close();
    await this.#starting;
    await this.#journal?.close();
  }

  async #startWith(journals: EventJournals): Promise<void> {
    const { rank, identity } = this.#options;
    this.#journal = await journals.journal(`rank-${rank}`, identity);
    const snapshots = new EventDecoder('snapshot');
    const end = await this.#journal?.restore({
      snapshot: (chunk) => this.#apply(snapshots, chunk),
      batch: (payload) => this.#apply(this.#decoder, payload),
    });
    if (this.#isClosed) return;
    if (end === undefined) this.cache.reset();
    this.#subscribe(end);
  }

  #subscribe(resumeAfter: { seq: number; digest: number } | undefined): void {
    const { source, log, replayTimeoutMs, catchUpMs } = this.#options;
    this.#subscriber = subscribeKvEvents({
      ...source,
      resumeAfter,
      log,
      replayTimeoutMs,
      catchUpMs,
      onBatch: (seq, payload, digest) => this.#take(seq, payload, digest),
      onReset: (reason) => this.#reset(reason),
      onConfirmed: () => this.#tell(),
      // What comes by replay is no moment to stop at.
      onCheck: () => this.#compactIfDue(),
    });
  }

  #apply(decoder: EventDecoder, payload: Uint8Array): number {
    const batch = decoder.decode(payload);
    if (batch) this.cache.apply(batch);
    return batch ? batch.skipped : 1;
  }

  #take(seq: number, payload: Uint8Array, digest: number): void {
    this.#decodeFailures += this.#apply(this.#decoder, payload);
    this.#journal?.append(seq, digest, payload);
    this.#compactIfDue();
  }

  /** The events wait while the snapshot is written, so that it is one of a single moment. */
  #compactIfDue(): void {
    const journal = this.#journal;
    const stream = this.#subscriber?.stream;
    if (!journal?.wantsCompaction || !stream || stream.next === 0 || !stream.hold()) return;
    const end = { seq: stream.next - 1, digest: stream.lastDigest };
    const goOn = (): void => {
      if (!stream.release(BATCHES_PER_TURN)) setImmediate(goOn);
    };
    void journal.compact(this.cache.snapshot(), end).then(goOn);
  }

  #reset(reason: ResetReason): void {
    this.cache.reset();
    this.#journal?.forget();
    this.#options.onReset?.(reason);
  }

  /** Everything that was known before it could be told. */
  #tell(): void {
    if (this.#isTelling || this.#isClosed) return;
    this.#isTelling = true;
    const { sink } = this.#options;
    for (const tier of engineTiers) {
      for (const resumePoints of [false, true]) {
        const keys = this.cache.heldKeys(tier, resumePoints);
        if (keys.length > 0) sink.store(tier, keys, resumePoints);
      }
    }
  }
}

const noCounts: KvEventCounters = {
  batches: 0,
  gaps: 0,
  replayed: 0,
  resets: 0,
  restarts: 0,
  repeated: 0,
  dropped: 0,
  unreadable: 0,
};
