/**
 * What is known of one worker's KV, and how it is told: the ledger of what it holds, kept up by its engine's KV events,
 * and the deltas, digests and snapshots in which the conductor hears of it. Agents keep it for their engine; the
 * conductor keeps it for engines without an agent.
 *
 * @module
 */
export { DeltaPublisher } from './delta-publisher.ts';
export { EngineAdapters } from './engine-adapters.ts';
export { EngineEvents } from './engine-events.ts';
export { EventCounts } from './event-counts.ts';
export { eventSettingsSchema } from './event-settings.ts';
