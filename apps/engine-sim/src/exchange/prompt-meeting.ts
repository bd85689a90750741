import { isDeepStrictEqual } from 'node:util';
import type { BlockPool } from '../cache/block-pool.ts';
import type { Cancel, EngineClock } from '../engine/clock.ts';
import type { KeptKv } from '../engine/generation.ts';
import {
  KV_LOST,
  transferOf,
  type OnTransfer,
  type Taker,
  type TransferSpeed,
} from '../engine/kv-transfer.ts';
import type { ViolationKind } from '../violations.ts';

export type Side = 'prefill' | 'decode';

export interface MeetingLimits extends TransferSpeed {
  /** How long a computed prompt is kept for a decode that does not come, real time. */
  keepMs: number;
  /** How long a decode waits for its prompt, real time. */
  waitMs: number;
  onTransfer: OnTransfer;
}

export interface MeetingOptions extends MeetingLimits {
  clock: EngineClock;
  complain: (kind: ViolationKind, detail: string) => void;
  /** A prefill came by this id before, and has ended. */
  hadPrefill: boolean;
  onEnd: (meeting: PromptMeeting) => void;
}

/**
 * One prompt on its way. Prefill answers when it has computed it, and keeps it; decode waits, whatever has become of
 * prefill: nobody tells it that there will be nothing.
 */
export class PromptMeeting {
  readonly id: string;
  readonly sides = new Set<Side>();
  readonly #options: MeetingOptions;
  #promptTokens: readonly number[] | undefined;
  #offer: { kept: KeptKv; pool: BlockPool } | undefined;
  #taker: Taker | undefined;
  #hasDecodeLeft = false;
  #isUnwanted = false;
  #isMoving = false;
  #cancels: Cancel[] = [];

  constructor(id: string, options: MeetingOptions) {
    this.id = id;
    this.#options = options;
  }

  /** Blocks of either side are bound by it. */
  get isHolding(): boolean {
    return this.#offer !== undefined || this.#taker !== undefined;
  }

  enter(side: Side, promptTokens: readonly number[]): void {
    this.sides.add(side);
    const other = this.#promptTokens;
    this.#promptTokens ??= promptTokens;
    if (other !== undefined && !isDeepStrictEqual([...other], [...promptTokens])) {
      this.#options.complain('other_prompt', `${this.id}: the legs have other prompts`);
    }
    if (side === 'decode') this.#after(this.#options.waitMs, () => this.#waitedInVain());
  }

  /** The prompt is computed. */
  offer(kept: KeptKv, pool: BlockPool): void {
    this.#offer = { kept, pool };
    if (this.#isUnwanted) return this.#end();
    if (this.#taker !== undefined) return this.#move(this.#taker);
    this.#after(this.#options.keepMs, () => {
      if (this.#isMoving || this.#offer === undefined) return;
      if (!this.#hasDecodeLeft) {
        this.#options.complain('lease_expired', `${this.id}: nobody fetched its KV`);
      }
      this.#end();
    });
  }

  /** Blocks are there for the KV. */
  take(taker: Taker): void {
    this.#taker = taker;
    if (this.#offer !== undefined) this.#move(taker);
  }

  /** Decode has ended before it had blocks: prefill hears of it and keeps nothing. */
  notNeeded(): void {
    this.#isUnwanted = true;
    if (this.#taker === undefined && this.#offer !== undefined) this.#end();
  }

  /** Decode's client is gone, or has its answer. Its blocks wait for what prefill may still write. */
  decodeLeft(): void {
    this.#hasDecodeLeft = true;
  }

  /** Prefill has ended; without an offer there will be none, and blocks of decode that wait for it go on waiting. */
  prefillLeft(): void {
    if (this.#offer !== undefined || this.#isUnwanted) return;
    if (!this.sides.has('decode')) return this.#end();
    this.#options.complain('never_written', `${this.id}: prefill was given up, and decode waits`);
  }

  prefillEnded(): void {
    if (this.#isMoving) return;
    this.#release();
    if (!this.sides.has('decode')) this.#end();
  }

  #after(ms: number, then: () => void): void {
    const { clock } = this.#options;
    this.#cancels.push(clock.at(clock.now() + clock.ofRealTime(ms), then));
  }

  #waitedInVain(): void {
    if (this.#isMoving) return;
    const hasCome = this.sides.has('prefill') || this.#options.hadPrefill;
    if (!hasCome && !this.#hasDecodeLeft) {
      this.#options.complain('never_met', `${this.id}: decode came, and no prefill`);
    }
    const taker = this.#taker;
    this.#end();
    taker?.done(KV_LOST);
  }

  #move(taker: Taker): void {
    const { clock, onTransfer } = this.#options;
    this.#isMoving = true;
    const transfer = transferOf(taker.blocks.length, taker.pool, this.#options);
    clock.at(clock.now() + transfer.durationMs, () => {
      const isLost = taker.takeFailure() || !this.#copy(taker);
      onTransfer(isLost ? 'failed' : transfer);
      this.#end();
      taker.done(isLost ? KV_LOST : undefined);
    });
  }

  /** The last blocks of what is kept into those of decode; false when there are too few. */
  #copy({ pool, blocks }: Taker): boolean {
    const offer = this.#offer;
    const from = (offer?.kept.blocks.length ?? 0) - blocks.length;
    if (offer === undefined || from < 0) return false;
    pool.copyFrom(offer.pool, offer.kept.blocks.slice(from), blocks);
    return true;
  }

  #release(): void {
    const offer = this.#offer;
    this.#offer = undefined;
    offer?.pool.release(offer.kept.blocks);
  }

  #end(): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
    this.#release();
    this.#taker = undefined;
    this.#options.onEnd(this);
  }
}
