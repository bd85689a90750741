import type { MsgpackCursor } from './msgpack-cursor.ts';

/** A media item that begins inside a block. */
export interface BlockMedia {
  /** Index of the block in its event. */
  block: number;
  /** Of the item's first token, from the block's first. */
  offset: number;
  id: string;
}

/** What the hashes of an event's blocks depend on besides tokens, parent and adapter. */
export interface ExtraKeys {
  /** Entries, one for each block. */
  count: number;
  /** Salt of the chain that begins with the event's first block. */
  salt: string | undefined;
  media: BlockMedia[];
  /** The first block with something that no segment key can express; Infinity when there is none. */
  opaqueFrom: number;
}

/** What is needed to understand the extra keys of an event. */
export interface ExtraKeysScope {
  adapter: string | undefined;
  isChainStart: boolean;
}

/**
 * Takes vLLM's `extra_keys`: for each block nil or an array of, in this order, the adapter, an `[identifier, offset]`
 * for each media item that overlaps the block, the salt (first block of a chain only), and digests of prompt
 * embeddings. The offset counts from the block's first token and is negative where the item began in an earlier block,
 * whose key has it already. Undefined when it is no such thing.
 *
 * vLLM 0.17 and 0.18 give the bare identifier of a medium: where the item begins is then not said, and the block is
 * opaque, as one with prompt embeddings is.
 */
export function readExtraKeys(cursor: MsgpackCursor, scope: ExtraKeysScope): ExtraKeys | undefined {
  const count = cursor.array();
  if (count < 0) return undefined;
  const extra: ExtraKeys = { count, salt: undefined, media: [], opaqueFrom: Infinity };
  for (let block = 0; block < count; block += 1) {
    if (cursor.nil()) continue;
    const items = cursor.array();
    if (items < 0) return undefined;
    if (!readBlock(cursor, items, block, scope, extra)) return undefined;
  }
  return extra;
}

function readBlock(
  cursor: MsgpackCursor,
  items: number,
  block: number,
  { adapter, isChainStart }: ExtraKeysScope,
  extra: ExtraKeys,
): boolean {
  const texts: string[] = [];
  let isOpaque = false;
  for (let item = 0; item < items; item += 1) {
    if (cursor.nil()) continue;
    const text = cursor.text();
    if (text !== undefined) {
      if (item > 0 || text !== adapter) texts.push(text);
      continue;
    }
    const media = readMedia(cursor, block);
    if (media === undefined) isOpaque = true;
    else if (media.offset >= 0) extra.media.push(media);
    if (media === undefined && !cursor.skip()) return false;
  }
  const canHaveSalt = isChainStart && block === 0;
  if (texts.length > (canHaveSalt ? 1 : 0)) isOpaque = true;
  else extra.salt ??= texts[0];
  if (isOpaque) extra.opaqueFrom = Math.min(extra.opaqueFrom, block);
  return true;
}

function readMedia(cursor: MsgpackCursor, block: number): BlockMedia | undefined {
  const start = cursor.at;
  if (cursor.array() === 2) {
    const id = cursor.text();
    const offset = cursor.integer();
    if (id !== undefined && Number.isSafeInteger(offset)) return { block, offset, id };
  }
  cursor.at = start;
  return undefined;
}
