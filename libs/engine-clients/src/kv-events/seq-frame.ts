const SEQ_BYTES = 8;

/** The sequence number of a replay's end marker is all ones. */
export function isEndSeq(frame: Buffer | undefined): boolean {
  return frame?.length === SEQ_BYTES && frame.every((byte) => byte === 0xff);
}

/** Undefined for a frame that is no sequence number, or one beyond what a number holds exactly. */
export function readSeq(frame: Buffer | undefined): number | undefined {
  if (frame?.length !== SEQ_BYTES) return undefined;
  const seq = frame.readUInt32BE(0) * 2 ** 32 + frame.readUInt32BE(4);
  return Number.isSafeInteger(seq) ? seq : undefined;
}

export function seqFrame(seq: number): Buffer {
  const frame = Buffer.alloc(SEQ_BYTES);
  frame.writeBigUInt64BE(BigInt(seq));
  return frame;
}
