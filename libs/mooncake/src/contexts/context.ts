import type { EventDecoder } from '@baton/engine-protocols';
import { ChainRootCache, PromptKeys } from '../keys/block-keys.ts';
import { HASH_WORDS, type HashList, type TokenList } from '../wire/request-body.ts';
import { BlockIndex } from './block-index.ts';
import { BlockMatch, type RankBlocksFound } from './block-match.ts';
import { Publisher } from './publisher.ts';
import type { OpenEventFeed } from './event-feed.ts';
import { isLow64, type HashProfile } from './hash-profile.ts';
import type { PublisherType, RegistrationRequest } from './registration-request.ts';
import type { QueryScope } from './query-request.ts';

/** What one rank of an instance has of a prompt, in tokens; cumulative: 0 ≤ gpu ≤ cpu ≤ disk. */
export interface RankTokens {
  publisher: Publisher;
  gpu: number;
  cpu: number;
  disk: number;
}

export interface ContextLimits {
  /** Different blocks of one context. */
  maxBlocks: number;
  /** Blocks that are remembered of one publisher. */
  maxPublisherBlocks: number;
}

/** What publishers of all contexts share. */
export interface PublisherPorts {
  /** A reader of events: each batch is used up before the next one is read, so that they share a few. */
  decoders(type: PublisherType, isLow64: boolean): EventDecoder;
  openFeed: OpenEventFeed;
}

/** The identity of a context: blocks of two contexts have nothing to do with each other. */
export interface ContextName {
  tenantId: string;
  model: string;
  loraName: string | undefined;
  blockSize: number;
}

/** Shorter hashes are not shortened to integers. */
const LOW_BYTES = 8;

/** One index of blocks, with those who publish into it. */
export class Context {
  readonly name: ContextName;
  hashProfile: HashProfile | undefined;
  readonly index: BlockIndex;
  readonly #limits: ContextLimits;
  readonly #match: BlockMatch;
  readonly #keys: PromptKeys;
  readonly #roots = new ChainRootCache();
  readonly #known = new Set<Publisher>();
  /** By the number of their rank. */
  readonly #publishers: (Publisher | undefined)[] = [];
  /** First come, first gone. */
  readonly #leaving: Publisher[] = [];
  /** Whose name for the last block was known: the next one's is likely, too. */
  #namer = 0;

  constructor(name: ContextName, limits: ContextLimits) {
    this.name = name;
    this.#limits = limits;
    this.index = new BlockIndex(limits.maxBlocks);
    this.#match = new BlockMatch(this.index);
    this.#keys = new PromptKeys(name.blockSize);
  }

  /** In no order. */
  get publishers(): Iterable<Publisher> {
    return this.#known;
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** There is room for one publisher more. */
  get hasRoom(): boolean {
    return this.index.hasHolders;
  }

  /** Needs {@link hasRoom}. @throws BatonError config_invalid for an endpoint that cannot be used */
  add(request: RegistrationRequest, ports: PublisherPorts): Publisher {
    const hole = this.#publishers.indexOf(undefined);
    const rank = hole >= 0 ? hole : this.#publishers.length;
    const { index } = this;
    const maxBlocks = this.#limits.maxPublisherBlocks;
    const hashProfile = this.hashProfile ?? request.hashProfile;
    const decoder = ports.decoders(request.type, isLow64(hashProfile));
    const { openFeed } = ports;
    const publisher = new Publisher({ request, index, rank, maxBlocks, decoder, openFeed });
    this.#publishers[rank] = publisher;
    this.#known.add(publisher);
    this.hashProfile = hashProfile;
    return publisher;
  }

  /** Nobody finds what it has any more; {@link sweep} takes that out. */
  remove(publisher: Publisher): void {
    publisher.leave();
    this.#publishers[publisher.rank] = undefined;
    this.#known.delete(publisher);
    this.#leaving.push(publisher);
  }

  /** Something of publishers that were removed is still in the index. */
  get isSweeping(): boolean {
    return this.#leaving.length > 0;
  }

  /** Takes out about `maxBlocks` of those that were removed. */
  sweep(maxBlocks: number): void {
    let left = maxBlocks;
    for (let first = this.#leaving[0]; first !== undefined && left > 0; first = this.#leaving[0]) {
      left -= first.sweep(left);
      if (first.isGone) this.#leaving.shift();
    }
  }

  /** What each rank has of a prompt; only those that have its first block. */
  matchTokens(tokens: TokenList, scope: QueryScope): RankTokens[] {
    const { loraName: adapter, cacheSalt: salt, additionalSalt } = scope;
    const root = this.#roots.rootOf({ adapter, salt, additionalSalt });
    const keys = this.#keys;
    keys.begin(root, tokens.ids, tokens.count);
    this.#match.begin(this.#publishers.length);
    for (let count = keys.take(); count > 0; count = keys.take()) {
      const ids = this.index.findMany(keys.keys, count);
      for (let i = 0; i < count; i += 1) {
        if (!this.#match.step(ids[i] as number)) return this.#found();
      }
    }
    return this.#found();
  }

  /** As {@link matchTokens} for a prompt whose blocks are given by the names that engines have for them. */
  matchHashes(hashes: HashList): RankTokens[] {
    this.#match.begin(this.#publishers.length);
    for (let i = 0; i < hashes.count; i += 1) {
      if (!this.#match.step(this.#idOf(hashes, i))) break;
    }
    return this.#found();
  }

  /** Anybody's name counts: in one context all engines hash alike, as its profile says. */
  #idOf({ words, lowWords, kinds }: HashList, index: number): number {
    const publishers = this.#publishers;
    const isShortened = (kinds[index] as number) >= LOW_BYTES && isLow64(this.hashProfile);
    const names = isShortened ? lowWords : words;
    const kind = isShortened ? 0 : (kinds[index] as number);
    for (let i = 0; i < publishers.length; i += 1) {
      const at = (this.#namer + i) % publishers.length;
      const id = publishers[at]?.idOf(names, index * HASH_WORDS, kind) ?? -1;
      if (id < 0) continue;
      this.#namer = at;
      return id;
    }
    return -1;
  }

  #found(): RankTokens[] {
    const { blockSize } = this.name;
    return this.#match.finish().map(({ rank, gpu, cpu, disk }: RankBlocksFound) => ({
      publisher: this.#publishers[rank] as Publisher,
      gpu: gpu * blockSize,
      cpu: cpu * blockSize,
      disk: disk * blockSize,
    }));
  }
}
