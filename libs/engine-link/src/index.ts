/**
 * The link between an engine and its agent: protobuf messages over one Unix socket.
 *
 * Data flow: engine connects → EngineHello → AgentHello (or LinkRefused and close) → messages both ways. KV bytes never
 * travel here; both sides map the same arena.
 *
 * Invariants: frames are u32 little-endian length, then one message, at most `MAX_FRAME_BYTES`; a frame that is
 * longer, empty or not a message closes the link with a reason; a peer that does not read is cut off after
 * `MAX_QUEUED_BYTES`. Messages arrive in order, and none is delivered after `onClose`. Both sides keep talking, so that
 * a `SilenceWatch` tells when the other one is hung; that alone never closes a link.
 *
 * Cost: one copy of each message into its frame; about 3 µs a message.
 *
 * @module
 */
export { connectAgent } from './connect-agent.ts';
export type { AgentConnection, ConnectAgentOptions } from './connect-agent.ts';
export { listenForEngine } from './listen-for-engine.ts';
export type {
  EngineHandlers,
  EngineLink,
  EngineListener,
  ListenForEngineOptions,
} from './listen-for-engine.ts';
export { HELD_ALREADY } from './message-codec.ts';
export type { LinkLog } from './link-log.ts';
export { LINK_SILENCE_MS, LINK_WORD_MS, SilenceWatch } from './silence-watch.ts';
