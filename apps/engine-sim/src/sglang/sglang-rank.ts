import { encodeSglangBatch } from '@baton/engine-protocols';
import type { EventPublisher } from '@baton/kv-events';
import { SimEngine, type PoolEvent } from '../engine/sim-engine.ts';
import type { EngineObserver } from '../engine/engine-observer.ts';
import { adapterDefaults } from '../engine-options.ts';
import type { Adapters } from '../http/adapters.ts';
import type { Front } from '../http/front.ts';
import { ByteTokenizer } from '../model/byte-tokenizer.ts';
import { publishBatch } from '../observe/event-publishing.ts';
import type { LifeContext } from '../stand-in.ts';
import type { BootstrapNetwork } from './bootstrap-network.ts';
import type { BootstrapServer } from './bootstrap-server.ts';
import { PageCopies } from './page-copies.ts';
import { SglangPageNaming, UnsharedNaming } from './page-names.ts';
import { SglangDialect } from './sglang-dialect.ts';
import type { SglangSettings } from './sglang-settings.ts';

export interface SglangRankOptions extends LifeContext {
  settings: SglangSettings;
  network: BootstrapNetwork;
  /** Of a prefill server, for all its ranks. */
  bootstrap: BootstrapServer | undefined;
  rank: number;
  /** Those of all ranks. */
  adapters: Adapters;
  /** Requests of all ranks that are open. */
  open: { count: number };
}

const nothing = (): void => undefined;
const unobserved: EngineObserver = {
  ...{ submitted: nothing, admitted: nothing, preempted: nothing },
  ...{ stepped: nothing, token: nothing, ended: nothing },
};

/** A data-parallel rank of an SGLang stand-in: what computes, with a cache and events of its own. */
export class SglangRank {
  readonly engine: SimEngine;
  readonly front: Front;
  publisher: EventPublisher | undefined;
  readonly #options: SglangRankOptions;
  readonly #copies: PageCopies;

  constructor(options: SglangRankOptions) {
    this.#options = options;
    const { settings, clock, faults, network, complain, bootstrap, rank } = options;
    const { mode } = settings;
    const tokenizer = new ByteTokenizer(settings.vocabSize);
    this.#copies = new PageCopies(settings.blockTokens);
    this.engine = new SimEngine({
      ...settings,
      maxBatchTokens: settings.maxBatchTokens ?? settings.cost.chunkTokens,
      ...(settings.adapters && {
        adapterSlots: settings.adapters.slots,
        adapterLoadMs: settings.adapters.loadMs,
      }),
      endToken: tokenizer.endToken,
      naming: this.#cachesPrefixes ? new SglangPageNaming() : new UnsharedNaming(),
      clock,
      observer: unobserved,
      onCacheEvents: (events) => this.#publish(events),
      onDeath: () => bootstrap?.close(),
      onWrongKv: (run) => complain('wrong_kv', `${run.request.id} decodes from other KV`),
    });
    const pool = (): SimEngine['pool'] => this.engine.pool;
    this.front = {
      ...{
        settings: {
          ...{ ...settings, nixl: undefined, mooncake: undefined, hashSeed: '' },
          adapters: settings.adapters ?? adapterDefaults,
        },
        engine: this.engine,
      },
      ...{ tokenizer, adapters: options.adapters, clock, faults, complain },
      dialect: new SglangDialect({
        ...{ mode, clock, faults, network, bootstrap, complain, rank, pool },
        takesAdapters: settings.adapters !== undefined,
      }),
      fingerprint: '',
      createdSec: Math.floor(clock.wall() / 1_000),
      open: options.open,
    };
  }

  /** A decode server keeps no prefixes unless it is told to. */
  get #cachesPrefixes(): boolean {
    return this.#options.settings.mode !== 'decode';
  }

  #publish(happened: readonly PoolEvent[]): void {
    if (!this.#cachesPrefixes) return;
    const events = this.#copies.events(happened);
    if (events.length === 0) return;
    const { clock, faults, rank } = this.#options;
    publishBatch(this.publisher, faults, encodeSglangBatch(clock.wall() / 1_000, events, rank));
  }
}
