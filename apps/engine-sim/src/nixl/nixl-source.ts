import { randomUUID } from 'node:crypto';
import type { BlockPool } from '../cache/block-pool.ts';
import { Ended } from '../connectors/ended.ts';
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
  /** How long a decode holds a turn for the next one, ms of real time. */
  turnMs: number;
  complain: (kind: ViolationKind, detail: string) => void;
}

/** KV of a prompt, or of a turn, that waits for its reader. */
export interface HeldPrompt {
  readonly params: NixlParams;
  readonly tokens: readonly number[];
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

const MS = 1_000;

/**
 * The side of NixlConnector that keeps blocks until they are read, or until nobody has asked for too long: a prefill those
 * of a prompt, a decode, where both are bidirectional, those of a turn.
 */
export class NixlSource {
  readonly engineId: string = randomUUID();
  readonly host: string;
  readonly port: number;
  readonly pool: BlockPool;
  expired = 0;
  notificationsAfterExpiry = 0;
  readonly #options: NixlSourceOptions;
  readonly #held = new Map<string, { prompt: HeldPrompt; readers: number; cancel: Cancel }>();
  readonly #ended = new Ended<{ prompt: HeldPrompt; end: HoldEnd }>();

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
    return this.#hold(kept, clientId, true);
  }

  /** Of a decode's answer: nobody has to read it. */
  holdTurn(kept: KeptKv, clientId: string | undefined): NixlParams {
    return this.#hold(kept, clientId, false);
  }

  #hold(kept: KeptKv, clientId: string | undefined, isPrefill: boolean): NixlParams {
    const { requestId, blocks, tokens } = kept;
    const { clock, leaseMs, turnMs } = this.#options;
    const params: NixlParams = {
      do_remote_prefill: isPrefill,
      do_remote_decode: !isPrefill,
      remote_block_ids: [[...blocks]],
      remote_engine_id: this.engineId,
      remote_request_id: requestId,
      remote_host: this.host,
      remote_port: this.port,
      tp_size: 1,
      dcp_size: 1,
      pp_size: 1,
      remote_num_tokens: tokens.length,
      remote_blocks_expiry_time: isPrefill ? null : (clock.wall() + turnMs) / MS,
      transfer_mode: 'pull',
      ...(isPrefill && { remote_prefill_cached_tokens: kept.cachedTokens }),
    };
    const prompt = { params, tokens, blocks, clientId, isBeingRead: false };
    const cancel = this.#lease(requestId, isPrefill ? leaseMs : turnMs);
    this.#held.set(requestId, { prompt, readers: 0, cancel });
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

  #lease(requestId: string, ms: number): Cancel {
    const { clock } = this.#options;
    return clock.at(clock.now() + clock.ofRealTime(ms), () => this.#leaseOver(requestId));
  }

  #leaseOver(requestId: string): void {
    const held = this.#held.get(requestId);
    if (held === undefined) return;
    if (held.readers > 0) {
      held.cancel = this.#lease(requestId, this.#options.leaseMs);
      return;
    }
    this.expired += 1;
    this.#end(requestId, held.prompt, 'expired');
    // A conversation that does not go on is nobody's fault.
    if (held.prompt.params.do_remote_decode) return;
    this.#options.complain('lease_expired', `${requestId}: nobody read its KV`);
  }

  #end(requestId: string, prompt: HeldPrompt, end: HoldEnd): void {
    this.#held.delete(requestId);
    this.pool.release(prompt.blocks);
    this.#ended.add(requestId, { prompt, end });
  }
}
