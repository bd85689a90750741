/**
 * KV events as engines publish them: batches in three frames on a ZMQ PUB, the newest ones again on a ROUTER.
 *
 * Data flow: encoded batch → number → PUB and replay buffer; a question of a DEALER → what the buffer still has → end
 * marker. Invariants: numbers count from 0 without gaps, also over batches that were never sent; the newest batch is
 * always in the buffer. Cost: one send for each batch, whoever listens.
 *
 * @module
 */
export { EventPublisher } from './event-publisher.ts';
