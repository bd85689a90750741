/**
 * The segment index: which rank of which worker holds which segment in which tier.
 *
 * `apply` takes changes (store, remove, clear), `match` takes the keys of a prompt and says what
 * each rank holds of it from the start and who holds the rest. Nothing is allocated for a segment
 * but numbers in flat arrays.
 * Invariants: sets, not counts; a segment without a holder takes no room; count and XOR of a tier
 * equal those of its keys at any time; at its limit the index refuses and counts, it never grows.
 * Cost: `apply` and `match` are linear in keys times holders of each key, `dropWorker` in what the
 * worker held.
 *
 * @module
 */
export { SegmentIndex } from './segment-index.ts';
export type { IndexLimits, IndexStats, KvOp, KvOpKind, TierDigest } from './segment-index.ts';
export { coveredUntil, rankMatch, runsOf } from './match.ts';
export type { HeldRun, Match, RankMatch } from './match.ts';
