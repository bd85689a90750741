import { BatonError, toBatonError } from '@baton/kv';
import { Pool } from 'undici';
import { EngineAccess } from '../access/engine-access.ts';
import { AnswerText } from './answer-text.ts';
import { EnginePulse, pulseDefaults, type PulseLimits } from './engine-pulse.ts';
import { EventQueue } from './event-queue.ts';
import { abortFault, Exchange, type ExchangeLimits, type ExchangeOwner } from './exchange.ts';
import { answerFault } from './translate-fault.ts';

/** Requests open at one engine at the same time, and so connections to it. */
export const MAX_OPEN_REQUESTS = 4_096;
const KEEP_ALIVE_MS = 30_000;

export interface EngineHttpOptions {
  connectMs: number;
  /** Of an answer that is read as a whole. */
  maxAnswerBytes: number;
  /** How an engine at which requests are open is asked whether it is there. */
  pulse?: PulseLimits | undefined;
  /** Keys and certificates; engines that ask for none need none. */
  access?: EngineAccess | undefined;
}

export interface EngineCall {
  /** Base URL without a trailing slash. */
  engineUrl: string;
  path: string;
  body: object;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Aborting closes the connection; the call fails with the BatonError it was aborted with, or request_aborted. */
  signal: AbortSignal;
  limits: ExchangeLimits;
}

/** A streamed answer that has begun. Whoever does not read it to its end aborts the call's signal. */
export interface EngineStream {
  /**
   * Data of the next events, at least one, without `[DONE]`; undefined after the last. One call at a time.
   * @throws BatonError when the stream breaks, ends too early or carries an error event.
   */
  next(): Promise<string[] | undefined>;
}

interface Engine {
  pool: Pool;
  /** For the pulse: what is open must not be in its way. */
  pulsePool: Pool;
  headers: Readonly<Record<string, string>>;
  /** Path of the base URL, without a trailing slash. */
  prefix: string;
  open: Set<Exchange>;
  pulse: EnginePulse;
}

/**
 * HTTP to engines: one keep-alive pool for each, faults as BatonErrors. What is open at an engine that does not even say
 * that it is there fails with engine_unavailable, however long the call would wait.
 */
export class EngineHttp {
  readonly #options: EngineHttpOptions;
  readonly #engines = new Map<string, Engine>();
  readonly #access: EngineAccess;

  constructor(options: EngineHttpOptions) {
    this.#options = options;
    this.#access = options.access ?? new EngineAccess();
  }

  /** @throws BatonError, also for an answer that is no success or no JSON. */
  postJson(call: EngineCall): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const answer = new AnswerText(this.#options.maxAnswerBytes);
    let status = 0;
    this.#dispatch(call, 'application/json', () => ({
      started: (value) => (status = value),
      data: (bytes) => answer.push(bytes),
      ended: () => {
        if (status >= 300) reject(answerFault(status, answer.text()));
        else parseAnswer(answer.text(), resolve, reject);
      },
      failed: reject,
    }));
    return promise;
  }

  /** Resolves with the answer's headers. @throws BatonError as {@link postJson} does. */
  postStream(call: EngineCall): Promise<EngineStream> {
    const { promise, resolve, reject } = Promise.withResolvers<EngineStream>();
    this.#dispatch(call, 'text/event-stream', (valve) => {
      const queue = new EventQueue(valve);
      const refused = new AnswerText(this.#options.maxAnswerBytes);
      let refusedStatus = 0;
      return {
        started: (status, contentType) => {
          if (status >= 300) refusedStatus = status;
          else if (contentType.startsWith('text/event-stream')) resolve(queue);
          else throw noStream(contentType);
        },
        data: (bytes) => (refusedStatus > 0 ? refused.push(bytes) : queue.push(bytes)),
        ended: () => {
          if (refusedStatus > 0) reject(answerFault(refusedStatus, refused.text()));
          else queue.end();
        },
        failed: (error) => {
          reject(error);
          queue.fail(error);
        },
      };
    });
    return promise;
  }

  /** Requests that are open at an engine now. */
  openRequests(engineUrl: string): number {
    return this.#engines.get(engineUrl)?.open.size ?? 0;
  }

  /** Closes the connections to every other engine once their requests are done. */
  async keepOnly(engineUrls: ReadonlySet<string>): Promise<void> {
    const gone = [...this.#engines].filter(([url]) => !engineUrls.has(url));
    for (const [url] of gone) this.#engines.delete(url);
    await Promise.all(
      gone.map(async ([, { pool, pulsePool }]) => {
        await pool.close();
        await pulsePool.close();
      }),
    );
  }

  /** Breaks every connection. */
  async close(): Promise<void> {
    const engines = [...this.#engines.values()];
    this.#engines.clear();
    for (const engine of engines) engine.pulse.stop();
    await Promise.all(
      engines.flatMap(({ pool, pulsePool }) => [pool.destroy(), pulsePool.destroy()]),
    );
  }

  #dispatch(
    call: EngineCall,
    accept: string,
    ownerOf: (valve: { pause(): void; resume(): void }) => ExchangeOwner,
  ): void {
    const valve = { pause: () => exchange.pause(), resume: () => exchange.resume() };
    const owner = ownerOf(valve);
    if (call.signal.aborted) {
      owner.failed(abortFault(call.signal));
      return;
    }
    const prepared = attempt(() => ({
      engine: this.#engine(call.engineUrl),
      body: JSON.stringify(call.body),
    }));
    if ('fault' in prepared) {
      owner.failed(prepared.fault);
      return;
    }
    const { engine, body } = prepared;
    if (engine.open.size >= MAX_OPEN_REQUESTS) {
      owner.failed(
        new BatonError('no_capacity', `${MAX_OPEN_REQUESTS} requests are open at this engine.`),
      );
      return;
    }
    const over = (): void => {
      engine.open.delete(exchange);
      if (engine.open.size === 0) engine.pulse.stop();
    };
    const exchange = new Exchange(
      {
        started: owner.started,
        data: owner.data,
        ended: () => {
          over();
          owner.ended();
        },
        failed: (error) => {
          over();
          owner.failed(error);
        },
      },
      call.limits,
      call.signal,
    );
    engine.open.add(exchange);
    engine.pulse.start();
    const request = {
      method: 'POST' as const,
      path: engine.prefix + call.path,
      headers: {
        ...{ 'content-type': 'application/json', accept },
        ...engine.headers,
        ...call.headers,
      },
      body,
      // The exchange has its own clocks: undici's tick once a second.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    engine.pool.dispatch(request, exchange);
  }

  #engine(url: string): Engine {
    let engine = this.#engines.get(url);
    if (engine === undefined) {
      const { origin, pathname } = new URL(url);
      const { headers, ca } = this.#access.of(url);
      const connect = { timeout: this.#options.connectMs, ...(ca !== undefined && { ca }) };
      const pool = new Pool(origin, {
        connections: MAX_OPEN_REQUESTS,
        pipelining: 1,
        connect,
        keepAliveTimeout: KEEP_ALIVE_MS,
      });
      const pulsePool = new Pool(origin, { connections: 1, connect });
      const open = new Set<Exchange>();
      const prefix = pathname.replace(/\/+$/, '');
      const asking = { pool: pulsePool, prefix, headers };
      const pulse = new EnginePulse(asking, this.#options.pulse ?? pulseDefaults, () => {
        for (const exchange of [...open]) exchange.lost();
      });
      engine = { pool, pulsePool, headers, prefix, open, pulse };
      this.#engines.set(url, engine);
    }
    return engine;
  }
}

/** Before anything is open: a URL that is none, a body that cannot be written. */
function attempt<T extends object>(prepare: () => T): T | { fault: BatonError } {
  try {
    return prepare();
  } catch (error) {
    return { fault: toBatonError(error) };
  }
}

function noStream(contentType: string): BatonError {
  return new BatonError(
    'engine_failed',
    `The engine answered with "${contentType.slice(0, 100)}" instead of a stream.`,
    { details: { phase: 'answer' } },
  );
}

function parseAnswer(
  text: string,
  resolve: (value: unknown) => void,
  reject: (error: BatonError) => void,
): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const details = { phase: 'answer' };
    reject(
      new BatonError('engine_failed', 'The engine answered no JSON.', { cause: error, details }),
    );
    return;
  }
  resolve(value);
}
