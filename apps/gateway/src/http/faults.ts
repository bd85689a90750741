import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { BatonError, type ErrorCode } from '@baton/kv';
import { errorBody, errorStatus, frameworkFault } from '@baton/openai';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Paths with the methods that they take: for 405, and for a 404 that says what exists. */
export const routes: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'POST',
  '/v1/completions': 'POST',
  '/v1/models': 'GET, HEAD',
  '/health': 'GET, HEAD',
};

/** Whatever a route threw; what is wrong inside Baton is for the log, not for clients. */
export function httpFault(error: unknown): BatonError {
  if (error instanceof BatonError) return error;
  return frameworkFault(error) ?? new BatonError('internal_error', undefined, { cause: error });
}

export function sendFault(reply: FastifyReply, error: BatonError): FastifyReply {
  const { retryAfterMs } = error.details;
  if (typeof retryAfterMs === 'number' && retryAfterMs > 0) {
    reply.header('retry-after', String(Math.ceil(retryAfterMs / 1_000)));
  }
  return reply.code(errorStatus(error)).send(errorBody(error));
}

export function unknownRoute(method: string, url: string, reply: FastifyReply): FastifyReply {
  const path = url.split('?', 1)[0] ?? '';
  const allowed = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (allowed === undefined) {
    return sendFault(reply, new BatonError('route_not_found', `There is nothing at ${path}.`));
  }
  reply.header('allow', allowed);
  const message = `${path} takes ${allowed}, not ${method}.`;
  return sendFault(reply, new BatonError('method_not_allowed', message));
}

/** Answers what is no HTTP request at all, or was too slow or too large to become one. */
export function answerClientErrors(app: FastifyInstance): void {
  const codes: Readonly<Record<string, ErrorCode>> = {
    HPE_HEADER_OVERFLOW: 'headers_too_large',
    ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  };
  // Node would say 417 in its own way; an expectation that we do not know may be ignored.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
  app.server.removeAllListeners('clientError');
  app.server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const fault = new BatonError(codes[error.code ?? ''] ?? 'invalid_request', undefined);
    const body = JSON.stringify(errorBody(fault));
    const status = errorStatus(fault);
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n` +
        'content-type: application/json; charset=utf-8\r\n' +
        `x-request-id: ${randomUUID()}\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
}
