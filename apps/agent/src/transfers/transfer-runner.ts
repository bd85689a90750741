import { KEY_BYTES } from '@baton/kv';
import { readTransferOrder, transferResultMessage, type baton, type Unusable } from '@baton/proto';
import { attributes, context, failSpan, spans, startSpan, trace } from '@baton/telemetry';
import type { Context, Span } from '@baton/telemetry';
import type { PageStore } from '@baton/tier-store';
import { nothingMoved } from '@baton/transfer-engines';
import type { PulledTail, PullOutcome, TransferEngine } from '@baton/transfer-engines';
import type { TransferOrder, TransferReason, TransferResult } from '@baton/transfers';
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
  order: TransferOrder;
  arrival: Arrival;
  /** Has reserved the pages. */
  owner: string;
  keys: string[];
  pages: number[];
  tailPage: number | undefined;
  span: Span;
  scope: Context;
}

/** Reasons for which this agent moves segments. */
const SUPPORTED: readonly TransferReason[] = ['prefix', 'handover', 'replicate'];
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
  order(message: baton.v1.TransferOrder, parent: Context): baton.v1.ITransferAck {
    if (this.#seen.has(message.transferId)) return accepted;
    const order = readOrder(message, this.#options.workerId);
    if ('fault' in order) return refused('protocol_violation', order.fault);
    const { transferId, planId } = order;
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
  #reserve(order: TransferOrder, arrival: Arrival, parent: Context): Running | undefined {
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
        [attributes.transferReason]: order.reason,
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
    const result: TransferResult = {
      transferId: order.transferId,
      workerId: this.#options.workerId,
      status: outcome.status,
      segments,
      bytes,
      durationMs: outcome.durationMs,
      bytesPerSec,
      backend: this.#options.engine.backend,
      code,
    };
    this.#log(order, outcome, result);
    context.with(scope, () => this.#options.publish(transferResultMessage(result)));
  }

  #log(order: TransferOrder, outcome: PullOutcome, result: TransferResult): void {
    const { log } = this.#options;
    const { status, message } = outcome;
    const { planId, reason, sourceWorker } = order;
    const fields = { event: 'transfer', ...result, planId, reason, sourceWorker, message };
    if (status === 'done') log.debug(fields, 'transfer done');
    else if (isCalledOff(outcome)) log.info(fields, 'transfer called off');
    else log.warn(fields, `transfer ${status}`);
  }
}

/** True when nobody wanted the transfer any more: its end is no fault. */
function isCalledOff({ status, code }: PullOutcome): boolean {
  return status === 'cancelled' || code === 'transfer_cancelled';
}

const nothingToDo: PullOutcome = { status: 'done', ...nothingMoved };

/** The order, or what is wrong with it as a sentence that names the field. */
function readOrder(message: baton.v1.TransferOrder, workerId: string): TransferOrder | Unusable {
  const order = readTransferOrder(message, workerId);
  if ('fault' in order) return order;
  const { reason, timeoutMs } = order;
  if (!SUPPORTED.includes(reason)) {
    return { fault: `TransferOrder.reason ${reason} is not supported by this agent` };
  }
  if (timeoutMs > MAX_TRANSFER_MS) {
    return { fault: `TransferOrder.timeout_ms must be at most ${MAX_TRANSFER_MS}` };
  }
  return order;
}
