/** Longest message, bytes. A prompt of a million tokens has 256 KiB of keys. */
export const MAX_FRAME_BYTES = 1024 * 1024;

/** Unsent bytes after which a peer counts as stuck and the link is closed. */
export const MAX_QUEUED_BYTES = 8 * 1024 * 1024;

const HEADER_BYTES = 4;

/** A frame: u32 little-endian length, then `payload`. Throws RangeError for a payload beyond the limit. */
export function encodeFrame(payload: Uint8Array): Buffer {
  if (payload.length > MAX_FRAME_BYTES) {
    throw new RangeError(`message of ${payload.length} bytes, at most ${MAX_FRAME_BYTES} allowed`);
  }
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  frame.writeUInt32LE(payload.length, 0);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

/** Cuts a byte stream into frames, however the bytes were split on the way. */
export class FrameReader {
  #pending: Buffer = Buffer.alloc(0);

  /**
   * Takes the next bytes and returns the payloads that are complete now, each in memory of its own. `fault` says that a
   * length follows that no valid frame has; the stream cannot be read on after that.
   */
  push(chunk: Buffer): { payloads: Buffer[]; fault?: string } {
    const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const payloads: Buffer[] = [];
    let offset = 0;
    while (bytes.length - offset >= HEADER_BYTES) {
      const length = bytes.readUInt32LE(offset);
      if (length === 0 || length > MAX_FRAME_BYTES) {
        return { payloads, fault: `frame of ${length} bytes, 1 to ${MAX_FRAME_BYTES} allowed` };
      }
      const end = offset + HEADER_BYTES + length;
      if (bytes.length < end) break;
      payloads.push(Buffer.from(bytes.subarray(offset + HEADER_BYTES, end)));
      offset = end;
    }
    this.#pending = Buffer.from(bytes.subarray(offset));
    return { payloads };
  }
}
