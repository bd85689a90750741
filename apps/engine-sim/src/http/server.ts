import Fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addSimRoutes, type SimControls } from './sim-routes.ts';
import { addEngineRoutes } from './engine-routes.ts';
import { addGenerationRoutes } from './generation-routes.ts';
import type { Front } from './front.ts';
import { VllmError } from './vllm-error.ts';

export interface ServerOptions {
  front: Front;
  metrics: () => string;
  /** Body of /kv_event_sources. */
  kvEventSources: object;
  version: string;
  controls: SimControls;
}

/** A window of a million tokens as text or as ids fits. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;

/** The HTTP API of a vLLM, and beside it that of the stand-in under /sim. */
export function createServer(options: ServerOptions): FastifyInstance {
  const server = Fastify({ bodyLimit: BODY_LIMIT_BYTES, forceCloseConnections: true });
  server.setErrorHandler(replyError);
  server.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));
  // A process that hangs takes connections and says nothing.
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.url.startsWith('/sim/')) done();
    else void options.controls.thawed().then(() => done());
  });
  addEngineRoutes(server, options);
  addGenerationRoutes(server, options.front);
  addSimRoutes(server, options.controls);
  return server;
}

function replyError(error: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const fault = error instanceof VllmError ? error : translated(error);
  return reply.code(fault.status).send(fault.body);
}

/** What Fastify refuses, e.g. a body that is no JSON; anything else is a fault of the stand-in itself. */
function translated(error: unknown): VllmError {
  const { statusCode, message }: { statusCode?: unknown; message?: unknown } = Object(error);
  const status = typeof statusCode === 'number' ? statusCode : 500;
  return new VllmError(status, String(message));
}
