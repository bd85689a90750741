/**
 * The session between a gateway and the conductor: one bidirectional gRPC stream each.
 *
 * Data flow: `openSession` → hello → fleet; plan requests → replies, matched by request id; reports one way.
 *
 * - One stream instead of a call per plan: about four times the rate, and its end is the end of the gateway.
 * - A plan ends with a reply, a deadline, an abort, or at once when the stream breaks; what waits and what is unsent is
 *   bounded on both sides. A plan that comes too late is given back by an ABORTED report.
 * - A message against the rules ends its session and nothing else; a bad plan request is refused by name of the field.
 * - Trace context travels in `PlanRequest.traceparent`.
 *
 * @module
 */
export {
  openSession,
  type ConductorSession,
  type OpenSessionOptions,
  type RpcLog,
} from './open-session.ts';
export { serveSessions, type ServeSessionsOptions, type SessionServer } from './serve-sessions.ts';
export type { Session, SessionHandlers } from './session-stream.ts';
