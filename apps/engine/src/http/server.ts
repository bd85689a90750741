import Fastify, { LogController } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { BatonError } from '@baton/kv';
import { answer } from './answer.ts';
import { replyError, replyNotFound } from './error-reply.ts';
import type { FrontContext } from './front-context.ts';
import { readGeneration } from './read-request.ts';
import type { Api } from './read-request.ts';
import { addTokenizeRoutes } from './tokenize-routes.ts';

export interface ServerOptions {
  front: FrontContext;
  /** Body of /kv_event_sources. */
  kvEventSources: object;
  /** Prometheus text. */
  metrics: () => Promise<string>;
  version: string;
  log: FastifyBaseLogger;
}

/** Largest body, bytes: a window of a million tokens as text or as ids fits. */
export const BODY_LIMIT_BYTES = 16 * 1024 * 1024;
/** Generations at once, waiting ones included. */
const MAX_OPEN_GENERATIONS = 1_024;
const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The engine's HTTP API in vLLM's shape. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { front } = options;
  const server = Fastify({
    loggerInstance: options.log.child({}, { level: 'warn' }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    frameworkErrors: (error, request, reply) => void replyError(error, request, reply),
  });
  server.setErrorHandler(replyError);
  server.setNotFoundHandler(replyNotFound);
  addGenerationRoute(server, '/v1/completions', 'completion', front);
  addGenerationRoute(server, '/v1/chat/completions', 'chat', front);
  addTokenizeRoutes(server, front);
  const createdSec = Math.floor(front.now() / 1000);
  server.get('/v1/models', () => ({
    object: 'list',
    data: [
      {
        id: front.modelName,
        object: 'model',
        created: createdSec,
        owned_by: 'baton',
        root: front.modelName,
        parent: null,
        max_model_len: front.maxModelTokens,
      },
    ],
  }));
  server.get('/health', (_request, reply) => {
    const death = front.inference.death ?? front.tokenizer.death;
    if (death === undefined) return reply.code(200).send();
    throw new BatonError('engine_unavailable', death);
  });
  server.get('/metrics', async (_request, reply) =>
    reply.type(METRICS_CONTENT_TYPE).send(await options.metrics()),
  );
  server.get('/kv_event_sources', () => options.kvEventSources);
  server.get('/version', () => ({ version: options.version }));
  return server;
}

function addGenerationRoute(
  server: FastifyInstance,
  path: string,
  api: Api,
  front: FrontContext,
): void {
  let open = 0;
  server.post(path, async (request, reply) => {
    if (open >= MAX_OPEN_GENERATIONS) throw new BatonError('queue_full');
    open += 1;
    const gone = new AbortController();
    // Also fires after a complete answer; the run is over then, and an abort means nothing.
    reply.raw.once('close', () => gone.abort());
    const requestId = header(request, 'x-request-id');
    if (requestId !== undefined) reply.header('x-request-id', requestId.slice(0, 128));
    try {
      const headers = { requestId, traceparent: header(request, 'traceparent') };
      const call = await readGeneration(api, request.body, headers, front);
      return await answer(call, front, reply, gone.signal);
    } finally {
      open -= 1;
    }
  });
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}
