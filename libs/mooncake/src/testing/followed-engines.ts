import { decode, encode } from '@msgpack/msgpack';
import { BatonError } from '@baton/kv';
import type { AnswerForm } from '../answers/query-answer.ts';
import { IndexerApi } from '../api.ts';
import type { EventSource } from '../contexts/event-feed.ts';
import { indexerLimits, type IndexerLimits } from '../limits.ts';

/** How an engine names a block. */
export type Hash = bigint | Uint8Array;

export interface StoredBlocks {
  hashes: readonly Hash[];
  parent?: Hash | undefined;
  tokens: ArrayLike<number>;
  blockSize: number;
  medium?: string;
  lora?: string;
  /** vLLM's: for each block null or what its hash depends on. */
  extraKeys?: readonly (readonly unknown[] | null)[];
  kind?: string;
}

/** Events as vLLM sends them from 0.24 on, in msgpack. */
export const stored = (blocks: StoredBlocks): object => ({
  type: 'BlockStored',
  block_hashes: blocks.hashes,
  parent_block_hash: blocks.parent ?? null,
  token_ids: Array.from(blocks.tokens),
  block_size: blocks.blockSize,
  lora_id: null,
  medium: blocks.medium ?? 'GPU',
  lora_name: blocks.lora ?? null,
  extra_keys: blocks.extraKeys ?? null,
  ...(blocks.kind === undefined ? {} : { group_idx: 0, kv_cache_spec_kind: blocks.kind }),
});
export const removed = (hashes: readonly Hash[], medium = 'GPU'): object => ({
  type: 'BlockRemoved',
  block_hashes: hashes,
  medium,
});
export const cleared: object = { type: 'AllBlocksCleared' };

export function batch(events: readonly unknown[], rank = 0): Uint8Array {
  return encode([1.5, events, rank], { useBigInt64: true });
}

/** An API whose subscriptions are in the hands of a test. */
export class FollowedEngines {
  readonly api: IndexerApi;
  readonly #sources = new Map<string, EventSource>();
  readonly closed: string[] = [];
  /** Why an endpoint cannot be heard. */
  readonly lost = new Map<string, string>();
  readonly faults: unknown[] = [];
  /** Endpoints that nobody can subscribe to. */
  readonly unusable = new Set<string>();

  constructor({
    answers = 'mooncake',
    limits = {},
  }: { answers?: AnswerForm; limits?: Partial<IndexerLimits> } = {}) {
    this.api = new IndexerApi({
      answers,
      limits: { ...indexerLimits, ...limits },
      onFault: (error) => void this.faults.push(error),
      openFeed: (source) => {
        this.#checkUsable('endpoint', source.endpoint);
        this.#checkUsable('replay_endpoint', source.replayEndpoint);
        this.#sources.set(source.endpoint, source);
        const counters = { batches: 0, gaps: 0, replayed: 0, resets: 0, restarts: 0 };
        const { lost } = this;
        return {
          counters: { ...counters, unreadable: 0 },
          get fault() {
            return lost.get(source.endpoint);
          },
          close: () => void this.closed.push(source.endpoint),
        };
      },
    });
  }

  #checkUsable(field: string, endpoint = ''): void {
    if (!this.unusable.has(endpoint)) return;
    throw new BatonError('config_invalid', `${endpoint} is no endpoint`, { details: { field } });
  }

  /** What the subscription to this endpoint tells, also when it is closed. */
  source(endpoint: string): EventSource {
    const source = this.#sources.get(endpoint);
    if (source === undefined) throw new Error(`nobody subscribed to ${endpoint}`);
    return source;
  }

  publish(endpoint: string, ...events: readonly unknown[]): void {
    this.source(endpoint).onPayload(batch(events));
  }

  post(path: string, body: unknown): { status: number; body: Record<string, unknown> } {
    return this.send(path, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  }

  send(
    path: string,
    body: Uint8Array,
    contentType = 'application/json',
  ): { status: number; body: Record<string, unknown> } {
    const request = { method: 'POST', path, contentType, accept: undefined, body };
    return read(this.api.answer(request));
  }

  get(path: string): { status: number; body: Record<string, unknown> } {
    const request = { method: 'GET', path, contentType: undefined, accept: undefined };
    return read(this.api.answer({ ...request, body: undefined }));
  }
}

function read(answer: { status: number; body: string | Uint8Array }): {
  status: number;
  body: Record<string, unknown>;
} {
  const { body: bytes } = answer;
  const body: unknown = typeof bytes === 'string' ? JSON.parse(bytes) : decode(bytes);
  return { status: answer.status, body: body as Record<string, unknown> };
}
