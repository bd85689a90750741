import { crc32 } from 'node:zlib';

/** What a frame of a journal holds. */
export const FrameKind = {
  /** First of every journal: what it is about. */
  HEADER: 1,
  /** A piece of everything that was known at some time. */
  SNAPSHOT: 2,
  /** The snapshot is complete; its number is that of the last batch in it, its payload that batch's digest. */
  SNAPSHOT_END: 3,
  /** A batch as the engine sent it. */
  BATCH: 4,
} as const;

export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];

export interface JournalFrame {
  kind: FrameKind;
  seq: number;
  /** CRC-32 of the payload. */
  digest: number;
  /** A view into what was read. */
  payload: Uint8Array;
}

/** Mark and kind u32, length u32, number f64, CRC-32 of the payload u32, CRC-32 of what is before it u32. */
export const FRAME_HEADER_BYTES = 24;
const CHECKED_BYTES = 20;
/** Longer frames are never written. */
const MAX_FRAME_BYTES = 128 * 1024 * 1024;
const MARK = 0x4b564a00;

/** Writes header and payload at an offset of a buffer that has room for both. */
export function writeFrame(into: Buffer, at: number, frame: JournalFrame): void {
  into.writeUInt32LE(MARK + frame.kind, at);
  into.writeUInt32LE(frame.payload.length, at + 4);
  into.writeDoubleLE(frame.seq, at + 8);
  into.writeUInt32LE(frame.digest, at + 16);
  into.writeUInt32LE(crc32(into.subarray(at, at + CHECKED_BYTES)), at + CHECKED_BYTES);
  into.set(frame.payload, at + FRAME_HEADER_BYTES);
}

/** One frame by itself. */
export function frameBytes(kind: FrameKind, seq: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafeSlow(FRAME_HEADER_BYTES + payload.length);
  writeFrame(bytes, 0, { kind, seq, digest: crc32(payload), payload });
  return bytes;
}

/** The frame at an offset; how many bytes it needs when they are not all there; undefined when it is damaged. */
export function readFrame(bytes: Buffer, at: number): JournalFrame | number | undefined {
  const left = bytes.length - at;
  if (left < FRAME_HEADER_BYTES) return FRAME_HEADER_BYTES;
  const kind = bytes.readUInt32LE(at) - MARK;
  const check = crc32(bytes.subarray(at, at + CHECKED_BYTES));
  if (check !== bytes.readUInt32LE(at + CHECKED_BYTES) || !isKind(kind)) return undefined;
  const end = FRAME_HEADER_BYTES + bytes.readUInt32LE(at + 4);
  if (end > MAX_FRAME_BYTES) return undefined;
  if (left < end) return end;
  const payload = bytes.subarray(at + FRAME_HEADER_BYTES, at + end);
  const digest = bytes.readUInt32LE(at + 16);
  if (crc32(payload) !== digest) return undefined;
  return { kind, seq: bytes.readDoubleLE(at + 8), digest, payload };
}

function isKind(kind: number): kind is FrameKind {
  return kind >= FrameKind.HEADER && kind <= FrameKind.BATCH;
}
