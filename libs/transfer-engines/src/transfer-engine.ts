/** Pages that transfers read from and write into: page i is `bytes` from i · pageBytes on. */
export interface PageMemory {
  readonly bytes: Uint8Array;
  readonly pageBytes: number;
}

/** What one agent wants to have from another. */
export interface PullOrder {
  transferId: string;
  planId: string;
  /** host:port of the agent that has the segments. */
  address: string;
  /** Packed segment keys, in prompt order. */
  keys: Uint8Array;
  /** Where the segments go, one page for each key. Nobody else touches these pages until the pull is final. */
  pages: readonly number[];
  /** Given for a handover: where the KV of the unfinished last segment goes; the sequence's state comes with it. */
  tailPage?: number | undefined;
  /** Wait for segments that a prefill has still to compute. */
  wait: boolean;
  /** The pull fails after this long. */
  timeoutMs: number;
}

/** Payload of a page and its CRC-32. */
export interface PagePayload {
  bytes: number;
  checksum: number;
}

export interface PulledTail extends PagePayload {
  /** Encoded baton.v1.SequenceState. */
  state: Uint8Array;
}

/** Called as things arrive, verified. From then on the page is the caller's. */
export interface PullListener {
  /** `index` counts the order's keys. Segments of different streams arrive in any order. */
  segment(index: number, payload: PagePayload): void;
  tail(tail: PulledTail): void;
}

export type PullStatus = 'done' | 'partial' | 'failed' | 'cancelled';

export interface PullOutcome {
  /** `done`: everything that was ordered is there. `partial`: some leading segments are. */
  status: PullStatus;
  /** Error code and words, unless it is done. */
  code?: string | undefined;
  message?: string | undefined;
  /** Segments that arrived, and how many of them without a gap from the first on. */
  segments: number;
  leadingSegments: number;
  hasTail: boolean;
  /** Payload that arrived, the tail included. */
  bytes: number;
  durationMs: number;
  /** Time during which bytes arrived, without waiting for a prefill. */
  movingMs: number;
}

/** Of a pull that ended before anything came. */
export const nothingMoved: Omit<PullOutcome, 'status'> = {
  segments: 0,
  leadingSegments: 0,
  hasTail: false,
  bytes: 0,
  durationMs: 0,
  movingMs: 0,
};

export interface Pull {
  /** Never rejects. Once it has resolved, nothing is written into the order's pages any more; not before. */
  readonly done: Promise<PullOutcome>;
  /** Asks for the end; the pages stay in use until `done` resolves. */
  cancel(reason: string): void;
}

/** Counted since the engine was opened. Bytes are payload. */
export interface TransferCounters {
  pullsStarted: number;
  pullsCompleted: number;
  pullsFailed: number;
  pullsActive: number;
  segmentsIn: number;
  segmentsOut: number;
  /** Bytes that the backend brought into pages: one copy of each. */
  bytesIn: number;
  /** Bytes that the backend took out of pages: one copy of each. */
  bytesOut: number;
  checksumFailures: number;
  stalls: number;
  cuts: number;
}

/**
 * Moves segments between the pages of two agents. The memory is registered when the engine is opened and deregistered
 * by `close`; how it is reached from elsewhere is the backend's business.
 */
export interface TransferEngine {
  /** Name of the backend, e.g. `tcp`. */
  readonly backend: string;
  /** Where other agents pull from. */
  readonly address: string;
  readonly counters: Readonly<TransferCounters>;
  pull(order: PullOrder, listener: PullListener): Pull;
  /** Resolves when every transfer is final and the memory is not used any more. */
  close(): Promise<void>;
}

/** A pull as its source sees it; with several streams each asks for its share. */
export interface PullQuery {
  transferId: string;
  planId: string;
  keys: Uint8Array;
  withTail: boolean;
  wait: boolean;
  timeoutMs: number;
}

/** Why a source does not, or not any longer, give what was asked for. */
export interface SourceRefusal {
  code: string;
  message: string;
}

export interface SourcePage extends PagePayload {
  page: number;
  /** The page has been read; called exactly once for each page that was given. */
  release(): void;
}

export interface SourceTail extends SourcePage {
  state: Uint8Array;
}

/** What the source of one stream gives, in order. Pages stay as they are until they are released. */
export interface SourceStream {
  /** Waits where the query says so; resolves with a refusal when the wait is in vain or the stream is closed. */
  segment(index: number): Promise<SourcePage | SourceRefusal>;
  tail(): Promise<SourceTail | SourceRefusal>;
  /** The stream is over, whatever the reason. */
  close(): void;
}

/** Implemented by whoever holds the segments. */
export interface SegmentSource {
  open(query: PullQuery): SourceStream | SourceRefusal;
}

export interface TransferLog {
  warn(fields: object, message: string): void;
}
