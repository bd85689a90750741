import type { Tier } from '@baton/kv';

/** A set of segments: what one tier of one rank holds, or where in it a hybrid model's sequences can be resumed. */
export interface Holding {
  rank: number;
  tier: Tier;
  resumePoints: boolean;
}

export type LedgerOpKind = 'store' | 'remove' | 'clear';

/** One change of a holding. */
export interface LedgerOp extends Holding {
  kind: LedgerOpKind;
  /** Packed; empty with `clear`. */
  keys: Uint8Array;
}
