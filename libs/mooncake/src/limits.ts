import type { RegistryLimits } from './contexts/registry.ts';

/** How much others may ask for and register. */
export interface IndexerLimits extends RegistryLimits {
  /** Token ids of one query. */
  maxTokens: number;
  /** Block hashes of one query. */
  maxHashes: number;
  /** Body of a request. */
  maxBodyBytes: number;
}

/** A query of a million tokens fits in every form that has no more than a space between two of them. */
export const indexerLimits: Readonly<IndexerLimits> = {
  maxPublishers: 1_024,
  maxContexts: 256,
  maxBlocks: 12_000_000,
  maxPublisherBlocks: 2 ** 21,
  maxTokens: 2 ** 20,
  maxHashes: 2 ** 17,
  maxBodyBytes: 16 * 1024 * 1024,
};
