import type { BlockPool } from '../cache/block-pool.ts';
import { Ended } from '../connectors/ended.ts';
import type { EngineClock } from '../engine/clock.ts';
import type { KeptKv, RemoteKv } from '../engine/generation.ts';
import type { ViolationKind } from '../violations.ts';
import { PromptMeeting, type MeetingLimits, type Side } from './prompt-meeting.ts';

export interface PromptExchangeOptions extends MeetingLimits {
  engineId: string;
  host: string;
  port: number;
  /** Of the prefill engine. */
  pool: BlockPool;
  clock: EngineClock;
  complain: (kind: ViolationKind, detail: string) => void;
}

/**
 * The prefill side of a connector of which both sides are asked at once. Each prompt has an id that both were told; whoever
 * comes first waits for the other.
 */
export class PromptExchange {
  readonly engineId: string;
  readonly host: string;
  #port: number;
  readonly #options: PromptExchangeOptions;
  readonly #meetings = new Map<string, PromptMeeting>();
  readonly #ended = new Ended<ReadonlySet<Side>>();

  constructor(options: PromptExchangeOptions) {
    this.#options = options;
    this.engineId = options.engineId;
    this.host = options.host;
    this.#port = options.port;
  }

  get port(): number {
    return this.#port;
  }

  /** Where it is met, when that was not known before. */
  listensAt(port: number): void {
    this.#port = port;
  }

  /** Prompts that are kept or waited for. */
  get open(): number {
    return [...this.#meetings.values()].filter(({ isHolding }) => isHolding).length;
  }

  /** A prefill has begun. What it says when it has computed the prompt, and when it ends without. */
  seatPrefill(
    id: string,
    promptTokens: readonly number[],
  ): { keep: (kept: KeptKv) => void; leave: () => void } {
    const meeting = this.#enter(id, 'prefill', promptTokens);
    return {
      keep: (kept) => meeting.offer(kept, this.#options.pool),
      leave: () => meeting.prefillLeft(),
    };
  }

  /** @param takeFailure whether the transfer to this decode is to fail */
  seatDecode(
    id: string,
    promptTokens: readonly number[],
    takeFailure: () => boolean,
  ): RemoteKv & { leave: () => void } {
    const meeting = this.#enter(id, 'decode', promptTokens);
    return {
      read: (pool, blocks, done) => meeting.take({ pool, blocks, takeFailure, done }),
      notNeeded: () => meeting.notNeeded(),
      leave: () => meeting.decodeLeft(),
    };
  }

  /** Its engine ends: what it keeps is gone, and who waits for it goes on waiting. */
  close(): void {
    for (const meeting of this.#meetings.values()) meeting.prefillEnded();
  }

  #enter(id: string, side: Side, promptTokens: readonly number[]): PromptMeeting {
    const { clock, complain } = this.#options;
    const open = this.#meetings.get(id);
    const before = this.#ended.get(id);
    const isTaken = open?.sides.has(side) === true;
    if (isTaken || before?.has(side) === true) {
      complain('used_twice', `${side} for the second time by the id ${id}`);
    }
    let meeting = isTaken ? undefined : open;
    if (meeting === undefined) {
      const onEnd = (ended: PromptMeeting): void => this.#end(ended);
      const hadPrefill = before?.has('prefill') === true;
      meeting = new PromptMeeting(id, { ...this.#options, hadPrefill, clock, complain, onEnd });
      this.#meetings.set(id, meeting);
    }
    meeting.enter(side, promptTokens);
    return meeting;
  }

  #end(meeting: PromptMeeting): void {
    const { id, sides } = meeting;
    if (this.#meetings.get(id) === meeting) this.#meetings.delete(id);
    this.#ended.add(id, new Set([...sides, ...(this.#ended.get(id) ?? [])]));
  }
}
