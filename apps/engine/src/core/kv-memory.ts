/**
 * The engine's KV memory as the scheduler uses it. Two implementations: {@link SharedKvMemory} keeps everything in one
 * context; {@link IsolatedKvMemory} gives each running sequence its own, so that results do not depend on neighbours.
 */
export interface KvMemory<L> {
  /** Tokens of cells, in segments. */
  readonly capacityBlocks: number;
  readonly usedBlocks: number;
  /** True when segments whose KV was computed token by token may serve other requests as prefix. */
  readonly cachesDecoded: boolean;
  /** True when a token after the prompt must be computed alone, never in a piece with others. */
  readonly decodesAlone: boolean;
  /** Payload of one whole segment, bytes. */
  readonly segmentBytes: number;
  /** Payload of each further token, bytes. */
  readonly bytesPerToken: number;
  /** A place for a new sequence; undefined when all are taken. */
  open(): KvSequence | undefined;
  /**
   * Computes pieces of several sequences, those of one in the order of their positions. For each piece that wants
   * logits the place where they are until the next call, for others undefined.
   */
  compute(pieces: readonly ComputePiece[]): (L | undefined)[];
  /** Copies a cached segment into `into`; undefined when it is not cached. */
  exportCached(key: Uint8Array, into: Uint8Array): number | undefined;
  close(): void;
}

export interface ComputePiece {
  sequence: KvSequence;
  tokens: Int32Array;
  /** Position of the first token: the sequence's length. */
  from: number;
  /** Of the last token. */
  wantsLogits: boolean;
}

/** What became of a segment that a sequence has completed. */
export type Completion =
  /** It is in the cache now. */
  | 'stored'
  /** The cache had it already. */
  | 'known'
  /** There was no room. */
  | 'dropped';

/** KV of one running sequence. */
export interface KvSequence {
  /** Positions 0 … length − 1 are computed. */
  readonly length: number;
  /** Whole segments from the start that the cache holds for this sequence. */
  readonly cachedSegments: number;
  /** Takes the next whole segment from the cache; false when it is not there. */
  adopt(key: Uint8Array): boolean;
  /** Makes sure that positions below `tokens` fit, at the expense of what is cached and unused. */
  reserve(tokens: number): boolean;
  /** Takes KV of positions `length` … `to` − 1 from bytes. @returns why not, or undefined. */
  import(bytes: Uint8Array, to: number): string | undefined;
  /** Hands the next whole segment, already computed or imported, to the cache. */
  complete(key: Uint8Array): Completion;
  /** Writes the KV of a range; returns bytes. */
  export(from: number, to: number, into: Uint8Array): number;
  /** Gives everything back. What is in the cache stays there. */
  release(): void;
}
