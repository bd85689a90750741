import type { IncomingMessage } from 'node:http';
import { subscribeKvEvents } from '@baton/engine-clients';
import {
  IndexerApi,
  indexerLimits,
  indexerPaths,
  type AnswerForm,
  type ApiAnswer,
  type EventFeed,
  type EventSource,
} from '@baton/mooncake';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Methods that get an answer of the API, if only that they are not allowed. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

interface FeedLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

const TOO_LARGE = 413;

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
  });
}

/** Serves the indexer API. Bodies stay bytes: the API reads them itself. */
export function indexerRoutes(app: FastifyInstance, api: IndexerApi): void {
  void app.register((scope, _options, done) => {
    const bodyLimit = indexerLimits.maxBodyBytes;
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request, payload, parsed) => {
      const { 'content-length': length } = request.headers;
      readBody(payload, Number(length ?? 0), bodyLimit, parsed);
    });
    scope.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
      if (error.statusCode === undefined || error.statusCode >= 500) throw error;
      const isTooLarge = error.statusCode === TOO_LARGE;
      // What is still to come is not waited for.
      if (isTooLarge) void reply.header('connection', 'close');
      const message = isTooLarge
        ? `the body may have at most ${bodyLimit} bytes`
        : `the request cannot be read: ${error.message}`;
      return send(reply, api.refuse(isTooLarge ? 'too_large' : 'invalid_value', message));
    });
    for (const path of indexerPaths) {
      scope.route({
        method: methods,
        url: path,
        bodyLimit,
        handler: (request, reply) => {
          const body = request.body instanceof Uint8Array ? request.body : undefined;
          const { 'content-type': contentType, accept } = request.headers;
          const answer = api.answer({ method: request.method, path, contentType, accept, body });
          if (body !== undefined) giveBack(body);
          return send(reply, answer);
        },
      });
    }
    done();
  });
}

/**
 * Frees the memory of a body that nobody reads any more. Left to the collector, the bodies of some hundred queries make it
 * mark the whole heap, which is a quarter of what the queries cost.
 */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function send(reply: FastifyReply, { status, contentType, body }: ApiAnswer): FastifyReply {
  return reply.code(status).type(contentType).send(body);
}

/**
 * The bytes of a body. Most come in one piece, which is handed on as it is: the copy that a parser of whole buffers makes
 * is a third of what a query of 8,192 tokens costs.
 */
function readBody(
  payload: IncomingMessage,
  announcedBytes: number,
  maxBytes: number,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let isDone = false;
  const end = (error: Error | null, body?: Buffer): void => {
    if (isDone) return;
    isDone = true;
    done(error, body);
  };
  const tooLarge = (): void =>
    end(Object.assign(new Error('the body is too large'), { statusCode: TOO_LARGE }));
  if (announcedBytes > maxBytes) return tooLarge();
  payload.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) tooLarge();
    else if (!isDone) chunks.push(chunk);
  });
  payload.on('end', () => end(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  payload.on('error', (error) => end(error));
}

function openFeed(source: EventSource, log: FeedLog): EventFeed {
  return subscribeKvEvents({
    eventsEndpoint: source.endpoint,
    replayEndpoint: source.replayEndpoint,
    onBatch: (_seq, payload) => source.onPayload(payload),
    onReset: () => source.onReset(),
    log,
  });
}
