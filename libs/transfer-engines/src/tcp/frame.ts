import { crc32 } from 'node:zlib';
import { KEY_BYTES } from '@baton/kv';

/** The wire of one stream: a header of {@link HEADER_BYTES}, then `bytes` of payload. Numbers are little-endian. */
export const FrameType = {
  /** Puller to source, payload baton.v1.PullRequest. One at a time for each connection. */
  REQUEST: 1,
  /** Payload: the segment's KV. `index` counts the request's keys. */
  SEGMENT: 2,
  /** Before a tail; payload baton.v1.SequenceState. */
  STATE: 3,
  /** Payload: KV of the unfinished last segment, may be empty. Ends what was asked for. */
  TAIL: 4,
  /** Everything was sent; the connection is free for the next request. */
  END: 5,
  /** Nothing to send yet. */
  KEEP_ALIVE: 6,
  /** The source stops at `index`; payload baton.v1.LinkRefused. The connection is free for the next request. */
  REFUSED: 7,
} as const;

export type FrameType = (typeof FrameType)[keyof typeof FrameType];

/**
 * u16 magic, u8 version, u8 type, u32 index, u32 bytes, u32 checksum of the payload, 16 bytes key, u32 CRC-32 of all
 * that. The last field makes a damaged header as visible as a damaged payload.
 */
export const HEADER_BYTES = 36;

const MAGIC = 0x7462;
const VERSION = 1;
const KEY_OFFSET = 16;
const CHECKED_BYTES = 32;

export interface FrameHeader {
  type: number;
  index: number;
  /** Length of the payload. */
  bytes: number;
  checksum: number;
  /** 16 bytes; zero where the type has none. */
  key: Uint8Array;
}

const NO_KEY = new Uint8Array(KEY_BYTES);

export function encodeHeader(header: Partial<FrameHeader> & { type: FrameType }): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES);
  bytes.writeUInt16LE(MAGIC, 0);
  bytes.writeUInt8(VERSION, 2);
  bytes.writeUInt8(header.type, 3);
  bytes.writeUInt32LE(header.index ?? 0, 4);
  bytes.writeUInt32LE(header.bytes ?? 0, 8);
  bytes.writeUInt32LE(header.checksum ?? 0, 12);
  bytes.set(header.key ?? NO_KEY, KEY_OFFSET);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CHECKED_BYTES)), CHECKED_BYTES);
  return bytes;
}

/** A whole frame with a small payload of its own. */
export function encodeFrame(
  type: FrameType,
  payload: Uint8Array,
  index = 0,
): [header: Buffer, payload: Uint8Array] {
  const header = { type, index, bytes: payload.length, checksum: crc32(payload) };
  return [encodeHeader(header), payload];
}

/** Undefined for bytes that are no header, or a damaged one. The key is a view into `bytes`. */
export function decodeHeader(bytes: Buffer): FrameHeader | undefined {
  if (bytes.readUInt32LE(CHECKED_BYTES) !== crc32(bytes.subarray(0, CHECKED_BYTES))) {
    return undefined;
  }
  if (bytes.readUInt16LE(0) !== MAGIC || bytes.readUInt8(2) !== VERSION) return undefined;
  return {
    type: bytes.readUInt8(3),
    index: bytes.readUInt32LE(4),
    bytes: bytes.readUInt32LE(8),
    checksum: bytes.readUInt32LE(12),
    key: bytes.subarray(KEY_OFFSET, KEY_OFFSET + KEY_BYTES),
  };
}
