import { BatonError, layoutDigest } from '@baton/kv';
import type { EngineHello, EngineWorker } from '@baton/proto';
import { MIN_PAGES, PAGE_ALIGNMENT } from './agent-limits.ts';

/** What an engine says of itself, and what follows from it. */
export interface EngineFacts {
  worker: EngineWorker;
  layoutDigest: string;
  /** Engines with the same identity can use each other's segments and keys. */
  identity: string;
  /** Bytes of a page, a multiple of the alignment. */
  pageBytes: number;
  tokenization: string;
  segmentTokens: number;
  kvCapacityBlocks: number;
  eventsEndpoint: string;
  replayEndpoint: string;
}

/** Pages of the arena for this engine. @throws BatonError config_invalid when it is too small to be of use. */
export function arenaPageCount({ pageBytes }: EngineFacts, dramBytes: number): number {
  const pageCount = Math.floor(dramBytes / pageBytes);
  if (pageCount >= MIN_PAGES) return pageCount;
  throw new BatonError(
    'config_invalid',
    `an arena of ${dramBytes} bytes is too small for pages of ${pageBytes}: give --dram-bytes at least ${pageBytes * MIN_PAGES}`,
  );
}

export function engineFacts(hello: EngineHello): EngineFacts {
  const { worker, eventsEndpoint, replayEndpoint } = hello;
  const { layout, model, tokenization, segmentTokens, kvCapacityBlocks } = worker;
  const digest = layoutDigest(layout);
  return {
    worker,
    layoutDigest: digest,
    identity: JSON.stringify([digest, model, tokenization, segmentTokens]),
    pageBytes: Math.ceil(hello.pageBytes / PAGE_ALIGNMENT) * PAGE_ALIGNMENT,
    tokenization,
    segmentTokens,
    kvCapacityBlocks,
    eventsEndpoint,
    replayEndpoint,
  };
}
