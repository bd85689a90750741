import type { TransferOrder, TransferStatus } from '@baton/transfers';
import type { RequestRun } from '../engine/request-run.ts';
import type { SimWorker } from '../engine/sim-worker.ts';
import { blocksOfKeys } from '../kv/block-keys.ts';
import type { KvHold } from '../kv/kv-cache.ts';
import type { EventQueue } from '../time/event-queue.ts';
import type { Flow, LinkNetwork } from './link-network.ts';

export interface PullOptions {
  order: TransferOrder;
  /** The request that waits for it; undefined when it is for nobody in particular. */
  run: RequestRun | undefined;
  source: SimWorker | undefined;
  destination: SimWorker;
  network: LinkNetwork;
  queue: EventQueue;
  onEnd: (pull: PrefixPull, nowMs: number) => void;
}

/** An order to bring a run of blocks from one worker to another: what the source really has of it, from its begin on. */
export class PrefixPull {
  readonly order: TransferOrder;
  readonly run: RequestRun | undefined;
  readonly destination: SimWorker;
  status: TransferStatus = 'done';
  code = '';
  /** Blocks that crossed the link. */
  movedBlocks = 0;
  durationMs = 0;
  readonly #options: PullOptions;
  readonly #startedAtMs: number;
  #sourceHold: KvHold | undefined;
  #hold: KvHold | undefined;
  #flow: Flow | undefined;
  #isOver = false;

  constructor(options: PullOptions, nowMs: number) {
    this.#options = options;
    this.order = options.order;
    this.run = options.run;
    this.destination = options.destination;
    this.#startedAtMs = nowMs;
  }

  start(): void {
    const { source, queue, order } = this.#options;
    const nowMs = this.#startedAtMs;
    const blocks = blocksOfKeys(order.keys);
    const held = source?.cache.lookup(blocks, blocks.length, blocks.length);
    const found = held === undefined ? 0 : held.hbm + held.dram + held.ssd;
    if (source === undefined || held === undefined || found === 0) {
      return this.#end('failed', 'segment_not_found', nowMs);
    }
    const { cache, facts } = this.destination;
    const present = cache.lookup(blocks, found).hbm;
    this.#hold = cache.acquire(blocks.slice(0, found), present, found);
    if (this.#hold === undefined) return this.#end('failed', 'arena_full', nowMs);
    this.#sourceHold = source.cache.acquire(blocks, held.hbm, held.hbm);
    queue.push(nowMs + order.timeoutMs, (atMs) => this.#end('failed', 'deadline_exceeded', atMs));
    const send = (atMs: number): void =>
      this.#send(source, found - present, facts.layout.segmentBytes, found < blocks.length, atMs);
    if (held.dram + held.ssd > 0) source.load(held, nowMs, send);
    else send(nowMs);
  }

  cancel(nowMs: number): void {
    this.#end('cancelled', 'transfer_cancelled', nowMs);
  }

  #send(
    source: SimWorker,
    blocks: number,
    blockBytes: number,
    isPartial: boolean,
    nowMs: number,
  ): void {
    if (this.#isOver) return;
    const { network } = this.#options;
    const bytes = blocks * blockBytes;
    const { workerId } = this.destination;
    this.#flow = network.start(source.workerId, workerId, bytes, nowMs, (atMs) => {
      this.movedBlocks = blocks;
      this.durationMs = atMs - nowMs;
      if (this.run !== undefined) {
        this.run.record.movedBytes += bytes;
        this.run.record.pulledBlocks += blocks;
      }
      this.#end(isPartial ? 'partial' : 'done', '', atMs);
    });
  }

  #end(status: TransferStatus, code: string, nowMs: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.status = status;
    this.code = code;
    const { source, network, onEnd } = this.#options;
    if (this.#flow !== undefined) network.cancel(this.#flow, nowMs);
    if (this.#sourceHold !== undefined) source?.cache.release(this.#sourceHold);
    if (this.#hold !== undefined) this.#settle(this.#hold, code === '');
    source?.kick(nowMs);
    onEnd(this, nowMs);
  }

  /** Blocks that have come stay until the request's turn; all others only as long as nobody needs their room. */
  #settle(hold: KvHold, isHere: boolean): void {
    const { cache } = this.destination;
    if (isHere) cache.publish(hold, hold.blocks.length);
    if (isHere && this.run !== undefined && !this.run.isSettled) this.run.pulled.push(hold);
    else cache.release(hold);
  }
}
