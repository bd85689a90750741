import { subscribeKvEvents } from '@baton/engine-clients';
import type { KvEventCounters, KvEventSubscriber } from '@baton/engine-clients';
import { EngineCache } from '@baton/engine-protocols';
import type { EngineCacheCounters } from '@baton/engine-protocols';
import { keyHex, Tier, unpackKeys } from '@baton/kv';
import type { SegmentLedger } from '../core/segment-ledger.ts';
import type { AgentLog } from '../agent-log.ts';

export interface EngineEventsOptions {
  eventsEndpoint: string;
  replayEndpoint: string;
  tokenization: string;
  segmentTokens: number;
  ledger: SegmentLedger;
  log: AgentLog;
}

/** Keeps the ledger's HBM tier equal to what the engine says of its cache, for as long as one engine lives. */
export class EngineEvents {
  readonly #cache: EngineCache;
  readonly #ledger: SegmentLedger;
  readonly #subscriber: KvEventSubscriber | undefined;
  #isClosed = false;

  constructor(options: EngineEventsOptions) {
    const { tokenization, segmentTokens, ledger, log } = options;
    this.#cache = new EngineCache({
      tokenization,
      segmentTokens,
      hashesAreKeys: true,
      sink: {
        store: (tier, keys) => {
          for (const key of unpackKeys(keys)) ledger.store(tier, keyHex(key));
        },
        remove: (tier, keys) => {
          for (const key of unpackKeys(keys)) ledger.remove(tier, keyHex(key));
        },
        clear: (tier) => ledger.clear(tier),
      },
    });
    this.#ledger = ledger;
    if (options.eventsEndpoint === '') return;
    this.#subscriber = subscribeKvEvents({
      eventsEndpoint: options.eventsEndpoint,
      replayEndpoint: options.replayEndpoint || undefined,
      log,
      onBatch: (batch) => {
        if (!this.#isClosed) this.#cache.apply(batch);
      },
      onReset: () => this.#clear(),
    });
  }

  get counters(): (KvEventCounters & EngineCacheCounters) | undefined {
    return this.#subscriber && { ...this.#subscriber.counters, ...this.#cache.counters };
  }

  /** The engine is gone, and its cache with it. */
  close(): void {
    if (this.#isClosed) return;
    this.#clear();
    this.#isClosed = true;
    void this.#subscriber?.close();
  }

  #clear(): void {
    if (this.#isClosed) return;
    this.#cache.reset();
    this.#ledger.clear(Tier.HBM);
  }
}
