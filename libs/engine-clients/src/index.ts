/**
 * Talking to engines: calls over HTTP, KV events over ZMQ.
 *
 * HTTP: one keep-alive pool of undici connections for each engine, TCP_NODELAY on every socket. Every call has limits for
 * connecting, for the first byte and for silence, and ends at once when its signal is aborted: the connection is closed,
 * which stops the engine's work. While calls are open the engine is asked every second whether it is there; when it is hung
 * or cut off they fail, however long they would wait. Whatever goes wrong comes out as a BatonError. Streams are decoded
 * once, what arrives together is handed over together, and a reader that falls behind stops the reading of the socket.
 *
 * KV events: batches in the order of their sequence numbers, none twice, gaps closed by replay; when one cannot be
 * closed, or the engine has restarted, the reader hears that what it knows is void.
 *
 * @module
 */
export {
  EngineHttp,
  type EngineCall,
  type EngineHttpOptions,
  type EngineStream,
} from './http/engine-http.ts';
export { abortFault, type ExchangeLimits } from './http/exchange.ts';
export type { CallPhase } from './http/translate-fault.ts';
export { subscribeKvEvents } from './kv-events/kv-event-subscriber.ts';
export type {
  KvEventCounters,
  KvEventSubscriber,
  KvEventSubscriberOptions,
} from './kv-events/kv-event-subscriber.ts';
