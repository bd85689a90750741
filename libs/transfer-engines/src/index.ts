/**
 * Transfer engines: move segments from the pages of one agent into the pages of another.
 *
 * Data flow (tcp): puller → request with keys → source gives pages, in order, as it has them → header and page go to
 * the socket → the puller's kernel reads the payload straight into its page → checksum → listener. Large pulls use
 * several connections, which are kept for the next pull.
 *
 * Invariants: a listener hears of a page only after its checksum was right; once a pull is final nothing is written
 * into its pages; a page of the source is released when the socket has taken it or is gone; every pull reaches a
 * final status, by success, refusal, damage, cut, stall or time-out.
 *
 * Copies of a segment's bytes: page → socket and socket → page, both in the kernel, none in between. The checksum
 * is computed by whoever filled the source's page, and once on arrival.
 *
 * @module
 */
export { parseAddress } from './address.ts';
export type { TcpLimits } from './tcp/limits.ts';
export { openTcpEngine } from './tcp/tcp-engine.ts';
export type { TcpEngineOptions } from './tcp/tcp-engine.ts';
export { nothingMoved } from './transfer-engine.ts';
export type {
  PageMemory,
  PagePayload,
  Pull,
  PulledTail,
  PullListener,
  PullOrder,
  PullOutcome,
  PullQuery,
  PullStatus,
  SegmentSource,
  SourcePage,
  SourceRefusal,
  SourceStream,
  SourceTail,
  TransferCounters,
  TransferEngine,
  TransferLog,
} from './transfer-engine.ts';
