export interface KvCentricParameters {
  /** A decode worker that lacks at most this many prompt tokens may run the whole request. */
  aggregateBelowTokens: number;
  /** Prompt tokens per second of a worker while no worker of the pool has measured its own. */
  prefillTokensPerSec: number;
  /** From the arena into the engine. */
  dramBytesPerSec: number;
  /** A pull's fixed cost: order, connection, import. */
  pullLatencyMs: number;
  /** A handover's fixed cost: second leg, order, import of the tail. */
  handoverLatencyMs: number;
  /** What one running stream makes a decode worker less attractive. */
  decodeStreamMs: number;
  /** Output that is reserved at decode when the client allows more. */
  reservedOutputTokens: number;
  /** Candidates whose cost is at most this far from the best are equal and take turns. */
  tieMs: number;
  /** The same as a share of the best cost; the larger of the two counts. */
  tieShare: number;
}

/** Defaults; the README of this policy says what each one does. */
export const kvCentricDefaults: KvCentricParameters = {
  aggregateBelowTokens: 128,
  prefillTokensPerSec: 2000,
  dramBytesPerSec: 2e9,
  pullLatencyMs: 4,
  handoverLatencyMs: 8,
  decodeStreamMs: 2,
  reservedOutputTokens: 1024,
  tieMs: 1,
  tieShare: 0.02,
};
