import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { checkKvEventSource, subscribeKvEvents } from '@baton/engine-clients';
import { BatonError, toBatonError } from '@baton/kv';
import {
  IndexerApi,
  indexerLimits,
  indexerPaths,
  type AnswerForm,
  type ApiAnswer,
  type EventFeed,
  type EventSource,
} from '@baton/mooncake';

/** Clients ask in bursts; one that finds its connection closed in the very moment in which it asks sees an error. */
const KEEP_ALIVE_MS = 72_000;
/** The longest body takes a tenth of it on a line of 30 Mbit/s; whoever takes longer keeps memory from others. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Blocks that are given back in one go, which takes some milliseconds. */
const SWEPT_BLOCKS = 8_192;
/** Bytes of all bodies that are being read. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;
/** Pieces below this are joined when they are many: each takes a hundred bytes beside its own. */
const SMALL_BYTES = 1024;
const MAX_SMALL = 256;

interface FeedLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface IndexerOptions {
  answers: AnswerForm;
  log: FeedLog;
}

/** Mooncake's indexer API, with feeds that are real subscriptions. */
export function openIndexer({ answers, log }: IndexerOptions): IndexerApi {
  return new IndexerApi({
    answers,
    limits: indexerLimits,
    openFeed: (source) => openFeed(source, log),
    onFault: (error) => log.error({ event: 'indexer_fault', err: error }, 'a request failed'),
  });
}

/**
 * An HTTP server that answers the paths of the indexer API itself and gives all others to `next`. Queries come in great
 * numbers, and their bodies are nearly all of what they cost: they go past the framework, as bytes.
 */
export function indexerServer(api: IndexerApi, next: RequestListener): Server {
  const budget = { held: 0 };
  const sweep = sweeper(api);
  const server = createServer((request, response) => {
    request.url = originForm(request.url ?? '');
    const [path = ''] = request.url.split('?', 1);
    if (!indexerPaths.includes(path)) return next(request, response);
    readBody(request, budget, (body) => {
      if (typeof body === 'string') return respond(response, refusalOf(api, body), true);
      const { method = '', headers } = request;
      const { 'content-type': contentType, 'content-encoding': contentEncoding, accept } = headers;
      const answer = api.answer({ method, path, contentType, contentEncoding, accept, body });
      giveBack(body);
      respond(response, answer, false);
      sweep();
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  return server;
}

/** Starts to give back, between requests and events, what was unregistered, unless that is going on. */
function sweeper(api: IndexerApi): () => void {
  let isGoing = false;
  const next = (): void => {
    api.sweep(SWEPT_BLOCKS);
    isGoing = api.isSweeping;
    if (isGoing) setImmediate(next);
  };
  return () => {
    if (isGoing || !api.isSweeping) return;
    isGoing = true;
    setImmediate(next);
  };
}

/** Of the target that a client gives a proxy, and may give anybody, what follows the host. */
function originForm(url: string): string {
  const [origin = ''] = /^https?:\/\/[^/?#]*/i.exec(url) ?? [];
  if (origin === '') return url;
  const rest = url.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function refusalOf(api: IndexerApi, reason: BodyRefusal): ApiAnswer {
  const { maxBodyBytes } = indexerLimits;
  if (reason === 'too_large') {
    return api.refuse(reason, `the body may have at most ${maxBodyBytes} bytes`);
  }
  return api.refuse(reason, 'too many bodies are being sent at once; send it again later');
}

/** With `isLast` what the client may still be sending is not waited for. */
function respond(
  response: ServerResponse,
  { status, headers, body }: ApiAnswer,
  isLast: boolean,
): void {
  const all = { ...headers, 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, isLast ? { ...all, connection: 'close' } : all);
  response.end(body);
}

type BodyRefusal = 'too_large' | 'busy';

/**
 * Reads a body, or says why not. What has come of bodies that are not whole yet is counted against `budget` until it
 * was used, or its client is gone.
 */
function readBody(
  request: IncomingMessage,
  budget: { held: number },
  done: (body: Buffer | BodyRefusal) => void,
): void {
  const { maxBodyBytes } = indexerLimits;
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return done('too_large');
  const pieces: Buffer[] = [];
  let size = 0;
  let small = 0;
  const leave = (): void => {
    budget.held -= size;
    size = 0;
    request.off('data', keep).off('end', end).off('close', leave);
  };
  const keep = (chunk: Buffer): void => {
    const isTooLarge = size + chunk.length > maxBodyBytes;
    if (isTooLarge || budget.held + chunk.length > MAX_HELD_BYTES) {
      leave();
      pieces.length = 0;
      request.resume();
      return done(isTooLarge ? 'too_large' : 'busy');
    }
    budget.held += chunk.length;
    size += chunk.length;
    pieces.push(chunk);
    small = chunk.length < SMALL_BYTES ? small + 1 : 0;
    if (small < MAX_SMALL) return;
    pieces.push(Buffer.concat(pieces.splice(-small)));
    small = 0;
  };
  const end = (): void => {
    done(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces));
    leave();
  };
  request.on('data', keep).on('end', end).on('close', leave);
}

/**
 * Frees the memory of a body that nobody reads any more. Left to the collector, the bodies of some hundred queries make it
 * mark the whole heap, which is a quarter of what the queries cost.
 */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function openFeed(source: EventSource, log: FeedLog): EventFeed {
  const { publisher } = source;
  checkEndpoint('endpoint', source.endpoint);
  if (source.replayEndpoint !== undefined) checkEndpoint('replay_endpoint', source.replayEndpoint);
  return subscribeKvEvents({
    eventsEndpoint: source.endpoint,
    replayEndpoint: source.replayEndpoint,
    onBatch: (_seq, payload) => source.onPayload(payload),
    onReset: () => source.onReset(),
    log: {
      info: (fields, message) => log.info({ publisher, ...fields }, `${message} (${publisher})`),
      warn: (fields, message) => log.warn({ publisher, ...fields }, `${message} (${publisher})`),
    },
  });
}

/** @throws BatonError config_invalid that names the field */
function checkEndpoint(field: string, eventsEndpoint: string): void {
  try {
    checkKvEventSource({ eventsEndpoint });
  } catch (cause) {
    const { code, message } = toBatonError(cause);
    throw new BatonError(code, message, { cause, details: { field } });
  }
}
