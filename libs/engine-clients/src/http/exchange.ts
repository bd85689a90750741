import { BatonError } from '@baton/kv';
import type { Dispatcher } from 'undici';
import { connectionFault, timedOut, type CallPhase } from './translate-fault.ts';

export interface ExchangeLimits {
  /** From the call to the first byte of the answer's body, connecting included. */
  firstByteMs: number;
  /** Longest silence within an answer. */
  idleMs: number;
}

/** What one exchange tells its owner. After `failed` or `ended` nothing more comes. */
export interface ExchangeOwner {
  started(status: number, contentType: string): void;
  data(bytes: Uint8Array): void;
  ended(): void;
  failed(error: BatonError): void;
}

/** A signal that is aborted with a BatonError says why; any other reason is the client's leaving. */
export function abortFault(signal: AbortSignal): BatonError {
  return signal.reason instanceof BatonError ? signal.reason : new BatonError('request_aborted');
}

/**
 * One request and its answer on an undici dispatcher, with time limits and abort. Aborting closes the connection, which
 * is how an engine learns that nobody waits any more.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #owner: ExchangeOwner;
  readonly #limits: ExchangeLimits;
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.fail(abortFault(this.#signal));
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #phase: CallPhase = 'connect';
  #settled = false;
  #paused = false;

  constructor(owner: ExchangeOwner, limits: ExchangeLimits, signal: AbortSignal) {
    this.#owner = owner;
    this.#limits = limits;
    this.#signal = signal;
    this.#timer = setTimeout(() => this.#late(), limits.firstByteMs);
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Stops reading; the idle limit rests meanwhile. */
  pause(): void {
    if (this.#settled || this.#paused) return;
    this.#paused = true;
    clearTimeout(this.#timer);
    this.#controller?.pause();
  }

  resume(): void {
    if (this.#settled || !this.#paused) return;
    this.#paused = false;
    this.#startIdleTimer();
    this.#controller?.resume();
  }

  /** Closes the connection and tells the owner why. Does nothing after the end. */
  fail(error: BatonError): void {
    if (!this.#settle()) return;
    this.#controller?.abort(error);
    this.#owner.failed(error);
  }

  /** The engine is hung or cut off. */
  lost(): void {
    const message = 'The engine does not answer, not even whether it is there.';
    this.fail(new BatonError('engine_unavailable', message, { details: { phase: this.#phase } }));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) {
      controller.abort(new BatonError('request_aborted'));
      return;
    }
    this.#phase = 'first_byte';
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#settled || status < 200) return;
    const contentType = headers['content-type'];
    this.#guard(() =>
      this.#owner.started(status, typeof contentType === 'string' ? contentType : ''),
    );
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#settled) return;
    if (this.#phase !== 'answer') {
      this.#phase = 'answer';
      clearTimeout(this.#timer);
      this.#startIdleTimer();
    } else if (!this.#paused) {
      this.#timer.refresh();
    }
    this.#guard(() => this.#owner.data(chunk));
  }

  onResponseEnd(): void {
    if (this.#settle()) this.#owner.ended();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#settle()) this.#owner.failed(connectionFault(error, this.#phase));
  }

  #guard(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.fail(connectionFault(error, this.#phase));
    }
  }

  #startIdleTimer(): void {
    this.#timer = setTimeout(() => this.#late(), this.#limits.idleMs);
  }

  #late(): void {
    const { firstByteMs, idleMs } = this.#limits;
    const error =
      this.#phase === 'answer'
        ? timedOut('The engine sent nothing', idleMs, 'answer')
        : timedOut('The engine did not answer', firstByteMs, this.#phase);
    this.fail(error);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
