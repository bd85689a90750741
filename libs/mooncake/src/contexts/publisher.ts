import { EngineCache, type EngineCacheCounters, type EventDecoder } from '@baton/engine-protocols';
import { BlockKeys, chainRoot } from '../keys/block-keys.ts';
import type { BlockIndex } from './block-index.ts';
import type { EventFeed, EventFeedCounters, EventSource, OpenEventFeed } from './event-feed.ts';
import { RankBlocks } from './rank-blocks.ts';
import { publisherText, type RegistrationRequest } from './registration-request.ts';

/** Blocks whose content is not known; each may need room in the index once it is. */
const MAX_UNRESOLVED_BLOCKS = 4_096;
/** What it costs, in blocks, to take out a publisher that has none. */
const LISTING_COST = 256;

/**
 * Why the index may not have what a publisher has: its blocks cannot be used, they are another rank's, or it cannot be
 * heard; what was last heard of it then stays.
 */
export type PublisherProblem =
  'block_size_mismatch' | 'hybrid_model' | 'other_rank' | 'disconnected';

/** Everything that is counted of a publisher. */
export interface PublisherCounters extends EngineCacheCounters, EventFeedCounters {
  /** Events and whole batches that could not be read. */
  decodeFailures: number;
  /** Batches of another data-parallel rank than the registered one. */
  otherRanks: number;
  /** Chains of blocks of another adapter than the registered one. */
  otherAdapters: number;
}

export interface PublisherOptions {
  request: RegistrationRequest;
  index: BlockIndex;
  /** Number of the rank in its context. */
  rank: number;
  maxBlocks: number;
  decoder: EventDecoder;
  openFeed: OpenEventFeed;
}

/** One registered publisher: the events of one rank of an instance, followed into the index of a context. */
export class Publisher {
  readonly request: RegistrationRequest;
  readonly rank: number;
  readonly #maxBlocks: number;
  readonly #blocks: RankBlocks;
  readonly #feed: EventFeed;
  readonly #cache: EngineCache;
  readonly #decoder: EventDecoder;
  #isClosed = false;
  #decodeFailures = 0;
  #otherRanks = 0;
  /** Something of what it has was said by another rank. */
  #hasOtherRank = false;
  #otherAdapters = 0;

  /** @throws BatonError config_invalid for an endpoint that cannot be used */
  constructor({ request, index, rank, maxBlocks, decoder, openFeed }: PublisherOptions) {
    this.request = request;
    this.rank = rank;
    this.#maxBlocks = maxBlocks;
    this.#blocks = new RankBlocks(index, rank);
    this.#decoder = decoder;
    this.#cache = this.#newCache();
    try {
      this.#feed = openFeed(this.#source());
    } catch (error) {
      this.#blocks.close();
      throw error;
    }
  }

  get counters(): PublisherCounters {
    return {
      ...this.#cache.counters,
      ...this.#feed.counters,
      decodeFailures: this.#decodeFailures,
      otherRanks: this.#otherRanks,
      otherAdapters: this.#otherAdapters,
    };
  }

  /** Blocks held, by tier. */
  get held(): { gpu: number; cpu: number; disk: number } {
    const [gpu, cpu, disk] = [0, 1, 2].map((tier) => this.#blocks.held(tier));
    return { gpu: gpu ?? 0, cpu: cpu ?? 0, disk: disk ?? 0 };
  }

  /** Tokens of a block, as the engine says it; undefined while it has said nothing. */
  get engineBlockSize(): number | undefined {
    return this.#cache.blockTokens;
  }

  get problem(): PublisherProblem | undefined {
    if (this.#cache.hybridRefused) return 'hybrid_model';
    const size = this.engineBlockSize;
    if (size !== undefined && this.request.blockSize % size !== 0) return 'block_size_mismatch';
    if (this.#hasOtherRank) return 'other_rank';
    return this.feedFault === undefined ? undefined : 'disconnected';
  }

  /** Why nothing can be heard of it now. */
  get feedFault(): string | undefined {
    return this.#feed.fault;
  }

  /** Id of the block that the engine calls by this name; -1 when it is not known. */
  idOf(words: Uint32Array, at: number, kind: number): number {
    return this.#cache.segmentOfBlock(words, at, kind);
  }

  /** Unsubscribes: nobody finds what it has any more, which {@link sweep} takes out of the index. */
  leave(): void {
    this.#isClosed = true;
    this.#feed.close();
    this.#blocks.hide();
  }

  /** It has left, and the index has nothing of it any more. */
  get isGone(): boolean {
    return this.#blocks.isGone;
  }

  /**
   * Goes on taking out what it had when it left: about `maxBlocks`, and says what that cost. The first call only makes
   * a list of all blocks, since a cache lets go of them in one go; that takes a fraction of the time.
   */
  sweep(maxBlocks: number): number {
    if (this.#blocks.isLeaving) return this.#blocks.sweep(maxBlocks);
    const { blocks } = this.#cache;
    this.#blocks.leave(blocks);
    this.#cache.reset();
    return LISTING_COST + blocks;
  }

  #source(): EventSource {
    const { request } = this;
    return {
      publisher: publisherText(request),
      endpoint: request.endpoint,
      replayEndpoint: request.replayEndpoint,
      onPayload: (payload) => this.#take(payload),
      onReset: () => {
        this.#hasOtherRank = false;
        if (!this.#isClosed) this.#cache.reset();
      },
    };
  }

  #take(payload: Uint8Array): void {
    if (this.#isClosed) return;
    const batch = this.#decoder.decode(payload);
    this.#decodeFailures += batch?.skipped ?? 1;
    if (batch === undefined) return;
    if (batch.rank !== this.request.dpRank) {
      this.#otherRanks += 1;
      this.#hasOtherRank = true;
    }
    this.#cache.apply(batch);
  }

  #newCache(): EngineCache {
    const { blockSize } = this.request;
    return new EngineCache({
      tokenization: '',
      keys: {
        hasher: new BlockKeys(blockSize),
        root: (adapter, salt) => this.#root(adapter, salt),
      },
      segmentTokens: blockSize,
      blockTokens: blockSize,
      maxBlocks: this.#maxBlocks,
      maxUnresolvedBlocks: MAX_UNRESOLVED_BLOCKS,
      sink: silent,
      segments: this.#blocks,
    });
  }

  /** What a publisher does not say itself its registration says; vLLM names the adapter wherever there is one. */
  #root(said: string | undefined, salt: string | undefined): Uint8Array {
    const { type, loraName, additionalSalt } = this.request;
    const adapter = said ?? (type === 'SGLang' ? loraName : undefined);
    if (loraName !== undefined && adapter !== loraName) this.#otherAdapters += 1;
    return chainRoot({ adapter, additionalSalt, salt });
  }
}

/** The index is told by the cache's own store. */
const silent = { store: () => {}, remove: () => {}, clear: () => {} };
