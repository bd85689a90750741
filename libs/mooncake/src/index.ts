/**
 * Mooncake's indexer API: other routers use Baton as their index of KV blocks, without agents.
 *
 * Data flow: a registration opens a feed of an engine's KV events; its batches go through an EngineCache, which knows
 * the engine's names for blocks, into the index of the context (tenant, model, adapter, block size); a query computes
 * keys from token ids, or takes engines' names, and follows them through that index. HTTP and ZMQ belong to the app:
 * requests come in as bytes, feeds through a port.
 * What an unregistered publisher had is out of sight at once; its room comes back through `sweep`, in slices.
 * Invariants: contexts share no block; values are tokens, cumulative from an engine's own cache to disk and never more
 * than the prompt has; a publisher whose blocks cannot be used is marked, never silently empty; every list and map has
 * a limit.
 * Cost: see {@link BlockIndex} for memory; a query is linear in its blocks.
 *
 * @module
 */
export { IndexerApi, indexerPaths } from './api.ts';
export type { ApiAnswer, ApiRequest } from './api.ts';
export { answerForms } from './answers/query-answer.ts';
export type { AnswerForm } from './answers/query-answer.ts';
export type { EventFeed, EventSource } from './contexts/event-feed.ts';
export { indexerLimits } from './limits.ts';
