import type { DecodeLeg, PrefillLeg, RequestRun } from '../engine/request-run.ts';
import type { SimWorker } from '../engine/sim-worker.ts';
import type { HeldBlocks, KvHold } from '../kv/kv-cache.ts';
import type { Flow, LinkNetwork } from './link-network.ts';

export interface HandoverOptions {
  run: RequestRun;
  source: SimWorker;
  destination: SimWorker;
  network: LinkNetwork;
  /** Tokens that decode generates. */
  decodeTokens: number;
  onDone: (handover: Handover, nowMs: number) => void;
}

/**
 * A prompt's KV on its way from prefill to decode: what decode lacks, once it has room. It goes step by step while
 * prefill computes where the workers can do that, else when prefill has ended.
 */
export class Handover {
  readonly run: RequestRun;
  readonly destination: SimWorker;
  movedTokens = 0;
  /** Time in which bytes flowed. */
  flowedMs = 0;
  readonly #options: HandoverOptions;
  #isBegun = false;
  #prefillHold: KvHold | undefined;
  #decodeHold: KvHold | undefined;
  /** Prompt tokens that decode had itself. */
  #heldTokens = 0;
  #isLoading = false;
  /** Prompt tokens whose KV can go. */
  #readyTokens = 0;
  #flow: Flow | undefined;
  #isOver = false;

  constructor(options: HandoverOptions) {
    this.#options = options;
    this.run = options.run;
    this.destination = options.destination;
  }

  /** So many prompt tokens are there at prefill, and it may go on computing meanwhile. */
  progress(tokens: number, nowMs: number): void {
    const { source, decodeTokens } = this.#options;
    if (!source.facts.capabilities.overlapHandover || decodeTokens === 0) return;
    this.#readyTokens = tokens;
    this.#begin(nowMs);
  }

  /** All of the prompt is there; prefill keeps it until it has gone. */
  prefilled({ hold, run }: PrefillLeg, nowMs: number): void {
    this.#prefillHold = hold;
    this.#readyTokens = run.promptTokens;
    if (this.#isOver) this.#releasePrefill(nowMs);
    else this.#begin(nowMs);
  }

  /** Nobody needs it any more: both sides give back what they kept for it. */
  cancel(nowMs: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#flow !== undefined) this.#options.network.cancel(this.#flow, nowMs);
    if (this.#decodeHold !== undefined) this.destination.cache.release(this.#decodeHold);
    this.destination.kick(nowMs);
    this.#releasePrefill(nowMs);
  }

  #begin(nowMs: number): void {
    if (this.#isBegun) this.#send(nowMs);
    else {
      this.#isBegun = true;
      this.destination.decode.claim(this.run, (...room) => this.#haveRoom(...room), nowMs);
    }
  }

  #haveRoom(hold: KvHold, held: HeldBlocks, nowMs: number): void {
    const { destination } = this;
    this.#decodeHold = hold;
    const blocks = held.hbm + held.dram + held.ssd;
    this.#heldTokens = blocks * destination.facts.layout.blockTokens;
    if (blocks > held.hbm) {
      this.#isLoading = true;
      destination.load(held, nowMs, (atMs) => {
        this.#isLoading = false;
        if (this.#isOver) return;
        destination.cache.publish(hold, blocks);
        this.#send(atMs);
      });
    }
    this.#send(nowMs);
  }

  #send(nowMs: number): void {
    if (this.#isOver || this.#decodeHold === undefined || this.#flow !== undefined) return;
    const { source, destination, network } = this.#options;
    const tokens = this.#readyTokens - this.#heldTokens - this.movedTokens;
    if (tokens > 0) {
      const bytes = tokens * source.facts.layout.bytesPerToken;
      this.#flow = network.start(source.workerId, destination.workerId, bytes, nowMs, (atMs) => {
        this.flowedMs += atMs - nowMs;
        this.movedTokens += tokens;
        this.run.record.movedBytes += bytes;
        this.#flow = undefined;
        this.#send(atMs);
      });
    } else if (this.#prefillHold !== undefined && !this.#isLoading) this.#arrive(nowMs);
  }

  #arrive(nowMs: number): void {
    const { run, destination } = this;
    const hold = this.#decodeHold;
    if (hold === undefined) return;
    this.#isOver = true;
    destination.cache.publish(hold, run.blocks.length);
    const tokens = this.#options.decodeTokens;
    const leg: DecodeLeg = { run, tokens, hold, firstStep: 0, lastStep: 0 };
    destination.decode.arrived(leg);
    destination.kick(nowMs);
    this.#releasePrefill(nowMs);
    this.#options.onDone(this, nowMs);
  }

  #releasePrefill(nowMs: number): void {
    if (this.#prefillHold === undefined) return;
    this.#options.source.cache.release(this.#prefillHold);
    this.#prefillHold = undefined;
    this.#options.source.kick(nowMs);
  }
}
