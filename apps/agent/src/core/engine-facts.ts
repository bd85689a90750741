import { BatonError, layoutDigest } from '@baton/kv';
import type { baton } from '@baton/proto';
import { MIN_PAGES, PAGE_ALIGNMENT } from './agent-limits.ts';

/** What an engine says of itself, checked. */
export interface EngineFacts {
  worker: baton.v1.IWorker;
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

const MAX_PAGE_BYTES = 2 ** 30;

/** Pages of the arena for this engine. @throws BatonError config_invalid when it is too small to be of use. */
export function arenaPageCount({ pageBytes }: EngineFacts, dramBytes: number): number {
  const pageCount = Math.floor(dramBytes / pageBytes);
  if (pageCount >= MIN_PAGES) return pageCount;
  throw new BatonError(
    'config_invalid',
    `an arena of ${dramBytes} bytes is too small for pages of ${pageBytes}: give --dram-bytes at least ${pageBytes * MIN_PAGES}`,
  );
}

/** The facts of a hello, or a sentence that names the field that is wrong. */
export function readEngineHello(hello: baton.v1.IEngineHello): EngineFacts | string {
  const { worker, pageBytes = 0 } = hello;
  const layout = worker?.layout;
  if (!worker || !layout) return 'EngineHello.worker.layout is missing';
  const wanted = pageBytes ?? 0;
  if (wanted < 1 || wanted > MAX_PAGE_BYTES) {
    return `EngineHello.page_bytes must be 1 to ${MAX_PAGE_BYTES}, not ${wanted}`;
  }
  const segmentTokens = worker.segmentTokens ?? 0;
  if (segmentTokens < 1) return 'EngineHello.worker.segment_tokens is missing';
  if (!worker.tokenization) return 'EngineHello.worker.tokenization is missing';
  const aligned = Math.ceil(wanted / PAGE_ALIGNMENT) * PAGE_ALIGNMENT;
  const digest = layoutDigest({
    modelRevision: layout.modelRevision ?? '',
    dtype: layout.dtype ?? '',
    layers: layout.layers ?? 0,
    ranks: layout.ranks ?? 0,
    blockTokens: layout.blockTokens ?? 0,
    connector: layout.connector ?? '',
    connectorVersion: layout.connectorVersion ?? '',
    bytesPerToken: layout.bytesPerToken ?? 0,
    segmentBytes: layout.segmentBytes ?? 0,
  });
  return {
    worker,
    layoutDigest: digest,
    identity: JSON.stringify([digest, worker.model, worker.tokenization, segmentTokens]),
    pageBytes: aligned,
    tokenization: worker.tokenization,
    segmentTokens,
    kvCapacityBlocks: worker.kvCapacityBlocks ?? 0,
    eventsEndpoint: hello.eventsEndpoint ?? '',
    replayEndpoint: hello.replayEndpoint ?? '',
  };
}
