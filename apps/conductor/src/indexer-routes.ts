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
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, parsed) =>
      parsed(null, body),
    );
    scope.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
      if (error.statusCode === undefined || error.statusCode >= 500) throw error;
      const isTooLarge = error.statusCode === 413;
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
        handler: (request, reply) =>
          send(
            reply,
            api.answer({
              method: request.method,
              path,
              contentType: request.headers['content-type'],
              accept: request.headers.accept,
              body: request.body instanceof Uint8Array ? request.body : undefined,
            }),
          ),
      });
    }
    done();
  });
}

function send(reply: FastifyReply, { status, contentType, body }: ApiAnswer): FastifyReply {
  return reply.code(status).type(contentType).send(body);
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
