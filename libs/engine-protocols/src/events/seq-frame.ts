/** Bytes of a sequence frame: the number, big-endian. */
const SEQ_BYTES = 8;

/** What the end of a replay has in place of a sequence number: all ones. */
export const REPLAY_END_SEQ: Uint8Array = new Uint8Array(SEQ_BYTES).fill(0xff);

export function encodeEventSeq(seq: number): Uint8Array {
  const frame = new Uint8Array(SEQ_BYTES);
  new DataView(frame.buffer).setBigUint64(0, BigInt(seq));
  return frame;
}

/** Undefined for a frame that is no sequence number, or one beyond what a number holds exactly. */
export function readEventSeq(frame: Uint8Array | undefined): number | undefined {
  if (frame?.length !== SEQ_BYTES) return undefined;
  let seq = 0;
  for (let i = 0; i < SEQ_BYTES; i += 1) seq = seq * 256 + (frame[i] as number);
  return Number.isSafeInteger(seq) ? seq : undefined;
}

export function isReplayEnd(frame: Uint8Array | undefined): boolean {
  return frame?.length === SEQ_BYTES && frame.every((byte) => byte === 0xff);
}
