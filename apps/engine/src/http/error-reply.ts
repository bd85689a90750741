import type { FastifyReply, FastifyRequest } from 'fastify';
import { BatonError, toBatonError } from '@baton/kv';
import { errorBody, errorStatus, frameworkFault } from '@baton/openai';

/** Whatever a route throws, as an OpenAI error body. */
export function replyError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const fault =
    error instanceof BatonError ? error : (frameworkFault(error) ?? toBatonError(error));
  if (errorStatus(fault) >= 500 && !fault.retryable)
    request.log.error({ event: 'request_failed', err: error }, fault.message);
  return reply.code(errorStatus(fault)).send(errorBody(fault));
}

export function replyNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const fault = new BatonError(
    'route_not_found',
    `There is nothing at ${request.method} ${request.url.slice(0, 128)}.`,
  );
  return reply.code(errorStatus(fault)).send(errorBody(fault));
}
