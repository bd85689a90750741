import { randomUUID } from 'node:crypto';
import type { BlockPool } from '../cache/block-pool.ts';
import type { Cancel, EngineClock } from '../engine/clock.ts';
import type { KeptKv } from '../engine/generation.ts';
import type { ViolationKind } from '../violations.ts';
import type { NixlParams } from './nixl-params.ts';

export interface NixlSourceOptions {
  host: string;
  port: number;
  pool: BlockPool;
  clock: EngineClock;
  /** How long blocks are held for a decode that says nothing, ms of real time. */
  leaseMs: number;
  complain: (kind: ViolationKind, detail: string) => void;
}

/** A prompt's KV that waits for its reader. */
export interface HeldPrompt {
  readonly params: NixlParams;
  readonly promptTokens: readonly number[];
  readonly blocks: readonly number[];
  /** What the client's side called the request. */
  readonly clientId: string | undefined;
  /** A decode side has begun to read it. */
  isBeingRead: boolean;
}

/** How a held prompt came to its end. */
export type HoldEnd = 'read' | 'expired';

export type Found =
  | { state: 'held'; prompt: HeldPrompt }
  | { state: HoldEnd; prompt: HeldPrompt }
  | { state: 'unknown' };

/** Ended holds that are remembered, so that a second use can be told from a late one. */
const MAX_ENDED = 4_096;

/** The side of NixlConnector that keeps a prompt's blocks until they are read, or until nobody has asked for too long. */
export class NixlSource {
  readonly engineId: string = randomUUID();
  readonly host: string;
  readonly port: number;
  readonly pool: BlockPool;
  expired = 0;
  notificationsAfterExpiry = 0;
  readonly #options: NixlSourceOptions;
  readonly #held = new Map<string, { prompt: HeldPrompt; readers: number; cancel: Cancel }>();
  readonly #ended = new Map<string, { prompt: HeldPrompt; end: HoldEnd }>();

  constructor(options: NixlSourceOptions) {
    this.#options = options;
    this.host = options.host;
    this.port = options.port;
    this.pool = options.pool;
  }

  get heldPrompts(): number {
    return this.#held.size;
  }

  hold(kept: KeptKv, clientId: string | undefined): NixlParams {
    const { requestId, blocks, promptTokens } = kept;
    const params: NixlParams = {
      do_remote_prefill: true,
      do_remote_decode: false,
      remote_block_ids: [[...blocks]],
      remote_engine_id: this.engineId,
      remote_request_id: requestId,
      remote_host: this.host,
      remote_port: this.port,
      tp_size: 1,
      dcp_size: 1,
      pp_size: 1,
      remote_num_tokens: promptTokens.length,
      remote_blocks_expiry_time: null,
      transfer_mode: 'pull',
      remote_prefill_cached_tokens: kept.cachedTokens,
    };
    const prompt = { params, promptTokens, blocks, clientId, isBeingRead: false };
    this.#held.set(requestId, { prompt, readers: 0, cancel: this.#lease(requestId) });
    return structuredClone(params);
  }

  find(requestId: string): Found {
    const held = this.#held.get(requestId);
    if (held !== undefined) return { state: 'held', prompt: held.prompt };
    const ended = this.#ended.get(requestId);
    return ended === undefined ? { state: 'unknown' } : { state: ended.end, prompt: ended.prompt };
  }

  /** A decode side has the request in its queue and says so again and again: its lease does not end. */
  addReader(requestId: string, readers: 1 | -1): void {
    const held = this.#held.get(requestId);
    if (held !== undefined) held.readers += readers;
  }

  /** A decode side needs the blocks no more. */
  notify(requestId: string): void {
    const held = this.#held.get(requestId);
    if (held === undefined) {
      this.notificationsAfterExpiry += 1;
      return;
    }
    held.cancel();
    this.#end(requestId, held.prompt, 'read');
  }

  /** The engine ends: nothing of it can be read, and nothing expires. */
  close(): void {
    for (const { cancel, prompt } of this.#held.values()) {
      cancel();
      this.pool.release(prompt.blocks);
    }
    this.#held.clear();
  }

  #lease(requestId: string): Cancel {
    const { clock, leaseMs } = this.#options;
    return clock.at(clock.now() + clock.ofRealTime(leaseMs), () => this.#leaseOver(requestId));
  }

  #leaseOver(requestId: string): void {
    const held = this.#held.get(requestId);
    if (held === undefined) return;
    if (held.readers > 0) {
      held.cancel = this.#lease(requestId);
      return;
    }
    this.expired += 1;
    this.#end(requestId, held.prompt, 'expired');
    this.#options.complain('lease_expired', `${requestId}: nobody read its KV`);
  }

  #end(requestId: string, prompt: HeldPrompt, end: HoldEnd): void {
    this.#held.delete(requestId);
    this.pool.release(prompt.blocks);
    this.#ended.set(requestId, { prompt, end });
    const oldest = this.#ended.keys().next();
    if (this.#ended.size > MAX_ENDED && !oldest.done) this.#ended.delete(oldest.value);
  }
}
