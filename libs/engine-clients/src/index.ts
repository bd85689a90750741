/**
 * Talking to engines: calls over HTTP, KV events over ZMQ.
 *
 * HTTP: one keep-alive pool of undici connections for each engine, TCP_NODELAY on every socket. Every call has limits for
 * connecting, for the first byte and for silence, and ends at once when its signal is aborted: the connection is closed,
 * which stops the engine's work. While calls are open the engine is asked every second whether it is there; when it is hung
 * or cut off they fail, however long they would wait. Whatever goes wrong comes out as a BatonError. Streams are decoded
 * once, what arrives together is handed over together, and a reader that falls behind stops the reading of the socket.
 *
 * KV events: ZMTP read from the socket without libzmq (zmtp/); batches in the order of their numbers, none twice, gaps
 * closed by replay, or else a reset (event-stream); what was heard goes through an EngineCache to a sink and, some at a
 * time, into a journal on disk, which a later life of the process begins with once the engine has confirmed it. Cost:
 * about 4 µs a message, whatever is in it.
 *
 * @module
 */
export { readCredentials, type CredentialFiles } from './access/credential-files.ts';
export { EngineAccess, type Credentials } from './access/engine-access.ts';
export {
  EngineHttp,
  type EngineCall,
  type EngineHttpOptions,
  type EngineStream,
} from './http/engine-http.ts';
export { abortFault, type ExchangeLimits } from './http/exchange.ts';
export type { CallPhase } from './http/translate-fault.ts';
export { resetEngineCache } from './http/reset-engine-cache.ts';
export { CacheFollower } from './kv-events/cache-follower.ts';
export type { CacheFollowerCounters, CacheFollowerOptions } from './kv-events/cache-follower.ts';
export { JournalFolder } from './kv-events/journal-folder.ts';
export { checkKvEventSource, subscribeKvEvents } from './kv-events/subscribe.ts';
export type {
  KvEventSource,
  KvEventSubscriber,
  KvEventSubscriberOptions,
} from './kv-events/subscribe.ts';
export { lookAtAdapters } from './probe/probe-vllm.ts';
export { nixlSideChannel } from './probe/nixl-side-channel.ts';
export { changeAdapter } from './adapters/change-adapter.ts';
export { lookAgain, probeEngine } from './probe/probe-engine.ts';
export type { EngineLook, ProbedEngine, ProbeOptions, ProbeResult } from './probe/probed-engine.ts';
export { rankEndpoint } from './zmtp/zmtp-endpoint.ts';
