/**
 * Names of KV: segment keys, tiers, layouts and workers, and what every part of Baton needs: the errors that all speak,
 * a queue, and random numbers that follow from a seed.
 *
 * Token ids become a chain of 16-byte keys, each naming the whole prefix up to and including its
 * segment. Keys travel packed, one after the other, in a Uint8Array. What the KV bytes look like is
 * not in the key but in the layout.
 * Invariants: equal prefixes in equal scopes have equal keys; an unfinished segment has none.
 * Cost: one SHA-256 for each segment, 0.8 µs at 64 tokens.
 *
 * @module
 */
export { adapterIdentity, sameAdapter } from './adapter.ts';
export type { Adapter } from './adapter.ts';
export { DEFAULT_PRIORITY, LAST_PRIORITY } from './priorities.ts';
export { Fifo } from './fifo.ts';
export { SeededRandom } from './seeded-random.ts';
export { KEY_BYTES, SegmentHasher } from './segment-hasher.ts';
export type { MediaItem } from './segment-hasher.ts';
export {
  keyAt,
  keyCount,
  keyFromHex,
  keyHex,
  rootKey,
  sameKey,
  segmentKeys,
  unpackKeys,
  viewOf,
  xorKeys,
} from './segment-keys.ts';
export type { KeyScope } from './segment-keys.ts';
export { isTier, Tier, tierName, tiers } from './tiers.ts';
export { plainEngineUrl } from './engine-url.ts';
export { isWorkerId, workerIdPattern, workerIdRule } from './worker-id.ts';
export { layoutDigest } from './layout.ts';
export type { KvLayout } from './layout.ts';
export type { MeetingPoint } from './meeting-point.ts';
export { BatonError, errorEntry, errorRegistry, isErrorCode, toBatonError } from './errors.ts';
export type {
  BatonErrorOptions,
  ErrorCode,
  ErrorEntry,
  GrpcStatus,
  OpenAiErrorType,
} from './errors.ts';
