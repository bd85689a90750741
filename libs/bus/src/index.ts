/**
 * NATS between conductor and agents: typed messages on checked subjects.
 *
 * Data flow: message → protobuf → `baton.v1.<kind>.<worker>` → checks (bytes, worker of the subject) → handler, which
 * checks the fields with the readers of `@baton/proto`. Snapshots are a request with many answers, transfers a request
 * with one.
 *
 * - The connection lasts until it is closed: it reconnects with jitter for ever, subscriptions come back with it.
 * - At most once: what is published while NATS is away is given up and counted (`publish…` is false). Deltas have
 *   sequence numbers and beats repeat, so that a gap is found.
 * - Bytes on their way are bounded; a message that cannot be read is counted and dropped; a handler that throws
 *   harms nobody else. Handlers run in the order of arrival, on the connection's own turn: keep them short.
 * - A request ends with a value, also when nobody answers.
 *
 * @module
 */
export { connectBus, type Bus, type MessageHandler, type Unsubscribe } from './bus.ts';
export type { BusCounters, BusLog, BusOptions, BusStatus } from './bus-connection.ts';
export type { SnapshotOptions, SnapshotOutcome, SnapshotSource } from './snapshots.ts';
export type { OrderOptions, TransferHandler } from './transfers.ts';
