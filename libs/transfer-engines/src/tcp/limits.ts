/** Bounds and times of the tcp backend. */
export interface TcpLimits {
  /** Connections that one pull uses at most. */
  maxStreams: number;
  /** A pull takes one more stream for each of these many bytes, at most. */
  bytesPerStream: number;
  connectTimeoutMs: number;
  /** A pull fails when a stream says nothing for this long; the source speaks every `keepAliveMs`. */
  stallMs: number;
  keepAliveMs: number;
  /** A source gives up on a peer that takes none of the bytes sent to it for this long. */
  sendStallMs: number;
  /** Connections that nobody uses are closed after this long. */
  idleMs: number;
  maxIdlePerAddress: number;
  /** Connections from other agents. */
  maxConnections: number;
  /** Pulls at once; more are refused. */
  maxPulls: number;
}

export const tcpDefaults: TcpLimits = {
  maxStreams: 4,
  bytesPerStream: 4 * 1024 * 1024,
  connectTimeoutMs: 2_000,
  stallMs: 5_000,
  keepAliveMs: 1_000,
  sendStallMs: 10_000,
  idleMs: 30_000,
  maxIdlePerAddress: 4,
  maxConnections: 1_024,
  maxPulls: 1_024,
};

/** Keys in one request. */
export const MAX_PULL_SEGMENTS = 65_536;
/** An encoded PullRequest: its keys and some text. */
export const MAX_REQUEST_BYTES = MAX_PULL_SEGMENTS * 16 + 4_096;
export const MAX_STATE_BYTES = 64 * 1024;
export const MAX_REFUSAL_BYTES = 4_096;
export const MAX_PULL_TIMEOUT_MS = 600_000;
export const MAX_ID_LENGTH = 256;
