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
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (!indexerPaths.includes(path)) return next(request, response);
    readBody(request, (body) => {
      if (body === undefined) return respond(response, tooLarge(api), true);
      const { method = '', headers } = request;
      const { 'content-type': contentType, accept } = headers;
      const answer = api.answer({ method, path, contentType, accept, body });
      giveBack(body);
      respond(response, answer, false);
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

function tooLarge(api: IndexerApi): ApiAnswer {
  return api.refuse('too_large', `the body may have at most ${indexerLimits.maxBodyBytes} bytes`);
}

/** With `isLast` what the client may still be sending is not waited for. */
function respond(
  response: ServerResponse,
  { status, contentType, body }: ApiAnswer,
  isLast: boolean,
): void {
  const headers = { 'content-type': contentType, 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, isLast ? { ...headers, connection: 'close' } : headers);
  response.end(body);
}

/** The bytes of a body; undefined when there are too many. Most come in one piece, which is not copied. */
function readBody(request: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  const { maxBodyBytes } = indexerLimits;
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return done(undefined);
  const chunks: Buffer[] = [];
  let size = 0;
  const keep = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= maxBodyBytes) return void chunks.push(chunk);
    request.off('data', keep).off('end', end).resume();
    done(undefined);
  };
  const end = (): void => done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  request.on('data', keep).on('end', end);
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
