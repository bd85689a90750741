import { BatonError, toBatonError } from '@baton/kv';
import type { LegCall, PromptAccounting } from '@baton/engine-protocols';
import {
  attributes,
  failSpan,
  injectHeaders,
  startSpan,
  traceparentOf,
  type Span,
} from '@baton/telemetry';
import type { PlanLeg } from '../planning/request-plan.ts';
import type { Engines } from '../ports.ts';

export type Settled<T> = { ok: true; value: T } | { ok: false; error: BatonError };

export interface LegOptions {
  /** Name of the leg's span. */
  span: string;
  parent: Span;
  planId: string;
  /** Id of the request inside Baton. */
  internalId: string;
  target: PlanLeg;
  call: LegCall;
  /** How often this leg was tried before. */
  retry: number;
  limits: { firstByteMs: number; idleMs: number };
  signal: AbortSignal;
}

/** One leg under way: its span, and an abort of its own beside that of the request. */
export class OpenLeg<T> {
  readonly workerId: string;
  readonly result: Promise<Settled<T>>;
  readonly #span: Span;
  readonly #abort = new AbortController();
  readonly #parent: AbortSignal;
  readonly #onParentAbort = () => this.#abort.abort(this.#parent.reason);
  #closed = false;

  constructor(options: LegOptions, send: (call: Parameters<Engines['postJson']>[0]) => Promise<T>) {
    const { target, call, limits } = options;
    this.workerId = target.workerId;
    this.#parent = options.signal;
    this.#span = startSpan(options.span, {
      kind: 'client',
      parent: options.parent,
      attributes: {
        [attributes.planId]: options.planId,
        [attributes.worker]: target.workerId,
        ...(options.retry > 0 && { [attributes.legRetry]: options.retry }),
      },
    });
    if (this.#parent.aborted) this.#onParentAbort();
    else this.#parent.addEventListener('abort', this.#onParentAbort, { once: true });
    const { path } = call;
    const traceparent = traceparentOf(this.#span);
    const body = (traceparent !== '' && call.traced?.(call.body, traceparent)) || call.body;
    const own = { 'x-request-id': options.internalId, ...call.headers };
    const headers = injectHeaders(own, this.#span);
    const { engineUrl } = target;
    // Settled at once: a sibling's fault must not be an unhandled rejection while nobody looks at it yet.
    this.result = settle(
      send({ engineUrl, path, body, headers, signal: this.#abort.signal, limits }),
    );
  }

  /** Closes the connection to the engine, if it is still open. */
  abort(reason: BatonError = new BatonError('request_aborted')): void {
    this.#abort.abort(reason);
  }

  accounted(accounting: PromptAccounting | undefined): void {
    if (accounting === undefined) return;
    this.#span.setAttributes({
      [attributes.reusedTokens]: accounting.reusedTokens,
      [attributes.transferredTokens]: accounting.transferredTokens,
      [attributes.computedTokens]: accounting.computedTokens,
    });
  }

  produced(outputTokens: number): void {
    this.#span.setAttribute(attributes.outputTokens, outputTokens);
  }

  /** The leg has ended by itself. */
  close(): void {
    this.#end();
  }

  /** Nobody needs the leg any more. */
  cancel(): void {
    if (this.#end()) this.abort();
  }

  fail(error: BatonError): void {
    if (!this.#closed) failSpan(this.#span, error);
    this.cancel();
  }

  #end(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    this.#parent.removeEventListener('abort', this.#onParentAbort);
    this.#span.end();
    return true;
  }
}

export async function settle<T>(promise: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await promise };
  } catch (error) {
    return { ok: false, error: toBatonError(error) };
  }
}
