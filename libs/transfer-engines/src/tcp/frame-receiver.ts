import { crc32 } from 'node:zlib';
import { decodeHeader, HEADER_BYTES } from './frame.ts';
import type { FrameHeader } from './frame.ts';

/** Why a stream cannot be read on. */
export interface StreamFault {
  code: 'checksum_mismatch' | 'protocol_violation';
  message: string;
}

export interface FrameSink {
  /** Where the payload goes, exactly `header.bytes` long, or why the frame is not acceptable. */
  place(header: FrameHeader): Uint8Array | StreamFault;
  /** The payload is complete, and its checksum right. */
  frame(header: FrameHeader, payload: Uint8Array): StreamFault | undefined;
}

/**
 * Takes a stream apart without copying: says where the next bytes have to be read to, and is told how many came. The
 * payload of a frame is read to where the sink wants it; nothing is ever read beyond it.
 */
export class FrameReceiver {
  readonly #sink: FrameSink;
  readonly #headerBytes = Buffer.alloc(HEADER_BYTES);
  #header: FrameHeader | undefined;
  #target: Uint8Array = this.#headerBytes;
  #filled = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** Memory for the next read; never empty. */
  get space(): Uint8Array {
    return this.#filled === 0 ? this.#target : this.#target.subarray(this.#filled);
  }

  /** True between two frames. */
  get isBetweenFrames(): boolean {
    return this.#header === undefined && this.#filled === 0;
  }

  /** `count` bytes were read into {@link space}. After a fault the stream is useless. */
  filled(count: number): StreamFault | undefined {
    this.#filled += count;
    if (this.#filled < this.#target.length) return undefined;
    return this.#header === undefined ? this.#headerComplete() : this.#frameComplete(this.#header);
  }

  /** For bytes that were read elsewhere: copies them. */
  push(chunk: Uint8Array): StreamFault | undefined {
    for (let offset = 0; offset < chunk.length;) {
      const part = chunk.subarray(offset, offset + this.space.length);
      this.space.set(part);
      offset += part.length;
      const fault = this.filled(part.length);
      if (fault) return fault;
    }
    return undefined;
  }

  #headerComplete(): StreamFault | undefined {
    const header = decodeHeader(this.#headerBytes);
    if (!header) return { code: 'checksum_mismatch', message: 'damaged frame header' };
    const target = this.#sink.place(header);
    if (!(target instanceof Uint8Array)) return target;
    this.#header = header;
    this.#target = target;
    this.#filled = 0;
    return target.length === 0 ? this.#frameComplete(header) : undefined;
  }

  #frameComplete(header: FrameHeader): StreamFault | undefined {
    const payload = this.#target;
    this.#header = undefined;
    this.#target = this.#headerBytes;
    this.#filled = 0;
    if (crc32(payload) !== header.checksum) {
      return { code: 'checksum_mismatch', message: `payload of frame ${header.index} is damaged` };
    }
    return this.#sink.frame(header, payload);
  }
}
