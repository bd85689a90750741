import type { TransferOrder, TransferResult } from '@baton/transfers';
import type { PrefillLeg, RequestRun } from '../engine/request-run.ts';
import type { SimWorker } from '../engine/sim-worker.ts';
import type { EventQueue } from '../time/event-queue.ts';
import { Handover } from './handover.ts';
import type { LinkNetwork } from './link-network.ts';
import { PrefixPull } from './prefix-pull.ts';

export interface SimTransfersOptions {
  workers: ReadonlyMap<string, SimWorker>;
  network: LinkNetwork;
  queue: EventQueue;
  onResult: (result: TransferResult, nowMs: number) => void;
}

/** Nothing takes no time at all: a rate has to be a number. */
const LEAST_MS = 1e-3;

/** The agents of a simulated fleet as far as they move KV: they carry out orders and say how that ended. */
export class SimTransfers {
  readonly #options: SimTransfersOptions;
  /** By plan. */
  readonly #handovers = new Map<string, { handover: Handover; order: TransferOrder | undefined }>();
  readonly #pulls = new Map<string, PrefixPull>();

  constructor(options: SimTransfersOptions) {
    this.#options = options;
  }

  /** Transfers under way. */
  get active(): number {
    return this.#handovers.size + this.#pulls.size;
  }

  /** A plan whose prompt is computed at one worker and whose answer at another. */
  planned(run: RequestRun, source: SimWorker, destination: SimWorker, decodeTokens: number): void {
    const { network } = this.#options;
    const onDone = (handover: Handover, nowMs: number): void => this.#handedOver(handover, nowMs);
    const handover = new Handover({ run, source, destination, network, decodeTokens, onDone });
    this.#handovers.set(run.planId, { handover, order: undefined });
  }

  /** @param run the request of the order's plan, when it is still under way */
  ordered(order: TransferOrder, run: RequestRun | undefined, nowMs: number): void {
    const destination = this.#options.workers.get(order.destinationWorker);
    if (destination === undefined) return;
    if (order.reason === 'handover') {
      const known = this.#handovers.get(order.planId);
      if (known !== undefined) known.order = order;
      return;
    }
    const { network, queue, workers } = this.#options;
    const source = workers.get(order.sourceWorker);
    const onEnd = (ended: PrefixPull, atMs: number): void => this.#pulled(ended, atMs);
    const pull = new PrefixPull({ order, run, source, destination, network, queue, onEnd }, nowMs);
    this.#pulls.set(order.transferId, pull);
    pull.start();
  }

  /** Whether a request's prefix is still on its way. */
  isPulling(run: RequestRun): boolean {
    return [...this.#pulls.values()].some((pull) => pull.run === run);
  }

  progress({ run, doneTokens }: PrefillLeg, nowMs: number): void {
    this.#handovers.get(run.planId)?.handover.progress(doneTokens, nowMs);
  }

  /** False when nobody fetches the prompt's KV. */
  prefilled(leg: PrefillLeg, nowMs: number): boolean {
    const known = this.#handovers.get(leg.run.planId);
    known?.handover.prefilled(leg, nowMs);
    return known !== undefined;
  }

  /** Nobody needs what moves for this plan any more. */
  cancel(planId: string, nowMs: number): void {
    const known = this.#handovers.get(planId);
    if (known !== undefined) {
      this.#handovers.delete(planId);
      known.handover.cancel(nowMs);
      this.#tell(known.order, 'cancelled', 'transfer_cancelled', known.handover, nowMs);
    }
    for (const pull of [...this.#pulls.values()]) {
      if (pull.order.planId === planId) pull.cancel(nowMs);
    }
  }

  #handedOver(handover: Handover, nowMs: number): void {
    const { planId } = handover.run;
    const order = this.#handovers.get(planId)?.order;
    this.#handovers.delete(planId);
    this.#tell(order, 'done', '', handover, nowMs);
  }

  #tell(
    order: TransferOrder | undefined,
    status: TransferResult['status'],
    code: string,
    { movedTokens, flowedMs, destination }: Handover,
    nowMs: number,
  ): void {
    if (order === undefined) return;
    const { blockTokens, bytesPerToken } = destination.facts.layout;
    const bytes = movedTokens * bytesPerToken;
    const segments = Math.floor(movedTokens / blockTokens);
    this.#options.onResult(result(order, status, code, segments, bytes, flowedMs), nowMs);
  }

  #pulled(pull: PrefixPull, nowMs: number): void {
    const { order, status, code, movedBlocks, durationMs, destination, run } = pull;
    this.#pulls.delete(order.transferId);
    const bytes = movedBlocks * destination.facts.layout.segmentBytes;
    this.#options.onResult(result(order, status, code, movedBlocks, bytes, durationMs), nowMs);
    if (run !== undefined && !this.isPulling(run)) destination.prefill.pullEnded(run);
    destination.kick(nowMs);
  }
}

function result(
  { transferId, destinationWorker: workerId }: TransferOrder,
  status: TransferResult['status'],
  code: string,
  segments: number,
  bytes: number,
  durationMs: number,
): TransferResult {
  const bytesPerSec = bytes === 0 ? 0 : (bytes / Math.max(LEAST_MS, durationMs)) * 1_000;
  const amount = { segments, bytes, durationMs, bytesPerSec };
  return { transferId, workerId, status, ...amount, backend: 'sim', code };
}
