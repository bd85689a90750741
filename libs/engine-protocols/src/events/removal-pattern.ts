import type { EventRecord } from './event-batch.ts';
import type { MsgpackCursor } from './msgpack-cursor.ts';

/**
 * The bytes of the last removal of one block in a payload, around the block's name. An event that has the same ones
 * says the same of another block, and needs no more reading than that.
 */
export class RemovalPattern {
  /** What was read of it; undefined when there was none. */
  record: EventRecord | undefined;
  headLength = 0;
  tailLength = 0;
  #start = 0;
  #tail = 0;

  forget(): void {
    this.record = undefined;
  }

  learn(record: EventRecord, start: number, nameAt: number, nameEnd: number, end: number): void {
    this.record = record;
    this.#start = start;
    this.headLength = nameAt - start;
    this.#tail = nameEnd;
    this.tailLength = end - nameEnd;
  }

  /** The bytes up to a name are here. */
  matchesHead(cursor: MsgpackCursor): boolean {
    return isSame(cursor, this.#start, this.headLength);
  }

  /** The bytes after a name are here. */
  matchesTail(cursor: MsgpackCursor): boolean {
    return isSame(cursor, this.#tail, this.tailLength);
  }
}

function isSame({ bytes, view, at, end }: MsgpackCursor, pattern: number, length: number): boolean {
  if (length > end - at) return false;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    if (view.getUint32(pattern + i) !== view.getUint32(at + i)) return false;
  }
  for (; i < length; i += 1) {
    if (bytes[pattern + i] !== bytes[at + i]) return false;
  }
  return true;
}
