import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { addSimRoutes, type SimControls } from './sim-routes.ts';
import { addGenerationRoutes } from './generation-routes.ts';
import type { Front } from './front.ts';
import { EngineError } from './engine-error.ts';

/** A window of a million tokens as text or as ids fits. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;

/** Generation as all engines offer it, and beside it the API of the stand-in under /sim. */
export function createServer(front: Front, controls: SimControls): FastifyInstance {
  const server = Fastify({ bodyLimit: BODY_LIMIT_BYTES, forceCloseConnections: true });
  server.setErrorHandler((error: unknown, _request, reply) => {
    const fault = error instanceof EngineError ? error : translated(error);
    return reply.code(fault.status).send(front.dialect.errorBody(fault, false));
  });
  server.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));
  // A process that hangs takes connections and says nothing.
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.url.startsWith('/sim/')) done();
    else void controls.thawed().then(() => done());
  });
  addGenerationRoutes(server, front);
  addSimRoutes(server, controls);
  return server;
}

/** What Fastify refuses, e.g. a body that is no JSON; anything else is a fault of the stand-in itself. */
function translated(error: unknown): EngineError {
  const { statusCode, message }: { statusCode?: unknown; message?: unknown } = Object(error);
  const status = typeof statusCode === 'number' ? statusCode : 500;
  return new EngineError(status, String(message));
}
