import { NAME_WORDS } from './block-name.ts';
import type { ExtraKeys } from './extra-keys.ts';
import { SpecKind } from './event-fields.ts';

/** Values that are kept allocated from batch to batch; what a larger batch took is given back with the next one. */
const MAX_KEPT = 1 << 20;
const MAX_KEPT_RECORDS = 1 << 12;
const FIRST_NAMES = 64;
const FIRST_TOKENS = 1024;

/** One event; its names and tokens are in the arrays of its batch. */
export class EventRecord {
  type!: 'stored' | 'removed' | 'cleared';
  /** Index of the first name; the block's names follow in chain order. */
  firstName!: number;
  nameCount!: number;
  /** Index of the parent's name; -1 at the start of a chain. */
  parent!: number;
  firstToken!: number;
  tokenCount!: number;
  /** As the engine says it: may be any whole number or an infinity. */
  blockTokens!: number;
  /** A Tier; 0 for a medium that is not known. */
  tier!: number;
  adapter!: string | undefined;
  /** Salt of the whole chain, where the engine gives it beside the extra keys. */
  salt!: string | undefined;
  extraKeys!: ExtraKeys | undefined;
  group!: number;
  specKind!: number;
  /** Tokens of a sliding window; 0 where there is none. */
  windowTokens!: number;
  /** Of a snapshot that a cache wrote of itself. */
  isSnapshot!: boolean;
  /** Where keys and tiers of a snapshot's blocks are in the payload, and how many bytes they have. */
  keysFrom!: number;
  keysLength!: number;
  tiersFrom!: number;
  tiersLength!: number;

  constructor() {
    this.reset();
  }

  /** Nothing is known of it. */
  reset(): void {
    this.type = 'cleared';
    this.firstName = 0;
    this.nameCount = 0;
    this.parent = -1;
    this.firstToken = 0;
    this.tokenCount = 0;
    this.blockTokens = 0;
    this.tier = 0;
    this.adapter = undefined;
    this.salt = undefined;
    this.extraKeys = undefined;
    this.group = 0;
    this.specKind = SpecKind.ABSENT;
    this.windowTokens = 0;
    this.isSnapshot = false;
    this.keysFrom = 0;
    this.keysLength = 0;
    this.tiersFrom = 0;
    this.tiersLength = 0;
  }
}

/**
 * The events of one payload in arrays that the next payload uses again. A view for whoever was given it, until then.
 */
export class EventBatch {
  /** Data-parallel rank; 0 where there is one only. */
  rank = 0;
  /** Events that could be read. */
  eventCount = 0;
  /** Events that could not be read; the others are there. */
  skipped = 0;
  /** @internal */
  names = new Uint32Array(FIRST_NAMES * NAME_WORDS);
  /** @internal */
  kinds = new Uint8Array(FIRST_NAMES);
  /** @internal */
  nameCount = 0;
  /** @internal */
  tokens = new Uint32Array(FIRST_TOKENS);
  /** @internal */
  tokenCount = 0;
  /** @internal The bytes that were read. */
  payload: Uint8Array = new Uint8Array(0);
  readonly #records: EventRecord[] = [];

  /** @internal The first `eventCount` count. */
  get records(): readonly EventRecord[] {
    return this.#records;
  }

  /** @internal */
  open(payload: Uint8Array): void {
    this.rank = 0;
    this.eventCount = 0;
    this.skipped = 0;
    this.nameCount = 0;
    this.tokenCount = 0;
    this.payload = payload;
    if (this.kinds.length > MAX_KEPT) {
      this.names = new Uint32Array(FIRST_NAMES * NAME_WORDS);
      this.kinds = new Uint8Array(FIRST_NAMES);
    }
    if (this.tokens.length > MAX_KEPT) this.tokens = new Uint32Array(FIRST_TOKENS);
    if (this.#records.length > MAX_KEPT_RECORDS) this.#records.length = MAX_KEPT_RECORDS;
  }

  /** @internal The record of the next event, empty; it counts when `eventCount` is raised. */
  nextRecord(): EventRecord {
    const record = (this.#records[this.eventCount] ??= new EventRecord());
    record.reset();
    return record;
  }

  /** @internal Makes room for so many names more. */
  reserveNames(count: number): void {
    const needed = this.nameCount + count;
    if (needed <= this.kinds.length) return;
    const capacity = Math.max(needed, this.kinds.length * 2);
    const names = new Uint32Array(capacity * NAME_WORDS);
    const kinds = new Uint8Array(capacity);
    names.set(this.names);
    kinds.set(this.kinds);
    this.names = names;
    this.kinds = kinds;
  }

  /** @internal Makes room for so many tokens more. */
  reserveTokens(count: number): void {
    const needed = this.tokenCount + count;
    if (needed <= this.tokens.length) return;
    const tokens = new Uint32Array(Math.max(needed, this.tokens.length * 2));
    tokens.set(this.tokens);
    this.tokens = tokens;
  }
}
