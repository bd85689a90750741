import { BatonError, type ErrorCode } from '@baton/kv';
import { baton } from '@baton/proto';
import { contextFrom, traceparentOf, type Context } from '@baton/telemetry';
import { errors, headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import type { BusConnection } from './bus-connection.ts';
import { decodeTransferAck, decodeTransferOrder } from './messages.ts';
import { subjectOf } from './subjects.ts';

const TRACEPARENT = 'traceparent';
const MAX_ORDERS_AT_ONCE = 1_024;

export interface OrderOptions {
  /** Until the acknowledgement; the transfer itself has its own limit. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Decides about an order; `context` is the trace of the plan. */
export type TransferHandler = (
  order: baton.v1.TransferOrder,
  context: Context,
) => baton.v1.ITransferAck | Promise<baton.v1.ITransferAck>;

/** Headers with the active trace, or nothing when there is none. */
export function traceHeaders(traceparent = traceparentOf()): MsgHdrs | undefined {
  if (!traceparent) return undefined;
  const carrier = headers();
  carrier.set(TRACEPARENT, traceparent);
  return carrier;
}

export function contextOf(message: Msg): Context {
  return contextFrom(message.headers?.get(TRACEPARENT));
}

function refusal(code: ErrorCode, message: string): baton.v1.TransferAck {
  return baton.v1.TransferAck.create({ accepted: false, code, message });
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof BatonError) return error.code;
  if (error instanceof errors.TimeoutError) return 'deadline_exceeded';
  if (error instanceof errors.NoRespondersError) return 'agent_unavailable';
  if (error instanceof errors.RequestError) {
    return error.isNoResponders() ? 'agent_unavailable' : 'bus_unavailable';
  }
  return 'bus_unavailable';
}

/** The promise's result, or a rejection as soon as the signal aborts. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new BatonError('request_aborted'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Orders a transfer and gives the agent's answer. No answer is an answer, too: `accepted: false` with the code
 * `deadline_exceeded`, `agent_unavailable` (nobody listens), `bus_unavailable`, `protocol_violation` or
 * `request_aborted`. Without an answer the agent may still have taken the order.
 */
export async function orderTransfer(
  bus: BusConnection,
  workerId: string,
  order: baton.v1.ITransferOrder,
  options: OrderOptions,
): Promise<baton.v1.TransferAck> {
  const subject = subjectOf('transfer', workerId);
  const payload = baton.v1.TransferOrder.encode(order).finish();
  const carrier = traceHeaders(order.traceparent || undefined);
  try {
    const answer = bus.request(subject, payload, options.timeoutMs, carrier);
    const message = await unlessAborted(answer, options.signal);
    const decoded = decodeTransferAck(message.data, workerId);
    if ('message' in decoded) return decoded.message;
    bus.decodeFailed(subject, decoded.fault);
    return refusal('protocol_violation', decoded.fault);
  } catch (error) {
    return refusal(codeOf(error), error instanceof Error ? error.message : String(error));
  }
}

/** Answers orders to this worker; a fault of the handler is answered with `internal_error`. */
export function serveTransfers(
  bus: BusConnection,
  workerId: string,
  handler: TransferHandler,
): () => void {
  const subject = subjectOf('transfer', workerId);
  let active = 0;

  const answer = async (message: Msg): Promise<baton.v1.ITransferAck> => {
    const decoded = decodeTransferOrder(message.data, workerId);
    if ('fault' in decoded) {
      bus.decodeFailed(subject, decoded.fault);
      return refusal('protocol_violation', decoded.fault);
    }
    if (active >= MAX_ORDERS_AT_ONCE) return refusal('queue_full', 'too many orders at once');
    active++;
    try {
      const { traceparent } = decoded.message;
      return await handler(
        decoded.message,
        traceparent ? contextFrom(traceparent) : contextOf(message),
      );
    } catch (error) {
      bus.handlerFailed(subject, error);
      return refusal('internal_error', error instanceof Error ? error.message : String(error));
    } finally {
      active--;
    }
  };

  return bus.subscribe(subject, (message) => {
    void answer(message).then((ack) => {
      if (message.reply) bus.publish(message.reply, baton.v1.TransferAck.encode(ack).finish());
    });
  });
}
