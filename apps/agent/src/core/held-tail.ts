/** A handover's tail in this agent's arena, on its way out or just arrived. */
export interface HeldTail {
  /** Undefined when the prompt ends with a whole segment. */
  page: number | undefined;
  bytes: number;
  checksum: number;
  /** Encoded baton.v1.SequenceState. */
  state: Uint8Array;
}
