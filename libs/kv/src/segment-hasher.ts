import { hash } from 'node:crypto';

/** Bytes of one segment key. */
export const KEY_BYTES = 16;

/** A picture, a sound or the like inside a prompt. */
export interface MediaItem {
  /** Index of its first token. */
  offset: number;
  /** Names its content, e.g. the hash that the engine computes of it. */
  id: string;
}

const utf8 = new TextEncoder();

/**
 * Key after key without allocating for each: fill in the parent and the tokens, then take the key. A key that was
 * taken is the parent of the next one.
 */
export class SegmentHasher {
  readonly segmentTokens: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  /** @throws RangeError when `segmentTokens` is not a positive integer. */
  constructor(segmentTokens: number) {
    if (!Number.isInteger(segmentTokens) || segmentTokens < 1) {
      throw new RangeError(`segmentTokens must be a positive integer, not ${segmentTokens}`);
    }
    this.segmentTokens = segmentTokens;
    this.#bytes = new Uint8Array(KEY_BYTES + segmentTokens * 4);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** The key at `offset` of `keys` is the parent of the next segment. */
  setParent(keys: Uint8Array, offset: number): void {
    for (let i = 0; i < KEY_BYTES; i += 1) this.#bytes[i] = keys[offset + i] ?? 0;
  }

  /** Token ids from `from` on become those of the segment from `at` on. All of 32 bits. */
  setTokens(at: number, tokens: Uint32Array, from: number, count: number): void {
    let byte = KEY_BYTES + at * 4;
    for (let i = from; i < from + count; i += 1) {
      this.#view.setUint32(byte, tokens[i] ?? 0, true);
      byte += 4;
    }
  }

  /** As {@link setTokens} for one token of any source. */
  setToken(at: number, token: number): void {
    this.#view.setUint32(KEY_BYTES + at * 4, token, true);
  }

  /**
   * Writes the segment's key to `offset` of `out`. The offsets of media count from the segment's first token, and only
   * items that begin in the segment belong to it.
   */
  key(out: Uint8Array, offset: number, media?: readonly MediaItem[]): void {
    const bytes = media?.length ? this.#withMedia(media) : this.#bytes;
    // As text: half the price of a Buffer, which has to be allocated outside of the heap.
    const digest = hash('sha256', bytes, 'binary');
    for (let i = 0; i < KEY_BYTES; i += 1) {
      const byte = digest.charCodeAt(i);
      out[offset + i] = byte;
      this.#bytes[i] = byte;
    }
  }

  #withMedia(media: readonly MediaItem[]): Uint8Array {
    const items = [...media]
      .sort((a, b) => a.offset - b.offset || (a.id < b.id ? -1 : 1))
      .map((item) => ({ offset: item.offset, id: utf8.encode(item.id) }));
    const size = items.reduce((sum, { id }) => sum + 8 + id.length, this.#bytes.length);
    const bytes = new Uint8Array(size);
    const view = new DataView(bytes.buffer);
    bytes.set(this.#bytes);
    let at = this.#bytes.length;
    for (const { offset, id } of items) {
      view.setUint32(at, offset, true);
      view.setUint32(at + 4, id.length, true);
      bytes.set(id, at + 8);
      at += 8 + id.length;
    }
    return bytes;
  }
}
