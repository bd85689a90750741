import type { Tier } from '@baton/kv';

/** Where segments are held: in one tier of one rank, as KV or as points where a hybrid model's sequences can be resumed. */
export interface Place {
  rank: number;
  tier: Tier;
  resumePoints: boolean;
}

export type LedgerOpKind = 'store' | 'remove' | 'clear';

/** One change in a place. */
export interface LedgerOp extends Place {
  kind: LedgerOpKind;
  /** Packed; empty with `clear`. */
  keys: Uint8Array;
}
