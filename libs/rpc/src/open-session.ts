import { BatonError } from '@baton/kv';
import { baton } from '@baton/proto';
import { traceparentOf } from '@baton/telemetry';
import {
  Client,
  credentials,
  Metadata,
  type ClientDuplexStream,
  type StatusObject,
} from '@grpc/grpc-js';
import { PendingPlans } from './pending-plans.ts';
import { channelOptions, decodeReply, encodeRequest, sessionMethod } from './session-service.ts';

/** The part of a pino logger that sessions need. */
export interface RpcLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface OpenSessionOptions {
  /** host:port of the conductor. */
  target: string;
  hello: baton.v1.IGatewayHello;
  /** Called first when a session stands, then whenever the fleet changes. */
  onFleet: (fleet: baton.v1.FleetUpdate) => void;
  /** Called with each change of `connected`. */
  onConnected?: (connected: boolean) => void;
  /** Closes the session. */
  signal?: AbortSignal;
  log: RpcLog;
  /** Limit of a plan whose caller names none. Default 30 s. */
  planTimeoutMs?: number;
}

export interface ConductorSession {
  /**
   * Asks for a plan; a refusal is a reply, too. Adds the active trace when the request has none. What waits when the
   * session breaks is asked once more when the next one stands.
   *
   * @throws BatonError `conductor_unavailable` (at once when there is no session, when one was lost and another does not
   *   stand within five seconds), `deadline_exceeded`, `request_aborted`, `queue_full`
   */
  plan(
    request: baton.v1.IPlanRequest,
    signal?: AbortSignal,
    timeoutMs?: number,
  ): Promise<baton.v1.PlanReply>;
  /** False when there is no session or it does not keep up: the plan's lease ends its bookings then. */
  report(report: baton.v1.IPlanReport): boolean;
  readonly connected: boolean;
  /** Plans that wait for their answer. */
  readonly pendingPlans: number;
  close(): void;
}

type Stream = ClientDuplexStream<Buffer, Buffer>;

const PLAN_TIMEOUT_MS = 30_000;
const RETRY_MIN_MS = 50;
const RETRY_MAX_MS = 2_000;
/** A process that stood still for seconds loses its session, also with a conductor that is well, and has it back at once. */
const REGAIN_MS = 5_000;
/** A session that does not stand by then is worth a line in the log. */
const LATE_MS = 5_000;
/** Messages handed to gRPC and not yet sent. */
const MAX_UNSENT = 8_192;

class SessionClient implements ConductorSession {
  private readonly options: OpenSessionOptions;
  private readonly client: Client;
  private readonly pending: PendingPlans;
  private stream: Stream | undefined;
  private isConnected = false;
  private isClosed = false;
  private attempt = 0;
  private retryTimer: NodeJS.Timeout | undefined;
  private lateTimer: NodeJS.Timeout | undefined;
  /** Runs from a loss on for as long as plans wait for the next session. */
  private regainTimer: NodeJS.Timeout | undefined;

  constructor(options: OpenSessionOptions) {
    this.options = options;
    this.pending = new PendingPlans((reply) => this.returnPlan(reply));
    this.client = new Client(options.target, credentials.createInsecure(), {
      ...channelOptions,
      'grpc.initial_reconnect_backoff_ms': RETRY_MIN_MS,
      'grpc.max_reconnect_backoff_ms': RETRY_MAX_MS,
      // gRPC would send a broken session again as it was; the next one begins with hello, and asks what still waits.
      'grpc.enable_retries': 0,
      'grpc.enable_http_proxy': 0,
      'grpc.service_config_disable_resolution': 1,
    });
    options.signal?.addEventListener('abort', () => this.close(), { once: true });
    if (options.signal?.aborted) this.close();
    else this.open();
  }

  get connected(): boolean {
    return this.isConnected;
  }

  get pendingPlans(): number {
    return this.pending.size;
  }

  async plan(
    request: baton.v1.IPlanRequest,
    signal?: AbortSignal,
    timeoutMs = this.options.planTimeoutMs ?? PLAN_TIMEOUT_MS,
  ): Promise<baton.v1.PlanReply> {
    if (!this.isConnected && !this.regainTimer) throw new BatonError('conductor_unavailable');
    if (signal?.aborted) throw new BatonError('request_aborted');
    const traceparent = request.traceparent || traceparentOf();
    const payload = encodeRequest({ plan: { ...request, traceparent } });
    const reply = this.pending.add(request.requestId ?? '', payload, timeoutMs, signal);
    if (this.isConnected) this.stream?.write(payload);
    return reply;
  }

  report(report: baton.v1.IPlanReport): boolean {
    if (!this.stream || !this.isConnected || this.stream.writableLength >= MAX_UNSENT) return false;
    this.stream.write(encodeRequest({ report }));
    return true;
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.retryTimer);
    const { stream } = this;
    this.lost('the session was closed');
    this.giveUp('the session was closed');
    stream?.end();
    stream?.cancel();
    this.client.close();
  }

  /** A plan whose asker is gone: its bookings fall with this report instead of with the lease. */
  private returnPlan(reply: baton.v1.PlanReply): void {
    if (!reply.planId) return;
    const phase = baton.v1.PlanPhase.PLAN_PHASE_ABORTED;
    this.report({ planId: reply.planId, phase, code: 'request_aborted' });
  }

  private open(): void {
    const stream = this.client.makeBidiStreamRequest(
      sessionMethod.path,
      sessionMethod.requestSerialize,
      sessionMethod.responseDeserialize,
      new Metadata({ waitForReady: true }),
    );
    this.stream = stream;
    const ifCurrent = (act: () => void): void => {
      if (this.stream === stream) act();
    };
    stream.on('metadata', () => ifCurrent(() => this.established()));
    stream.on('data', (bytes: Buffer) => ifCurrent(() => this.receive(bytes)));
    // Without a listener a cancelled stream would end the process; 'status' says all there is to say.
    stream.on('error', () => undefined);
    stream.on('status', (status: StatusObject) =>
      ifCurrent(() => {
        this.lost(status.details || 'the conductor ended the session');
        this.retry();
      }),
    );
    stream.write(encodeRequest({ hello: this.options.hello }));
    const warnLate = (): void => {
      const fields = { event: 'conductor_unreachable', target: this.options.target };
      this.options.log.warn(fields, 'the conductor has not answered yet; still trying');
    };
    this.lateTimer = setTimeout(warnLate, LATE_MS);
  }

  private established(): void {
    clearTimeout(this.lateTimer);
    clearTimeout(this.regainTimer);
    this.regainTimer = undefined;
    this.isConnected = true;
    this.attempt = 0;
    for (const payload of this.pending.newSession()) this.stream?.write(payload);
    const fields = { event: 'conductor_connected', target: this.options.target };
    this.options.log.info(fields, 'the session with the conductor stands');
    this.options.onConnected?.(true);
  }

  private receive(bytes: Buffer): void {
    const reply = decodeReply(bytes);
    if (reply?.plan) this.pending.settle(reply.plan as baton.v1.PlanReply);
    else if (reply?.fleet) this.options.onFleet(reply.fleet as baton.v1.FleetUpdate);
    else {
      const fields = { event: 'session_message_unknown', bytes: bytes.length };
      this.options.log.warn(fields, 'a message of the conductor could not be read');
    }
  }

  private lost(reason: string): void {
    clearTimeout(this.lateTimer);
    this.stream = undefined;
    const wasConnected = this.isConnected;
    this.isConnected = false;
    if (wasConnected) {
      this.pending.sessionBroke(`the session broke: ${reason}`);
      this.waitForNext(reason);
    }
    if (wasConnected || this.attempt === 0) {
      const fields = { event: 'conductor_lost', target: this.options.target, reason };
      if (!this.isClosed) this.options.log.warn(fields, 'no session with the conductor; retrying');
    }
    if (wasConnected) this.options.onConnected?.(false);
  }

  private waitForNext(reason: string): void {
    const timer = setTimeout(() => {
      // After a standstill timers come before what has been in the socket for long.
      setImmediate(() => {
        if (this.regainTimer === timer) this.giveUp(reason);
      });
    }, REGAIN_MS);
    this.regainTimer = timer;
  }

  /** The session does not come back soon: nobody waits for it. */
  private giveUp(reason: string): void {
    clearTimeout(this.regainTimer);
    this.regainTimer = undefined;
    this.pending.failAll(`the session broke: ${reason}`);
  }

  private retry(): void {
    if (this.isClosed) return;
    const ceiling = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(this.attempt++, 10));
    const delayMs = RETRY_MIN_MS / 2 + Math.random() * ceiling;
    this.retryTimer = setTimeout(() => this.open(), delayMs);
  }
}

/** Opens the gateway's session. It returns at once, connects for as long as it takes and reconnects for ever. */
export function openSession(options: OpenSessionOptions): ConductorSession {
  return new SessionClient(options);
}
