import { baton } from '@baton/proto';
import type { Context } from '@baton/telemetry';
import type { Msg } from '@nats-io/transport-node';
import {
  BusConnection,
  type BusCounters,
  type BusOptions,
  type BusStatus,
} from './bus-connection.ts';
import {
  decodeBeat,
  decodeCancelPlan,
  decodeDelta,
  decodeTransferResult,
  type Decoded,
} from './messages.ts';
import {
  requestSnapshot,
  serveSnapshots,
  type SnapshotOptions,
  type SnapshotOutcome,
  type SnapshotSource,
} from './snapshots.ts';
import { allSubjectsOf, subjectOf, workerIdOf } from './subjects.ts';
import {
  contextOf,
  orderTransfer,
  serveTransfers,
  traceHeaders,
  type OrderOptions,
  type TransferHandler,
} from './transfers.ts';

/** Stops a subscription. */
export type Unsubscribe = () => void;

/** Messages of one type; `context` is the sender's trace, where the message carries one. */
export type MessageHandler<T> = (message: T, context: Context) => void;

/**
 * Typed messages between conductor and agents. `publish…` return false when the message was given up because NATS is
 * away or does not keep up; `on…` and `serve…` last through reconnects until their result is called.
 */
export interface Bus {
  publishBeat(beat: baton.v1.IWorkerBeat): boolean;
  onBeat(handler: MessageHandler<baton.v1.WorkerBeat>): Unsubscribe;
  publishDelta(delta: baton.v1.IKvDelta): boolean;
  onDelta(handler: MessageHandler<baton.v1.KvDelta>): Unsubscribe;
  requestSnapshot(
    workerId: string,
    request: baton.v1.ISnapshotRequest,
    options: SnapshotOptions,
  ): Promise<SnapshotOutcome>;
  serveSnapshots(workerId: string, source: SnapshotSource): Unsubscribe;
  orderTransfer(
    workerId: string,
    order: baton.v1.ITransferOrder,
    options: OrderOptions,
  ): Promise<baton.v1.TransferAck>;
  serveTransfers(workerId: string, handler: TransferHandler): Unsubscribe;
  publishTransferred(result: baton.v1.ITransferResult): boolean;
  onTransferred(handler: MessageHandler<baton.v1.TransferResult>): Unsubscribe;
  publishCancel(workerId: string, cancel: baton.v1.ICancelPlan): boolean;
  onCancel(workerId: string, handler: MessageHandler<baton.v1.CancelPlan>): Unsubscribe;
  status(): BusStatus;
  onStatus(listener: (status: BusStatus) => void): Unsubscribe;
  /** Told of each message that could not be read, with the worker that its subject names. */
  onUnreadable(listener: (workerId: string) => void): Unsubscribe;
  /** Resolves when the server has read what was published so far. */
  flush(): Promise<void>;
  readonly counters: Readonly<BusCounters>;
  /** Delivers what is on its way, for at most a second, and ends. */
  close(): Promise<void>;
}

/**
 * Connects to NATS; resolves with the first connection and keeps trying until then.
 *
 * @throws BatonError `config_invalid` for a bad URL, `bus_unavailable` for refused credentials or an aborted signal
 */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const connection = new BusConnection(options);
  await connection.open();

  const listen = <T>(
    subject: string,
    decode: (bytes: Uint8Array, workerId: string) => Decoded<T>,
    handler: MessageHandler<T>,
  ): Unsubscribe =>
    connection.subscribe(subject, (message: Msg) => {
      const decoded = decode(message.data, workerIdOf(message.subject));
      if ('fault' in decoded) connection.decodeFailed(message.subject, decoded.fault);
      else handler(decoded.message, contextOf(message));
    });

  return {
    publishBeat: (beat) =>
      connection.publish(
        subjectOf('beat', beat.worker?.workerId ?? ''),
        baton.v1.WorkerBeat.encode(beat).finish(),
      ),
    onBeat: (handler) => listen(allSubjectsOf('beat'), decodeBeat, handler),
    publishDelta: (delta) =>
      connection.publish(
        subjectOf('delta', delta.workerId ?? ''),
        baton.v1.KvDelta.encode(delta).finish(),
      ),
    onDelta: (handler) => listen(allSubjectsOf('delta'), decodeDelta, handler),
    requestSnapshot: (workerId, request, how) =>
      requestSnapshot(connection, workerId, request, how),
    serveSnapshots: (workerId, source) => serveSnapshots(connection, workerId, source),
    orderTransfer: (workerId, order, how) => orderTransfer(connection, workerId, order, how),
    serveTransfers: (workerId, handler) => serveTransfers(connection, workerId, handler),
    publishTransferred: (result) =>
      connection.publish(
        subjectOf('transferred', result.workerId ?? ''),
        baton.v1.TransferResult.encode(result).finish(),
        undefined,
        traceHeaders(),
      ),
    onTransferred: (handler) => listen(allSubjectsOf('transferred'), decodeTransferResult, handler),
    publishCancel: (workerId, cancel) =>
      connection.publish(
        subjectOf('cancel', workerId),
        baton.v1.CancelPlan.encode(cancel).finish(),
        undefined,
        traceHeaders(),
      ),
    onCancel: (workerId, handler) =>
      listen(subjectOf('cancel', workerId), decodeCancelPlan, handler),
    status: () => connection.status(),
    onStatus: (listener) => connection.onStatus(listener),
    onUnreadable: (listener) => connection.onUnreadable((subject) => listener(workerIdOf(subject))),
    flush: () => connection.flush(),
    counters: connection.counters,
    close: () => connection.close(),
  };
}
