import { encode } from '@msgpack/msgpack';

const ARRAY_OF_3 = 0x93;
const FLOAT_64 = 0xcb;

/** A batch of events as engines send it: the array `[seconds, events, rank]`. */
export function encodeBatch(
  timestampSec: number,
  events: readonly unknown[],
  rank: number,
): Uint8Array {
  const body = encode(events, { useBigInt64: true });
  const tail = encode(rank);
  const bytes = new Uint8Array(10 + body.length + tail.length);
  const view = new DataView(bytes.buffer);
  // Written by hand: the encoder would turn a whole number of seconds into an integer.
  view.setUint8(0, ARRAY_OF_3);
  view.setUint8(1, FLOAT_64);
  view.setFloat64(2, timestampSec);
  bytes.set(body, 10);
  bytes.set(tail, 10 + body.length);
  return bytes;
}
