import { isDeepStrictEqual } from 'node:util';
import type { BlockPool } from '../cache/block-pool.ts';
import type { Cancel, EngineClock } from '../engine/clock.ts';
import type { EngineFault, KeptKv } from '../engine/generation.ts';
import { transferOf, type Taker, type TransferSpeed } from '../engine/kv-transfer.ts';
import type { Side } from '../exchange/prompt-meeting.ts';
import type { ViolationKind } from '../violations.ts';

export interface RoomLimits extends TransferSpeed {
  /** How long one side waits for the other, real time. */
  meetMs: number;
}

export interface RoomOptions extends RoomLimits {
  clock: EngineClock;
  complain: (kind: ViolationKind, detail: string) => void;
  onEnd: (room: BootstrapRoom) => void;
}

/** What a leg says of its room. */
export interface RoomPrompt {
  id: string;
  tokens: readonly number[];
  /** Data-parallel rank of the prefill server that computes it, as this side has it. */
  prefillRank: number;
}

interface Offer {
  kept: KeptKv;
  pool: BlockPool;
  done: (fault?: EngineFault) => void;
}

/**
 * Where the two legs of one pair meet. Prefill computes when decode has room, decode goes on when the KV is there; when
 * one of them leaves before that, the other fails.
 */
export class BootstrapRoom {
  readonly id: string;
  readonly sides = new Set<Side>();
  /** When decode has room for the KV; a fault when it will not. */
  readonly decodeReady: Promise<EngineFault | undefined>;
  readonly #options: RoomOptions;
  readonly #ready = Promise.withResolvers<EngineFault | undefined>();
  readonly #cancel: Cancel;
  #prompt: RoomPrompt | undefined;
  #taker: Taker | undefined;
  #offer: Offer | undefined;
  #isMoving = false;
  #fault: EngineFault | undefined;
  #isOver = false;

  constructor(id: string, options: RoomOptions) {
    this.id = id;
    this.#options = options;
    this.decodeReady = this.#ready.promise;
    const { clock, meetMs } = options;
    this.#cancel = clock.at(clock.now() + clock.ofRealTime(meetMs), () => this.#late());
  }

  enter(side: Side, prompt: RoomPrompt): void {
    const { complain } = this.#options;
    this.sides.add(side);
    const other = this.#prompt;
    this.#prompt ??= prompt;
    if (other === undefined) return;
    if (!isDeepStrictEqual([...other.tokens], [...prompt.tokens])) {
      complain('other_prompt', `room ${this.id}: the legs have other prompts`);
    }
    if (other.prefillRank === prompt.prefillRank) return;
    const ranks = `${other.prefillRank} and ${prompt.prefillRank}`;
    complain('other_rank', `room ${this.id}: the legs look for ranks ${ranks} of prefill`);
    this.fail('the legs look for two ranks');
  }

  /** Blocks are there for the KV. */
  take(taker: Taker): void {
    const { clock } = this.#options;
    const fault = this.#fault;
    if (fault !== undefined) {
      clock.at(clock.now(), () => taker.done(fault));
      return;
    }
    this.#taker = taker;
    this.#ready.resolve(undefined);
    this.#move();
  }

  /** The prompt's KV is there. Resolves when decode has it, or with a fault. */
  offer(kept: KeptKv, pool: BlockPool): Promise<EngineFault | undefined> {
    const { promise, resolve } = Promise.withResolvers<EngineFault | undefined>();
    if (this.#fault === undefined) {
      this.#offer = { kept, pool, done: resolve };
      this.#move();
    } else {
      pool.release(kept.blocks);
      resolve(this.#fault);
    }
    return promise;
  }

  /** A side's client is gone, or has its answer. */
  leave(side: Side): void {
    if (!this.#isOver) this.fail(`Aborted by AbortReq. of the ${side} side`);
  }

  fail(why: string): void {
    if (this.#isOver || this.#isMoving) return;
    this.#end(faultOf(this.id, why));
  }

  #late(): void {
    const missing = this.sides.has('prefill') ? 'decode' : 'prefill';
    if (this.sides.size < 2) {
      this.#options.complain('room_never_met', `room ${this.id}: no ${missing} came`);
    }
    this.fail('timed out');
  }

  #move(): void {
    const { clock } = this.#options;
    const offer = this.#offer;
    const taker = this.#taker;
    if (offer === undefined || taker === undefined) return;
    this.#isMoving = true;
    const { pool, blocks, takeFailure } = taker;
    const { durationMs } = transferOf(blocks.length, pool, this.#options);
    clock.at(clock.now() + durationMs, () => {
      this.#isMoving = false;
      if (takeFailure()) return this.fail('KV transfer failed');
      pool.copyFrom(offer.pool, offer.kept.blocks, blocks);
      this.#end(undefined);
    });
  }

  #end(fault: EngineFault | undefined): void {
    this.#isOver = true;
    this.#fault = fault;
    this.#cancel();
    const offer = this.#offer;
    if (offer !== undefined) {
      offer.pool.release(offer.kept.blocks);
      offer.done(fault);
    }
    this.#ready.resolve(fault);
    this.#taker?.done(fault);
    this.#options.onEnd(this);
  }
}

/** In the words of KVTransferError (python/sglang/srt/disaggregation/common/conn.py). */
function faultOf(room: string, why: string): EngineFault {
  const message = `KVTransferError(bootstrap_room=${room}): ${why}`;
  return { status: 500, type: 'InternalServerError', message };
}
