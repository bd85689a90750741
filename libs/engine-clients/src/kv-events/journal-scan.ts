import { FRAME_HEADER_BYTES, FrameKind, readFrame } from './journal-frames.ts';
import type { JournalFrame } from './journal-frames.ts';

/** The last batch that a journal remembers. */
export interface JournalEnd {
  seq: number;
  digest: number;
}

/** Who is given what a journal holds: first the snapshot's chunks, if there are any, then the batches after it. */
export interface JournalReader {
  snapshot(chunk: Uint8Array): void;
  batch(payload: Uint8Array): void;
}

/** Follows the frames of a journal as far as they make sense. */
export class JournalScan {
  /** Undefined as long as nothing is of use. */
  end: JournalEnd | undefined;
  /** So many bytes of the file make sense. */
  goodBytes = 0;
  /** Those up to the end of the snapshot. */
  snapshotBytes = 0;
  readonly #header: Buffer;
  readonly #reader: JournalReader;
  #isInSnapshot = false;

  /** @param header first frame of a journal that is about the right thing. */
  constructor(header: Buffer, reader: JournalReader) {
    this.#header = header;
    this.#reader = reader;
  }

  /**
   * Takes the bytes of the file from {@link goodBytes} on. Returns how many bytes it needs to go on, or undefined when
   * what follows is of no use.
   */
  take(bytes: Buffer): number | undefined {
    for (let at = 0; ;) {
      const frame = readFrame(bytes, at);
      if (typeof frame === 'number') return frame;
      if (frame === undefined) return undefined;
      const end = at + FRAME_HEADER_BYTES + frame.payload.length;
      const isFirst = this.goodBytes === 0;
      if (isFirst ? !bytes.subarray(at, end).equals(this.#header) : !this.#follow(frame)) {
        return undefined;
      }
      this.goodBytes += end - at;
      if (frame.kind !== FrameKind.BATCH) this.snapshotBytes = this.goodBytes;
      at = end;
    }
  }

  /** False for a frame that has no business here. */
  #follow({ kind, seq, digest, payload }: JournalFrame): boolean {
    if (!Number.isSafeInteger(seq) || seq < 0) return false;
    if (kind === FrameKind.SNAPSHOT && this.end === undefined) {
      this.#isInSnapshot = true;
      this.#reader.snapshot(payload);
      return true;
    }
    if (kind === FrameKind.SNAPSHOT_END && this.end === undefined && payload.length === 4) {
      this.#isInSnapshot = false;
      this.end = { seq, digest: Buffer.from(payload).readUInt32LE() };
      return true;
    }
    const isNext = this.end === undefined ? !this.#isInSnapshot : seq === this.end.seq + 1;
    if (kind !== FrameKind.BATCH || !isNext) return false;
    this.#reader.batch(payload);
    this.end = { seq, digest };
    return true;
  }
}
