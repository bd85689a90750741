/**
 * What tests of engine events use: messages written by hand, a sink that remembers, a cache without cleverness.
 *
 * @module
 */
export { eventsOf } from './events-of.ts';
export type { PlainEvent } from './events-of.ts';
export { RecordedSets } from './recorded-sets.ts';
