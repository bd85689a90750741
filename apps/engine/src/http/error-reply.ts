import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { BatonError, toBatonError } from '@baton/kv';
import { errorBody, errorStatus } from '@baton/openai';

/** Fastify's own codes for what is wrong with a body. */
const BODY_FAULTS: Readonly<
  Record<string, 'body_too_large' | 'unsupported_media_type' | 'invalid_request'>
> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_request',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_request',
};

/** Whatever a route throws, as an OpenAI error body. */
export function replyError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const fault = faultOf(error);
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

function faultOf(error: unknown): BatonError {
  if (error instanceof BatonError) return error;
  const { code, statusCode, message } = error as Partial<FastifyError>;
  const known = BODY_FAULTS[code ?? ''];
  if (known === 'invalid_request' || (known === undefined && statusCode === 400)) {
    return new BatonError('invalid_request', `The body is not valid JSON: ${message ?? ''}`);
  }
  return known === undefined ? toBatonError(error) : new BatonError(known);
}
