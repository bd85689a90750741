import { KEY_BYTES } from '@baton/kv';
import { NAME_WORDS, readBlockName } from '../events/block-name.ts';
import type { EngineCache } from '../events/engine-cache.ts';
import { MsgpackCursor } from '../events/msgpack-cursor.ts';
import type { SegmentStore } from '../events/segment-slots.ts';
import { hashBytes } from './engine-messages.ts';
import type { BlockHash } from './engine-messages.ts';

/** Key of the segment that a block ends, as whoever looks into the same store finds it; undefined for any other. */
export function keyOfBlock(
  cache: EngineCache,
  segments: SegmentStore,
  hash: BlockHash,
): Uint8Array | undefined {
  const cursor = new MsgpackCursor();
  cursor.open(Uint8Array.from(hashBytes(hash)));
  const words = new Uint32Array(NAME_WORDS);
  const kinds = new Uint8Array(1);
  readBlockName(cursor, words, kinds, 0);
  const slot = cache.segmentOfBlock(words, 0, kinds[0] ?? 0);
  if (slot < 0) return undefined;
  const key = new Uint8Array(KEY_BYTES);
  segments.write(slot, new DataView(key.buffer), 0);
  return key;
}
