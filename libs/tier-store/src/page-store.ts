import { PageHolds } from './page-holds.ts';
import { RecencyList } from './recency-list.ts';

/** Told of every segment that the tier gains or loses, so that others may know what it holds. */
export interface PageStoreListener {
  stored(key: string): void;
  removed(key: string): void;
}

/** What a page holds: the length of the payload in it and its CRC-32. */
export interface PagePayload {
  bytes: number;
  checksum: number;
}

export interface PageCounts {
  free: number;
  /** Promised to an owner that does not write yet. */
  reserved: number;
  writing: number;
  held: number;
  /** Held pages that at least one owner keeps from being reused. */
  pinned: number;
  /** Holds of all owners together. */
  leases: number;
}

const FREE = 0;
const RESERVED = 1;
const WRITING = 2;
const HELD = 3;

/**
 * The book of an arena's pages. Keys are hex segment keys; a page without a key is private to its owner and is free
 * again when the last hold on it is given back.
 *
 * A page goes free → reserved → writing → held → free. What is being written is the writer's until it says so itself,
 * by `commit` or `abandon`. Held pages without holds give way to reservations, least recently used first.
 */
export class PageStore {
  readonly pageCount: number;
  readonly #listener: PageStoreListener | undefined;
  readonly #state: Uint8Array;
  readonly #counts = [0, 0, 0, 0];
  readonly #bytes: Uint32Array;
  readonly #checksum: Uint32Array;
  readonly #key: (string | undefined)[];
  readonly #writer: (string | undefined)[];
  readonly #pageOf = new Map<string, number>();
  readonly #reservedBy = new Map<string, Set<number>>();
  readonly #holds: PageHolds;
  readonly #evictable: RecencyList;
  readonly #freePages: number[];

  constructor(pageCount: number, listener?: PageStoreListener) {
    this.pageCount = pageCount;
    this.#listener = listener;
    this.#state = new Uint8Array(pageCount);
    this.#counts[FREE] = pageCount;
    this.#bytes = new Uint32Array(pageCount);
    this.#checksum = new Uint32Array(pageCount);
    this.#key = Array.from({ length: pageCount });
    this.#writer = Array.from({ length: pageCount });
    this.#holds = new PageHolds(pageCount);
    this.#evictable = new RecencyList(pageCount);
    this.#freePages = Array.from({ length: pageCount }, (_, i) => pageCount - 1 - i);
  }

  get counts(): PageCounts {
    const [free = 0, reserved = 0, writing = 0, held = 0] = this.#counts;
    return {
      free,
      reserved,
      writing,
      held,
      pinned: this.#holds.pinnedPages,
      leases: this.#holds.leases,
    };
  }

  /** Pages that a reservation could get now. */
  get available(): number {
    return this.#freePages.length + this.#evictable.count;
  }

  /** Keys of all segments held, in no order. */
  keys(): IterableIterator<string> {
    return this.#pageOf.keys();
  }

  find(key: string): number | undefined {
    return this.#pageOf.get(key);
  }

  /** The key that a reserved, written or held page is for; undefined for a private one. */
  keyOf(page: number): string | undefined {
    return this.#key[page];
  }

  /** Undefined unless the page is held. */
  payload(page: number): PagePayload | undefined {
    if (this.#state[page] !== HELD) return undefined;
    return { bytes: this.#bytes[page] ?? 0, checksum: this.#checksum[page] ?? 0 };
  }

  /**
   * A page for each entry, a key or undefined for a private page; all of them or none. Undefined when there is no
   * room. The caller holds what must not give way, first.
   */
  reserve(owner: string, keys: readonly (string | undefined)[]): number[] | undefined {
    if (keys.length > this.available) return undefined;
    return keys.map((key) => {
      const page = this.#takePage();
      this.#key[page] = key;
      this.#writer[page] = owner;
      this.#move(page, RESERVED);
      const pages = this.#reservedBy.get(owner);
      if (pages) pages.add(page);
      else this.#reservedBy.set(owner, new Set([page]));
      return page;
    });
  }

  /** From here on only `commit` or `abandon` end the writing. False when the page is no longer the owner's. */
  startWrite(page: number, owner: string): boolean {
    if (this.#writer[page] !== owner || this.#state[page] !== RESERVED) return false;
    this.#move(page, WRITING);
    return true;
  }

  /**
   * The page holds its payload now. Answers with the page that holds the key: another one when somebody else was
   * first, and then this page is free. A private page is held for its owner. Undefined for a page that the owner does
   * not write.
   */
  commit(page: number, owner: string, payload: PagePayload): number | undefined {
    if (this.#writer[page] !== owner || this.#state[page] !== WRITING) return undefined;
    const key = this.#key[page];
    const first = key === undefined ? undefined : this.#pageOf.get(key);
    this.#forgetWriter(page, owner);
    if (first !== undefined) {
      this.#free(page);
      return first;
    }
    this.#bytes[page] = payload.bytes;
    this.#checksum[page] = payload.checksum;
    this.#move(page, HELD);
    if (key === undefined) {
      this.#holds.add(page, owner);
    } else {
      this.#pageOf.set(key, page);
      this.#evictable.use(page);
      this.#listener?.stored(key);
    }
    return page;
  }

  /** The writer has let go of the page without having filled it. False when it was not the owner's. */
  abandon(page: number, owner: string): boolean {
    const state = this.#state[page];
    if (this.#writer[page] !== owner || (state !== RESERVED && state !== WRITING)) return false;
    this.#forgetWriter(page, owner);
    this.#free(page);
    return true;
  }

  /** {@link abandon} for every page that the owner has not committed. */
  abandonAll(owner: string): void {
    for (const page of [...(this.#reservedBy.get(owner) ?? [])]) this.abandon(page, owner);
  }

  /** Keeps a held page from being reused until `release` or `releaseAll`. False when it is not held. */
  hold(page: number, owner: string): boolean {
    if (this.#state[page] !== HELD) return false;
    this.#evictable.remove(page);
    this.#holds.add(page, owner);
    return true;
  }

  /** False when the owner does not hold the page. */
  release(page: number, owner: string): boolean {
    if (!this.#holds.drop(page, owner)) return false;
    this.#settle(page);
    return true;
  }

  /** What the page holds is worth nothing: the key is not found any more, the page is free after its last hold. */
  discard(page: number): void {
    const key = this.#key[page];
    if (this.#state[page] !== HELD || key === undefined) return;
    this.#key[page] = undefined;
    this.#pageOf.delete(key);
    this.#listener?.removed(key);
    this.#evictable.remove(page);
    this.#settle(page);
  }

  /** Gives back all holds of an owner. Beginnings of chains stay longest: what was taken first counts as used last. */
  releaseAll(owner: string): void {
    for (const page of this.#holds.dropAll(owner)) this.#settle(page);
  }

  #settle(page: number): void {
    if (this.#state[page] !== HELD || this.#holds.isHeld(page)) return;
    if (this.#key[page] === undefined) this.#free(page);
    else this.#evictable.use(page);
  }

  #takePage(): number {
    const free = this.#freePages.pop();
    if (free !== undefined) return free;
    const page = this.#evictable.oldest;
    if (page === undefined) throw new Error('no page to evict');
    this.#evictable.remove(page);
    const key = this.#key[page];
    if (key !== undefined) {
      this.#pageOf.delete(key);
      this.#listener?.removed(key);
    }
    return page;
  }

  #forgetWriter(page: number, owner: string): void {
    this.#writer[page] = undefined;
    const pages = this.#reservedBy.get(owner);
    pages?.delete(page);
    if (pages?.size === 0) this.#reservedBy.delete(owner);
  }

  #free(page: number): void {
    this.#key[page] = undefined;
    this.#move(page, FREE);
    this.#freePages.push(page);
  }

  #move(page: number, state: number): void {
    const before = this.#state[page] ?? FREE;
    this.#counts[before] = (this.#counts[before] ?? 0) - 1;
    this.#counts[state] = (this.#counts[state] ?? 0) + 1;
    this.#state[page] = state;
  }
}
