import { Tier } from '@baton/kv';
import { readBlockName } from './block-name.ts';
import { EventBatch } from './event-batch.ts';
import type { EventRecord } from './event-batch.ts';
import {
  arrayFields,
  EventType,
  eventTypes,
  Field,
  mapFields,
  mediums,
  metadataFields,
  SpecKind,
  specKinds,
} from './event-fields.ts';
import type { EventDialect } from './event-fields.ts';
import { readExtraKeys } from './extra-keys.ts';
import { MsgpackCursor } from './msgpack-cursor.ts';
import { RemovalPattern } from './removal-pattern.ts';
import { readTokens } from './token-reader.ts';
import { WordTable } from './word-table.ts';

/** Larger payloads are refused: a scheduler step says far less. */
const MAX_PAYLOAD_BYTES = 64 * 2 ** 20;
const MAX_RANK = 2 ** 31 - 1;
const MAX_GROUP = 0xffff;

const BatchField = { EVENTS: 1, RANK: 2 } as const;
const batchFields = new WordTable({
  events: BatchField.EVENTS,
  data_parallel_rank: BatchField.RANK,
});
const batchOrder = [0, BatchField.EVENTS, BatchField.RANK];

const STORED_NEEDS =
  (1 << Field.BLOCK_HASHES) |
  (1 << Field.PARENT) |
  (1 << Field.TOKEN_IDS) |
  (1 << Field.BLOCK_SIZE);
const REMOVED_NEEDS = 1 << Field.BLOCK_HASHES;

/**
 * Reads batches of engine events: `[seconds, events, rank]` or the same as a map, each event a map with `type` or an
 * array with its name first. One event that cannot be read is left out and counted. About 0.1 µs for a block of 16
 * tokens; what it allocates is bounded by the payload's length.
 */
export class EventDecoder {
  readonly #dialect: EventDialect;
  readonly #isLow64: boolean;
  readonly #cursor = new MsgpackCursor();
  readonly #batch = new EventBatch();
  #seen = 0;
  #type = 0;
  #extraKeysAt = -1;
  /** Where the name is in the event that is read, when there is one only. */
  #nameAt = 0;
  #nameEnd = 0;
  readonly #pattern = new RemovalPattern();

  /** With `isLow64` digests are the integers that engines shorten them to: the last 8 bytes. */
  constructor(dialect: EventDialect = 'vllm', isLow64 = false) {
    this.#dialect = dialect;
    this.#isLow64 = isLow64;
  }

  /** The events of a payload, until the next call; undefined for bytes that are no batch. */
  decode(payload: Uint8Array): EventBatch | undefined {
    if (payload.length > MAX_PAYLOAD_BYTES) return undefined;
    this.#batch.open(payload);
    this.#cursor.open(payload);
    const isWhole = this.#readBatch() && this.#cursor.at === payload.length;
    this.#cursor.close();
    return isWhole ? this.#batch : undefined;
  }

  #readBatch(): boolean {
    const cursor = this.#cursor;
    let count = cursor.array();
    const isArray = count >= 0;
    if (!isArray) count = cursor.map();
    let hasEvents = false;
    for (let i = 0; i < count; i += 1) {
      const field = isArray ? (batchOrder[i] ?? 0) : this.#word(batchFields);
      if (field < 0) return false;
      if (field === BatchField.EVENTS && !hasEvents) {
        if (!this.#readEvents()) return false;
        hasEvents = true;
      } else if (field === BatchField.RANK) {
        const rank = cursor.nil() ? 0 : cursor.integer();
        if (!(rank >= 0 && rank <= MAX_RANK)) return false;
        this.#batch.rank = rank;
      } else if (!cursor.skip()) return false;
    }
    return hasEvents;
  }

  #readEvents(): boolean {
    const cursor = this.#cursor;
    const batch = this.#batch;
    const count = cursor.array();
    this.#pattern.forget();
    for (let i = 0; i < count; i += 1) {
      const start = cursor.at;
      const record = batch.nextRecord();
      if (this.#readRepetition(record) || this.#readEvent(record)) {
        batch.eventCount += 1;
        continue;
      }
      batch.skipped += 1;
      cursor.at = start;
      if (!cursor.skip()) return false;
    }
    return count >= 0;
  }

  /** Engines say of one block after the other that it is gone, in events that differ in the name alone. */
  #readRepetition(record: EventRecord): boolean {
    const cursor = this.#cursor;
    const previous = this.#pattern.record;
    if (previous === undefined || !this.#pattern.matchesHead(cursor)) return false;
    const start = cursor.at;
    cursor.at += this.#pattern.headLength;
    const { nameCount } = this.#batch;
    if (!this.#readName() || !this.#pattern.matchesTail(cursor)) {
      this.#batch.nameCount = nameCount;
      cursor.at = start;
      return false;
    }
    cursor.at += this.#pattern.tailLength;
    record.type = previous.type;
    record.firstName = nameCount;
    record.nameCount = 1;
    record.tier = previous.tier;
    record.group = previous.group;
    return true;
  }

  #readEvent(record: EventRecord): boolean {
    const start = this.#cursor.at;
    this.#seen = 0;
    this.#type = 0;
    this.#extraKeysAt = -1;
    record.tier = Tier.HBM;
    record.isSnapshot = this.#dialect === 'snapshot';
    const entries = this.#cursor.map();
    const isRead = entries >= 0 ? this.#readMap(record, entries) : this.#readArray(record);
    if (!isRead) return false;
    switch (this.#type) {
      case EventType.STORED:
        record.type = 'stored';
        return (this.#seen & STORED_NEEDS) === STORED_NEEDS && this.#readExtraKeys(record);
      case EventType.REMOVED:
        record.type = 'removed';
        if ((this.#seen & REMOVED_NEEDS) !== REMOVED_NEEDS) return false;
        if (record.nameCount === 1) {
          this.#pattern.learn(record, start, this.#nameAt, this.#nameEnd, this.#cursor.at);
        }
        return true;
      case EventType.CLEARED:
        record.type = 'cleared';
        return true;
      default:
        return false;
    }
  }

  #readMap(record: EventRecord, entries: number): boolean {
    const fields = mapFields[this.#dialect];
    for (let i = 0; i < entries; i += 1) {
      if (!this.#readField(record, this.#word(fields))) return false;
    }
    return true;
  }

  #readArray(record: EventRecord): boolean {
    const elements = this.#cursor.array();
    if (elements < 1 || !this.#readField(record, Field.TYPE)) return false;
    const order = arrayFields[this.#dialect][this.#type];
    for (let i = 1; i < elements; i += 1) {
      if (!this.#readField(record, order?.[i] ?? Field.OTHER)) return false;
    }
    return true;
  }

  /** Number of the key that is here; 0 for one that is not known, text or not; -1 when the bytes end. */
  #word(words: WordTable): number {
    const cursor = this.#cursor;
    const length = cursor.textSpan();
    if (length >= 0) return words.find(cursor.bytes, cursor.from, length);
    return cursor.skip() ? 0 : -1;
  }

  #readField(record: EventRecord, field: number): boolean {
    const cursor = this.#cursor;
    if (field <= Field.OTHER) return field === Field.OTHER && cursor.skip();
    // Whoever names a field twice is not believed either time.
    if ((this.#seen & (1 << field)) !== 0) return false;
    this.#seen |= 1 << field;
    switch (field) {
      case Field.TYPE:
        this.#type = this.#word(eventTypes);
        return this.#type > 0;
      case Field.BLOCK_HASHES:
        return this.#readNames(record);
      case Field.TOKEN_IDS:
        return readTokens(cursor, this.#batch, record);
      case Field.BLOCK_SIZE:
        record.blockTokens = cursor.integer();
        return !Number.isNaN(record.blockTokens);
      case Field.SEGMENT_KEYS:
        record.keysLength = cursor.binarySpan();
        record.keysFrom = cursor.from;
        return record.keysLength >= 0;
      case Field.TIERS:
        record.tiersLength = cursor.binarySpan();
        record.tiersFrom = cursor.from;
        return record.tiersLength >= 0;
      default:
        return cursor.nil() || this.#readOptional(record, field);
    }
  }

  /** Fields that may be nil and are not. */
  #readOptional(record: EventRecord, field: number): boolean {
    const cursor = this.#cursor;
    switch (field) {
      case Field.PARENT:
        record.parent = this.#batch.nameCount;
        return this.#readName();
      case Field.LORA_ID:
        return this.#readAdapterId(record);
      case Field.MEDIUM:
        return this.#readMedium(record);
      case Field.LORA_NAME:
        record.adapter = cursor.text();
        return record.adapter !== undefined;
      case Field.EXTRA_KEYS:
        // Understood only with the adapter and the parent, which may come later.
        this.#extraKeysAt = cursor.at;
        return cursor.skip();
      case Field.GROUP_IDX:
        record.group = cursor.integer();
        return record.group >= 0 && record.group <= MAX_GROUP;
      case Field.SPEC_KIND:
        return this.#readSpecKind(record);
      case Field.SLIDING_WINDOW:
        record.windowTokens = cursor.integer();
        return record.windowTokens >= 0;
      case Field.METADATA:
        return this.#readMetadata(record);
      case Field.CACHE_SALT:
        record.salt = cursor.text();
        return record.salt !== undefined;
      default:
        return cursor.skip();
    }
  }

  #readNames(record: EventRecord): boolean {
    const count = this.#cursor.array();
    if (count < 0) return false;
    const batch = this.#batch;
    batch.reserveNames(count);
    record.firstName = batch.nameCount;
    record.nameCount = count;
    this.#nameAt = this.#cursor.at;
    const { names, kinds } = batch;
    for (let i = 0; i < count; i += 1) {
      if (!readBlockName(this.#cursor, names, kinds, batch.nameCount, this.#isLow64)) return false;
      batch.nameCount += 1;
    }
    this.#nameEnd = this.#cursor.at;
    return true;
  }

  #readName(): boolean {
    const batch = this.#batch;
    batch.reserveNames(1);
    const { names, kinds, nameCount } = batch;
    if (!readBlockName(this.#cursor, names, kinds, nameCount, this.#isLow64)) return false;
    batch.nameCount += 1;
    return true;
  }

  /** Up to vLLM 0.13 the number is all that is said of an adapter; a name that comes as well counts more. */
  #readAdapterId(record: EventRecord): boolean {
    const id = this.#cursor.integer();
    if (!Number.isFinite(id)) return false;
    record.adapter ??= String(id);
    return true;
  }

  #readMedium(record: EventRecord): boolean {
    const length = this.#cursor.textSpan();
    if (length < 0) return false;
    record.tier = mediums.find(this.#cursor.bytes, this.#cursor.from, length);
    return true;
  }

  #readSpecKind(record: EventRecord): boolean {
    const length = this.#cursor.textSpan();
    if (length < 0) return false;
    const kind = specKinds.find(this.#cursor.bytes, this.#cursor.from, length);
    record.specKind = kind === 0 ? SpecKind.OTHER : kind;
    return true;
  }

  #readMetadata(record: EventRecord): boolean {
    const entries = this.#cursor.map();
    for (let i = 0; i < entries; i += 1) {
      if (!this.#readField(record, this.#word(metadataFields))) return false;
    }
    return entries >= 0;
  }

  #readExtraKeys(record: EventRecord): boolean {
    if (this.#extraKeysAt < 0) return true;
    const cursor = this.#cursor;
    const end = cursor.at;
    cursor.at = this.#extraKeysAt;
    const scope = { adapter: record.adapter, isChainStart: record.parent < 0 };
    record.extraKeys = readExtraKeys(cursor, scope);
    cursor.at = end;
    return record.extraKeys !== undefined;
  }
}
