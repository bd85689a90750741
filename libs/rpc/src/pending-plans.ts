import { BatonError, type ErrorCode } from '@baton/kv';
import type { baton } from '@baton/proto';

/** Plans asked for and not yet answered, on one session. */
const MAX_PENDING = 4_096;

interface Pending {
  /** The request as it was sent, for a session after this one. */
  payload: Buffer;
  /** One session broke while it waited. A second one may have broken over it. */
  isAgain: boolean;
  resolve: (reply: baton.v1.PlanReply) => void;
  fail: (code: ErrorCode, message?: string) => void;
}

/**
 * Matches replies with requests by request id.
 *
 * A plan that was given up (deadline, abort) is still booked at the conductor: its late reply is handed to `onLate`, also
 * when the same request has been asked for again meanwhile, since the conductor answers equal ids in their order.
 */
export class PendingPlans {
  private readonly byId = new Map<string, Pending>();
  private readonly givenUp = new Map<string, number>();
  private readonly onLate: (reply: baton.v1.PlanReply) => void;

  constructor(onLate: (reply: baton.v1.PlanReply) => void) {
    this.onLate = onLate;
  }

  get size(): number {
    return this.byId.size;
  }

  /** @throws BatonError `queue_full`, or `invalid_request` for an id that waits already */
  add(
    requestId: string,
    payload: Buffer,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<baton.v1.PlanReply> {
    if (this.byId.size + this.givenUp.size >= MAX_PENDING) {
      throw new BatonError('queue_full', 'too many plans are waiting for the conductor');
    }
    if (requestId === '' || this.byId.has(requestId)) {
      throw new BatonError('invalid_request', 'request_id must be set and not wait already', {
        details: { field: 'request_id' },
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<baton.v1.PlanReply>();
    const giveUp = (code: ErrorCode): void => {
      this.givenUp.set(requestId, (this.givenUp.get(requestId) ?? 0) + 1);
      pending.fail(code);
    };
    const abort = (): void => giveUp('request_aborted');
    const timer = setTimeout(() => giveUp('deadline_exceeded'), timeoutMs);
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.byId.delete(requestId);
    };
    const pending: Pending = {
      payload,
      isAgain: false,
      resolve: (reply) => {
        end();
        resolve(reply);
      },
      fail: (code, message) => {
        end();
        reject(new BatonError(code, message));
      },
    };
    this.byId.set(requestId, pending);
    signal?.addEventListener('abort', abort, { once: true });
    return promise;
  }

  settle(reply: baton.v1.PlanReply): void {
    const late = this.givenUp.get(reply.requestId) ?? 0;
    if (late > 0) {
      if (late === 1) this.givenUp.delete(reply.requestId);
      else this.givenUp.set(reply.requestId, late - 1);
      this.onLate(reply);
      return;
    }
    const pending = this.byId.get(reply.requestId);
    if (pending) pending.resolve(reply);
    else this.onLate(reply);
  }

  /** The session broke. What had been asked before on another that broke fails, the rest can be asked again. */
  sessionBroke(message: string): void {
    this.givenUp.clear();
    for (const pending of [...this.byId.values()]) {
      if (pending.isAgain) pending.fail('conductor_unavailable', message);
      else pending.isAgain = true;
    }
  }

  /** A new session stands. Returns what to ask on it, in the order in which it was asked first. */
  newSession(): Buffer[] {
    // Given up before it could be asked.
    this.givenUp.clear();
    return [...this.byId.values()].map(({ payload }) => payload);
  }

  /** Nothing that waits will be answered. */
  failAll(message: string): void {
    for (const pending of [...this.byId.values()]) pending.fail('conductor_unavailable', message);
  }
}
