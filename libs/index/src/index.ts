/**
 * The segment index: which rank of which worker holds which segment in which tier.
 *
 * `apply` takes changes (store, remove, clear), `match` takes the keys of a prompt and says what
 * each rank holds of it from the start and who holds the rest. A snapshot is built aside and swapped
 * in. Nothing is allocated for a segment but numbers in flat arrays: its key, the number of its set
 * of holders (sets are stored once), and when it was used last.
 * Invariants: sets, not counts; a segment without a holder takes no room; count and XOR of a tier
 * equal those of its keys at any time; at its limit what was not used for longest makes room and is
 * counted, the index never grows.
 * Cost: `match` is linear in keys plus, where the holders change along the prompt, in holders;
 * `apply` in keys times members of a set; what is dropped is out of sight at once and its room comes
 * back through `sweep`, in time proportional to what it was.
 *
 * @module
 */
export { SegmentIndex } from './segment-index.ts';
export type { IndexLimits, IndexStats, KvOp, KvOpKind, TierDigest } from './segment-index.ts';
export type { Holding } from './holder.ts';
export { coveredUntil } from './match.ts';
export type { HeldRun, Match, RankMatch } from './match.ts';
export { EMPTY_SET, HolderSets } from './holder-sets.ts';
export { BATCH_KEYS, KeyTable, MAX_KEYS } from './key-table.ts';
