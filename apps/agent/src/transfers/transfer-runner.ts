import { KEY_BYTES } from '@baton/kv';
import { baton } from '@baton/proto';
import { attributes, context, failSpan, spans, startSpan, trace } from '@baton/telemetry';
import type { Context, Span } from '@baton/telemetry';
import type { PageStore } from '@baton/tier-store';
import { parseAddress } from '@baton/transfer-engines';
import type { PulledTail, PullOutcome, TransferEngine } from '@baton/transfer-engines';
import {
  ARRIVAL_TTL_MS,
  MAX_REMEMBERED,
  MAX_TRANSFER_MS,
  MAX_TRANSFERS,
} from '../core/agent-limits.ts';
import type { AgentLog } from '../agent-log.ts';
import type { Arrival, ArrivalBook } from '../core/arrival-book.ts';
import { hexKeys, packHex } from '../core/packed-keys.ts';
import { RecentIds } from '../core/recent-ids.ts';

export interface TransferRunnerOptions {
  workerId: string;
  pages: PageStore;
  arrivals: ArrivalBook;
  engine: TransferEngine;
  isCancelled(planId: string): boolean;
  publish(result: baton.v1.ITransferResult): void;
  log: AgentLog;
  /** Something has arrived, or will not arrive any more. */
  onChange(): void;
  now(): number;
}

export interface TransferCounts {
  handoversReceived: number;
  handoversFailed: number;
}

interface Running {
  order: baton.v1.TransferOrder;
  arrival: Arrival;
  /** Has reserved the pages. */
  owner: string;
  keys: string[];
  pages: number[];
  tailPage: number | undefined;
  span: Span;
  scope: Context;
}

const { TransferReason, TransferStatus } = baton.v1;
const REASONS = new Map<baton.v1.TransferReason, string>([
  [TransferReason.TRANSFER_REASON_PREFIX, 'prefix'],
  [TransferReason.TRANSFER_REASON_HANDOVER, 'handover'],
  [TransferReason.TRANSFER_REASON_REPLICATE, 'replicate'],
]);
const STATUSES = {
  done: TransferStatus.TRANSFER_STATUS_DONE,
  partial: TransferStatus.TRANSFER_STATUS_PARTIAL,
  failed: TransferStatus.TRANSFER_STATUS_FAILED,
  cancelled: TransferStatus.TRANSFER_STATUS_CANCELLED,
};
const MS_PER_SEC = 1_000;

const refused = (code: string, message: string): baton.v1.ITransferAck => ({
  accepted: false,
  code,
  message,
});
const accepted: baton.v1.ITransferAck = { accepted: true };

/** Carries out transfer orders: reserves pages, pulls, and reports the final status of each, once. */
export class TransferRunner {
  readonly counts: TransferCounts = { handoversReceived: 0, handoversFailed: 0 };
  readonly #options: TransferRunnerOptions;
  readonly #seen = new RecentIds(MAX_REMEMBERED);
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: TransferRunnerOptions) {
    this.#options = options;
  }

  /** Answers at once; the transfer runs on. An order that is known already is accepted and does nothing. */
  order(order: baton.v1.TransferOrder, parent: Context): baton.v1.ITransferAck {
    const { transferId, planId } = order;
    if (this.#seen.has(transferId)) return accepted;
    const wrong = wrongField(order);
    if (wrong) return refused('protocol_violation', `TransferOrder.${wrong}`);
    if (planId !== '' && this.#options.isCancelled(planId)) {
      return refused('transfer_cancelled', 'the plan was cancelled');
    }
    if (this.#running.size >= MAX_TRANSFERS) {
      return refused('queue_full', `${MAX_TRANSFERS} transfers run`);
    }
    const arrival = this.#options.arrivals.open(planId || transferId, this.#options.now());
    if (!arrival) return refused('queue_full', 'too many plans at once');
    const running = this.#reserve(order, arrival, parent);
    if (!running) {
      const message = `no room for ${order.keys.length / KEY_BYTES} segments`;
      if (arrival.running.size === 0) arrival.failure = message;
      this.#options.onChange();
      return refused('arena_full', message);
    }
    this.#seen.add(transferId);
    const ended = this.#run(running).finally(() => this.#running.delete(transferId));
    this.#running.set(transferId, ended);
    this.#options.onChange();
    return accepted;
  }

  /** Resolves when no transfer runs; the transfer engine has to be closing. */
  async idle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Leases what is here already, and finds room for the rest. */
  #reserve(order: baton.v1.TransferOrder, arrival: Arrival, parent: Context): Running | undefined {
    const { pages } = this.#options;
    const { transferId, withTail } = order;
    const lacking: string[] = [];
    for (const key of hexKeys(order.keys)) {
      const page = pages.find(key);
      if (page === undefined) lacking.push(key);
      else pages.hold(page, arrival.owner);
    }
    const owner = `transfer/${transferId}`;
    const reserved = pages.reserve(owner, withTail ? [...lacking, undefined] : lacking);
    if (!reserved) {
      if (arrival.running.size === 0) pages.releaseAll(arrival.owner);
      return undefined;
    }
    for (const page of reserved) pages.startWrite(page, owner);
    const span = startSpan(spans.kvTransfer, {
      parent,
      attributes: {
        [attributes.transferId]: transferId,
        [attributes.transferReason]: REASONS.get(order.reason) ?? '',
        [attributes.planId]: order.planId,
        [attributes.sourceWorker]: order.sourceWorker,
        [attributes.destinationWorker]: this.#options.workerId,
        [attributes.tier]: 'dram',
        [attributes.backend]: this.#options.engine.backend,
      },
    });
    return {
      order,
      arrival,
      owner,
      keys: lacking,
      pages: reserved.slice(0, lacking.length),
      tailPage: withTail ? reserved.at(-1) : undefined,
      span,
      scope: trace.setSpan(parent, span),
    };
  }

  async #run(running: Running): Promise<void> {
    const { order, arrival, keys, pages, tailPage, owner } = running;
    const { planId, transferId, timeoutMs, sourceAddress: address } = order;
    arrival.failure = undefined;
    if (tailPage !== undefined) arrival.hasHandover = true;
    for (const key of keys) arrival.expected.add(key);
    const isNothing = keys.length === 0 && tailPage === undefined;
    const pull = isNothing
      ? { done: Promise.resolve(nothingToDo), cancel: () => undefined }
      : this.#options.engine.pull(
          {
            transferId,
            planId,
            address,
            keys: packHex(keys),
            pages,
            tailPage,
            wait: order.withTail,
            timeoutMs,
          },
          {
            segment: (index, payload) => this.#segmentArrived(running, index, payload),
            tail: (tail) => this.#tailArrived(running, tail),
          },
        );
    arrival.running.set(transferId, (reason) => pull.cancel(reason));
    const outcome = await pull.done;
    // Nobody writes any more: what was not filled is free.
    this.#options.pages.abandonAll(owner);
    arrival.running.delete(transferId);
    for (const key of keys) arrival.expected.delete(key);
    arrival.expiresAtMs = this.#options.now() + ARRIVAL_TTL_MS;
    if (outcome.status !== 'done') arrival.failure = `${outcome.code}: ${outcome.message}`;
    this.#report(running, outcome);
    this.#options.onChange();
  }

  #segmentArrived(running: Running, index: number, payload: { bytes: number; checksum: number }) {
    const { arrival, owner, keys, pages } = running;
    const key = keys[index];
    const page = this.#options.pages.commit(pages[index] ?? -1, owner, payload);
    if (page === undefined || key === undefined) return;
    this.#options.pages.hold(page, arrival.owner);
    arrival.transferred.add(key);
    arrival.expected.delete(key);
    this.#options.onChange();
  }

  #tailArrived(running: Running, tail: PulledTail): void {
    const { arrival, owner, tailPage } = running;
    const { pages } = this.#options;
    const { bytes, checksum, state } = tail;
    if (tailPage === undefined) return;
    let page: number | undefined;
    if (bytes > 0) {
      page = pages.commit(tailPage, owner, { bytes, checksum });
      if (page === undefined) return;
      pages.hold(page, arrival.owner);
      pages.release(page, owner);
    }
    arrival.tail = { page, bytes, checksum, state };
    this.#options.onChange();
  }

  #report(running: Running, outcome: PullOutcome): void {
    const { order, span, scope } = running;
    const { bytes, segments, movingMs, code = '', message = '' } = outcome;
    const bytesPerSec = movingMs > 0 ? (bytes * MS_PER_SEC) / movingMs : 0;
    if (order.withTail && outcome.status === 'done') this.counts.handoversReceived += 1;
    else if (order.withTail) this.counts.handoversFailed += 1;
    span.setAttributes({
      [attributes.transferStatus]: outcome.status,
      [attributes.bytes]: bytes,
      [attributes.segments]: segments,
      [attributes.bytesPerSec]: bytesPerSec,
    });
    if (outcome.status !== 'done') failSpan(span, Object.assign(new Error(message), { code }));
    span.end();
    const result = {
      transferId: order.transferId,
      workerId: this.#options.workerId,
      status: STATUSES[outcome.status],
      segments,
      bytes,
      durationMs: outcome.durationMs,
      bytesPerSec,
      backend: this.#options.engine.backend,
      code,
    };
    this.#log(order, outcome, result);
    context.with(scope, () => this.#options.publish(result));
  }

  #log(
    order: baton.v1.TransferOrder,
    outcome: PullOutcome,
    result: baton.v1.ITransferResult,
  ): void {
    const { log } = this.#options;
    const { status, message } = outcome;
    const { planId, sourceWorker } = order;
    const reason = REASONS.get(order.reason);
    const fields = { event: 'transfer', ...result, status, planId, reason, sourceWorker, message };
    if (status === 'done') log.debug(fields, 'transfer done');
    else if (isCalledOff(outcome)) log.info(fields, 'transfer called off');
    else log.warn(fields, `transfer ${status}`);
  }
}

/** True when nobody wanted the transfer any more: its end is no fault. */
function isCalledOff({ status, code }: PullOutcome): boolean {
  return status === 'cancelled' || code === 'transfer_cancelled';
}

const nothingToDo: PullOutcome = {
  status: 'done',
  segments: 0,
  leadingSegments: 0,
  hasTail: false,
  bytes: 0,
  durationMs: 0,
  movingMs: 0,
};

function wrongField(order: baton.v1.TransferOrder): string | undefined {
  const { keys, timeoutMs, sourceAddress, reason, withTail, planId } = order;
  if (keys.length === 0 && !withTail) return 'keys: none, and no tail';
  if (keys.length % KEY_BYTES !== 0) return 'keys: no whole keys';
  if (!REASONS.has(reason)) return `reason: ${reason} is not supported`;
  if (withTail && planId === '') return 'plan_id: missing';
  if (timeoutMs < 1 || timeoutMs > MAX_TRANSFER_MS) return `timeout_ms: 1 to ${MAX_TRANSFER_MS}`;
  if (!parseAddress(sourceAddress)) return 'source_address: must be host:port';
  return undefined;
}
