import type { BlockPool } from '../cache/block-pool.ts';
import type { EngineFault } from './generation.ts';

/** How fast KV goes from engine to engine. */
export interface TransferSpeed {
  bandwidthBytesPerSec: number;
  kvBytesPerToken: number;
}

export interface KvTransfer {
  bytes: number;
  durationMs: number;
}

/** Told of each transfer when its time is over. */
export type OnTransfer = (transfer: KvTransfer | 'failed') => void;

/** Blocks of a decode that wait for KV. */
export interface Taker {
  pool: BlockPool;
  blocks: readonly number[];
  /** True when the transfer to it is to fail. */
  takeFailure: () => boolean;
  /** Called once. */
  done: (fault?: EngineFault) => void;
}

const MS = 1_000;

/** KV did not come: vLLM's default is to fail the request. */
export const KV_LOST: EngineFault = {
  status: 500,
  type: 'InternalServerError',
  message: 'Internal server error',
};

/** What bringing so many blocks to this pool takes. */
export function transferOf(
  blocks: number,
  { blockTokens }: BlockPool,
  { bandwidthBytesPerSec, kvBytesPerToken }: TransferSpeed,
): KvTransfer {
  const bytes = blocks * blockTokens * kvBytesPerToken;
  return { bytes, durationMs: (bytes / bandwidthBytesPerSec) * MS };
}
