import type { PlanRequest } from '@baton/core';
import { readPlanRequest, type baton } from '@baton/proto';
import { Metadata, status, type ServerDuplexStream, type ServiceError } from '@grpc/grpc-js';
import { decodeRequest, encodeReply } from './session-service.ts';

/** One gateway's stream, as the conductor sees it. */
export interface Session {
  /** Unique in this process. */
  readonly id: number;
  readonly gatewayId: string;
  /** Address of the gateway, for logs. */
  readonly peer: string;
  /** False when the session is closed; one that does not read its messages is closed. */
  sendFleet(fleet: baton.v1.IFleetUpdate): boolean;
  sendPlan(reply: baton.v1.IPlanReply): boolean;
  close(): void;
}

export interface SessionHandlers {
  onPlan: (request: PlanRequest) => void;
  onReport: (report: baton.v1.PlanReport) => void;
  /** Called once, whatever ended the session. */
  onClose: (reason: string) => void;
}

/** Who takes sessions in. */
export interface SessionOwner {
  onSession: (session: Session) => SessionHandlers;
  onFault: (error: unknown) => void;
  onEnded: (session: Session) => void;
}

export type Stream = ServerDuplexStream<Buffer, Buffer>;

const MAX_ID_CHARS = 128;
/** Replies handed to gRPC and not yet sent. */
const MAX_UNSENT = 16_384;

/** Reads one stream: hello first, then plans and reports; a message against the rules ends the session. */
export class SessionStream implements Session {
  readonly id: number;
  readonly peer: string;
  gatewayId = '';
  private readonly stream: Stream;
  private readonly owner: SessionOwner;
  private handlers: SessionHandlers | undefined;
  private isClosed = false;

  constructor(id: number, stream: Stream, owner: SessionOwner) {
    this.id = id;
    this.stream = stream;
    this.peer = stream.getPeer();
    this.owner = owner;
    stream.on('data', (bytes: Buffer) => this.receive(bytes));
    stream.on('end', () => this.end('the gateway ended the session'));
    stream.on('cancelled', () => this.end('the connection of the gateway is gone'));
    // Without a listener CANCELLED would end the process.
    stream.on('error', (error) => this.end(error.message));
  }

  sendFleet(fleet: baton.v1.IFleetUpdate): boolean {
    return this.send({ fleet });
  }

  sendPlan(plan: baton.v1.IPlanReply): boolean {
    return this.send({ plan });
  }

  close(): void {
    this.end('the conductor ended the session');
  }

  private send(reply: baton.v1.ISessionReply): boolean {
    if (this.isClosed) return false;
    if (this.stream.writableLength >= MAX_UNSENT) {
      this.reject(status.RESOURCE_EXHAUSTED, 'the gateway does not read its replies');
      return false;
    }
    this.stream.write(encodeReply(reply));
    return true;
  }

  private receive(bytes: Buffer): void {
    if (this.isClosed) return;
    const request = decodeRequest(bytes);
    try {
      if (request?.plan) this.receivePlan(request.plan);
      else if (request?.report) this.receiveReport(request.report);
      else if (request?.hello) this.receiveHello(request.hello);
      else this.reject(status.INVALID_ARGUMENT, 'the message could not be read');
    } catch (error) {
      this.owner.onFault(error);
      this.reject(status.INTERNAL, 'the conductor failed');
    }
  }

  private receiveHello({ gatewayId }: baton.v1.IGatewayHello): void {
    if (this.handlers) return this.reject(status.FAILED_PRECONDITION, 'hello was sent twice');
    if (!gatewayId || gatewayId.length > MAX_ID_CHARS) {
      return this.reject(status.INVALID_ARGUMENT, 'hello.gateway_id is missing or too long');
    }
    this.gatewayId = gatewayId;
    // The gateway takes the headers as the sign that the session stands.
    this.stream.sendMetadata(new Metadata());
    this.handlers = this.owner.onSession(this);
  }

  private receivePlan(plan: baton.v1.IPlanRequest): void {
    if (!this.handlers) return this.reject(status.FAILED_PRECONDITION, 'hello must come first');
    const { requestId } = plan;
    if (!requestId || requestId.length > MAX_ID_CHARS) {
      return this.reject(status.INVALID_ARGUMENT, 'plan.request_id is missing or too long');
    }
    const request = readPlanRequest(plan);
    if (!('fault' in request)) return this.handlers.onPlan(request);
    this.sendPlan({ requestId, refusal: { code: 'invalid_request', message: request.fault } });
  }

  private receiveReport(report: baton.v1.IPlanReport): void {
    if (!this.handlers) return this.reject(status.FAILED_PRECONDITION, 'hello must come first');
    if (!report.planId) return this.reject(status.INVALID_ARGUMENT, 'report.plan_id is missing');
    this.handlers.onReport(report as baton.v1.PlanReport);
  }

  private reject(code: status, details: string): void {
    const error: Partial<ServiceError> = Object.assign(new Error(details), { code, details });
    this.stream.emit('error', error);
  }

  private end(reason: string): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.owner.onEnded(this);
    this.stream.end();
    try {
      this.handlers?.onClose(reason);
    } catch (error) {
      this.owner.onFault(error);
    }
  }
}
