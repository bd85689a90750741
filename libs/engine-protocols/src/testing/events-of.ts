import { INTEGER, NAME_WORDS } from '../events/block-name.ts';
import type { EventBatch, EventRecord } from '../events/event-batch.ts';
import type { ExtraKeys } from '../events/extra-keys.ts';

/** One event of a batch, for people and comparisons. */
export interface PlainEvent {
  type: EventRecord['type'];
  /** `i` and the unsigned value, or `b` and hex of what counts of the bytes. */
  hashes: string[];
  parent: string | undefined;
  tokens: number[];
  blockTokens: number;
  tier: number;
  adapter: string | undefined;
  salt: string | undefined;
  extraKeys: ExtraKeys | undefined;
  group: number;
  specKind: number;
  windowTokens: number;
}

/** The events of a batch as objects that outlive it. */
export function eventsOf(batch: EventBatch): PlainEvent[] {
  return batch.records.slice(0, batch.eventCount).map((record) => ({
    type: record.type,
    hashes: Array.from({ length: record.nameCount }, (_, i) => nameOf(batch, record.firstName + i)),
    parent: record.parent < 0 ? undefined : nameOf(batch, record.parent),
    tokens: [...batch.tokens.subarray(record.firstToken, record.firstToken + record.tokenCount)],
    blockTokens: record.blockTokens,
    tier: record.tier,
    adapter: record.adapter,
    salt: record.salt,
    extraKeys: record.extraKeys,
    group: record.group,
    specKind: record.specKind,
    windowTokens: record.windowTokens,
  }));
}

function nameOf({ names, kinds }: EventBatch, index: number): string {
  const words = [...names.subarray(index * NAME_WORDS, (index + 1) * NAME_WORDS)];
  const hex = words.map((word) => word.toString(16).padStart(8, '0')).join('');
  const kind = kinds[index] ?? 0;
  return kind === INTEGER ? `i${BigInt(`0x${hex.slice(0, 16)}`)}` : `b${hex.slice(0, kind * 2)}`;
}
