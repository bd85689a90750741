import type { ServerResponse } from 'node:http';
import { abortFault } from '@baton/engine-clients';
import { BatonError } from '@baton/kv';
import { SSE_CONTENT_TYPE } from '@baton/openai';
import type { ClientStream } from '../answer/stream-answer.ts';

/**
 * A streamed answer on a Node response. Nothing is buffered beyond the socket's own high-water mark: a slow client makes
 * its writer wait, and one that takes nothing for too long is cut off.
 */
export class ResponseStream implements ClientStream {
  readonly #response: ServerResponse;
  readonly #headers: () => Record<string, string>;
  readonly #stallMs: number;
  readonly #signal: AbortSignal;

  constructor(
    response: ServerResponse,
    options: { headers: () => Record<string, string>; stallMs: number; signal: AbortSignal },
  ) {
    this.#response = response;
    this.#headers = options.headers;
    this.#stallMs = options.stallMs;
    this.#signal = options.signal;
  }

  write(text: string): Promise<void> | undefined {
    const response = this.#response;
    if (response.destroyed) return undefined;
    this.#open();
    return response.write(text) ? undefined : this.#drained();
  }

  end(text: string): Promise<void> {
    const response = this.#response;
    if (response.destroyed) return Promise.resolve();
    this.#open();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => response.destroy(), this.#stallMs);
    response.once('finish', resolve).once('close', resolve);
    response.end(text);
    return promise.finally(() => clearTimeout(timer));
  }

  #open(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, {
      'content-type': SSE_CONTENT_TYPE,
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      ...this.#headers(),
    });
  }

  #drained(): Promise<void> {
    const response = this.#response;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      response.destroy();
      reject(new BatonError('request_aborted', `The client took nothing for ${this.#stallMs} ms.`));
    }, this.#stallMs);
    const onAbort = () => reject(abortFault(this.#signal));
    response.once('drain', resolve);
    this.#signal.addEventListener('abort', onAbort, { once: true });
    if (this.#signal.aborted) onAbort();
    return promise.finally(() => {
      clearTimeout(timer);
      response.off('drain', resolve);
      this.#signal.removeEventListener('abort', onAbort);
    });
  }
}
