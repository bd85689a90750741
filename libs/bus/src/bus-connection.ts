import { setTimeout as sleep } from 'node:timers/promises';
import { BatonError } from '@baton/kv';
import { SpacedLines } from '@baton/service';
import {
  connect,
  errors,
  type ConnectionOptions,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from '@nats-io/transport-node';
import { parseServerAddress } from './server-address.ts';

/** The part of a pino logger that the bus needs. */
export interface BusLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface BusOptions {
  /** See {@link parseServerAddress}. */
  url: string;
  /** Shown by the server's monitoring. */
  name: string;
  log: BusLog;
  /** Gives up the first connection attempt. */
  signal?: AbortSignal;
}

export type BusStatus = 'connected' | 'reconnecting' | 'closed';

/** Counted since the bus was connected first. */
export interface BusCounters {
  published: number;
  /** Not connected, or too much unconfirmed: the message was given up. */
  dropped: number;
  received: number;
  decodeFailures: number;
  handlerFailures: number;
  reconnects: number;
  slowConsumer: number;
}

type Handler = (message: Msg) => void;

interface Listener {
  subject: string;
  handler: Handler;
  subscription: Subscription | undefined;
}

const CONNECT_TIMEOUT_MS = 3_000;
const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 3_000;
/**
 * A server that hangs counts as gone after 1.8 s: before the first lease of 3 s ends whose last beat was a second old.
 * Else its silence would pass for the death of all workers.
 */
const PING_INTERVAL_MS = 600;
const MAX_PINGS_OUT = 2;
const CLOSE_TIMEOUT_MS = 1_000;
/** Published and not yet confirmed by the server; beyond it messages are dropped. */
const MAX_UNCONFIRMED_BYTES = 64 * 1024 * 1024;
const CONFIRM_EVERY_BYTES = 1024 * 1024;
/** What the protocol adds to a payload, for the count only. */
const OVERHEAD_BYTES = 100;
/** Faults come as fast as messages; their counters are complete, their lines are not. */
const FAULT_LINE_SPACING_MS = 1_000;

/** Exponential with full jitter, so that a fleet does not come back in one moment. */
function retryDelayMs(attempt: number): number {
  const ceiling = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(attempt, 10));
  return RETRY_MIN_MS / 2 + Math.random() * ceiling;
}

/** One NATS connection that lasts until it is closed: it reconnects for ever and keeps its subscriptions. */
export class BusConnection {
  readonly counters: BusCounters = {
    published: 0,
    dropped: 0,
    received: 0,
    decodeFailures: 0,
    handlerFailures: 0,
    reconnects: 0,
    slowConsumer: 0,
  };
  private readonly options: BusOptions;
  private readonly settings: ConnectionOptions;
  private readonly listeners = new Set<Listener>();
  private readonly statusListeners = new Set<(status: BusStatus) => void>();
  private readonly unreadableListeners = new Set<(subject: string) => void>();
  private readonly ended = new AbortController();
  private connection: NatsConnection | undefined;
  private current: BusStatus = 'reconnecting';
  private attempt = 0;
  private unconfirmedBytes = 0;
  private unflushedBytes = 0;
  private readonly decodeLines = new SpacedLines(FAULT_LINE_SPACING_MS);
  private readonly handlerLines = new SpacedLines(FAULT_LINE_SPACING_MS);

  constructor(options: BusOptions) {
    const { tls, ...address } = parseServerAddress(options.url);
    this.options = options;
    this.settings = {
      ...address,
      ...(tls ? { tls: {} } : {}),
      name: options.name,
      timeout: CONNECT_TIMEOUT_MS,
      maxReconnectAttempts: -1,
      reconnectDelayHandler: () => retryDelayMs(this.attempt++),
      ignoreAuthErrorAbort: true,
      pingInterval: PING_INTERVAL_MS,
      maxPingOut: MAX_PINGS_OUT,
      noAsyncTraces: true,
    };
  }

  /** Resolves with the first connection; tries until then, however long it takes, or until the signal aborts. */
  async open(): Promise<void> {
    const signal = AbortSignal.any(
      [this.ended.signal, this.options.signal].filter((one) => one !== undefined),
    );
    for (;;) {
      if (signal.aborted) throw new BatonError('bus_unavailable', 'the bus was closed');
      try {
        this.attach(await connect(this.settings));
        return;
      } catch (error) {
        if (error instanceof errors.AuthorizationError) {
          throw new BatonError('bus_unavailable', 'NATS refused the credentials', { cause: error });
        }
        const delayMs = retryDelayMs(this.attempt++);
        const reason = error instanceof Error ? error.message : String(error);
        this.options.log.warn(
          { event: 'bus_unavailable', servers: this.settings.servers, reason },
          'NATS cannot be reached; trying again',
        );
        await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  status(): BusStatus {
    return this.current;
  }

  /** Called with each change of {@link status}; returns the way to stop it. */
  onStatus(listener: (status: BusStatus) => void): () => void {
    this.statusListeners.add(listener);
    return () => void this.statusListeners.delete(listener);
  }

  /** False when the message was given up: not connected, too large, or the server does not keep up. */
  publish(subject: string, payload: Uint8Array, reply?: string, headers?: MsgHdrs): boolean {
    const { connection } = this;
    const bytes = payload.length + OVERHEAD_BYTES;
    const isTooMuch = this.unconfirmedBytes + bytes > MAX_UNCONFIRMED_BYTES;
    // Between two connections nobody knows how much the server takes.
    const info = this.current === 'connected' ? connection?.info : undefined;
    if (!connection || !info || isTooMuch) {
      this.counters.dropped++;
      return false;
    }
    const maxBytes = info.max_payload - OVERHEAD_BYTES;
    if (payload.length > maxBytes) {
      this.counters.dropped++;
      const fields = { event: 'bus_message_too_large', subject, bytes: payload.length, maxBytes };
      this.options.log.error(fields, 'a message is larger than NATS takes');
      return false;
    }
    connection.publish(subject, payload, { ...(reply && { reply }), ...(headers && { headers }) });
    this.counters.published++;
    this.unconfirmedBytes += bytes;
    this.unflushedBytes += bytes;
    if (this.unflushedBytes >= CONFIRM_EVERY_BYTES) void this.flush();
    return true;
  }

  /** Resolves when the server has read what was published so far, or the connection broke. */
  async flush(): Promise<void> {
    const { connection } = this;
    const bytes = this.unconfirmedBytes;
    this.unflushedBytes = 0;
    try {
      await connection?.flush();
      if (this.connection === connection) {
        this.unconfirmedBytes = Math.max(0, this.unconfirmedBytes - bytes);
      }
    } catch {
      // What was on its way is lost with the connection; the change of status resets the count.
    }
  }

  /** Answers with the reply, or throws the client's own error (time-out, no responders, connection). */
  request(
    subject: string,
    payload: Uint8Array,
    timeoutMs: number,
    headers?: MsgHdrs,
  ): Promise<Msg> {
    if (!this.connection || this.current !== 'connected') {
      return Promise.reject(new BatonError('bus_unavailable'));
    }
    this.counters.published++;
    const options = { timeout: timeoutMs, ...(headers && { headers }) };
    return this.connection.request(subject, payload, options);
  }

  /** Delivers in order, synchronously; a fault of the handler is counted and logged. Survives reconnects. */
  subscribe(subject: string, handler: Handler): () => void {
    const listener: Listener = { subject, handler, subscription: undefined };
    this.listeners.add(listener);
    this.activate(listener);
    return () => {
      this.listeners.delete(listener);
      listener.subscription?.unsubscribe();
    };
  }

  /** Called for each message that cannot be read; returns the way to stop it. */
  onUnreadable(listener: (subject: string) => void): () => void {
    this.unreadableListeners.add(listener);
    return () => void this.unreadableListeners.delete(listener);
  }

  decodeFailed(subject: string, fault: string): void {
    this.counters.decodeFailures++;
    for (const listener of this.unreadableListeners) listener(subject);
    this.decodeLines.line((leftOut) => {
      const fields = { event: 'bus_decode_failed', subject, fault, leftOut };
      this.options.log.warn(fields, 'a message was dropped');
    });
  }

  handlerFailed(subject: string, error: unknown): void {
    this.counters.handlerFailures++;
    this.handlerLines.line((leftOut) => {
      const fields = { event: 'bus_handler_failed', subject, err: error, leftOut };
      this.options.log.error(fields, 'a handler failed');
    });
  }

  async close(): Promise<void> {
    if (this.ended.signal.aborted) return;
    this.ended.abort();
    const { connection } = this;
    const wasConnected = this.current === 'connected';
    this.change('closed');
    if (wasConnected && connection) {
      const expired = sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false });
      await Promise.race([connection.drain().catch(() => undefined), expired]);
    }
    await connection?.close();
  }

  private change(status: BusStatus): void {
    if (status === this.current) return;
    this.current = status;
    if (status === 'reconnecting') this.unconfirmedBytes = this.unflushedBytes = 0;
    for (const listener of this.statusListeners) listener(status);
  }

  private attach(connection: NatsConnection): void {
    this.connection = connection;
    this.attempt = 0;
    for (const listener of this.listeners) this.activate(listener);
    this.change('connected');
    this.watch(connection).catch((error: unknown) => this.handlerFailed('status', error));
    void connection.closed().then((error) => this.onClosed(connection, error ?? undefined));
  }

  private activate(listener: Listener): void {
    if (!this.connection || this.ended.signal.aborted) return;
    listener.subscription = this.connection.subscribe(listener.subject, {
      callback: (error, message) => {
        if (error) return this.handlerFailed(listener.subject, error);
        this.counters.received++;
        try {
          listener.handler(message);
        } catch (fault) {
          this.handlerFailed(message.subject, fault);
        }
      },
    });
  }

  private async watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      switch (status.type) {
        case 'disconnect':
          this.change('reconnecting');
          this.options.log.warn({ event: 'bus_disconnected' }, 'NATS is gone; reconnecting');
          break;
        case 'reconnect':
          this.attempt = 0;
          this.counters.reconnects++;
          this.change('connected');
          this.options.log.info({ event: 'bus_reconnected' }, 'NATS is back');
          break;
        case 'error': {
          const reason = status.error.message;
          if (/slow consumer/i.test(reason)) this.counters.slowConsumer++;
          this.options.log.warn({ event: 'bus_error', reason }, 'NATS reported an error');
          break;
        }
        default:
      }
    }
  }

  /** The client gave up by itself: a new one takes its place. */
  private async onClosed(connection: NatsConnection, error: Error | undefined): Promise<void> {
    if (this.ended.signal.aborted || this.connection !== connection) return;
    this.connection = undefined;
    this.change('reconnecting');
    const reason = error?.message;
    this.options.log.error({ event: 'bus_closed', reason }, 'the NATS connection was closed');
    while (!this.connection && !this.ended.signal.aborted) {
      await this.open().catch(() => sleep(RETRY_MAX_MS, undefined, { ref: false }));
    }
  }
}
