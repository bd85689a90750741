/**
 * What engines say and want to hear, as pure functions: event bytes to and from cache events, plans to request bodies.
 *
 * Invariants: no I/O; one bad event never spoils its batch. Cost: about 1 µs for a block of 64 tokens.
 *
 * @module
 */
export { encodeEventBatch, encodeEventSeq, REPLAY_END_SEQ } from './vllm-events-encode.ts';
export type {
  AllBlocksCleared,
  BlockRemoved,
  BlockStored,
  CacheEvent,
} from './vllm-events-encode.ts';
export { EngineCache } from './engine-cache.ts';
export type { EngineCacheChange, EngineCacheCounters, EngineCacheOptions } from './engine-cache.ts';
export { decodeEventBatch } from './vllm-events-decode.ts';
export type {
  BlockHash,
  ClearedBlocks,
  EngineCacheEvent,
  EngineEventBatch,
  RemovedBlocks,
  StoredBlocks,
} from './vllm-events-decode.ts';
export { batonProtocol } from './baton/baton-protocol.ts';
export type {
  ApiKind,
  EngineProtocol,
  JsonObject,
  LegCall,
  LegRequest,
  PrefillFacts,
  PrefillOutcome,
  PromptAccounting,
  Read,
} from './engine-protocol.ts';
