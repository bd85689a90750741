import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorEntry, type ErrorCode } from '@baton/kv';
import { MAX_NAME_CHARS } from '@baton/proto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodError } from 'zod';

/** Body of every answer that is not a success. */
export function errorJson(code: ErrorCode, message: string, param?: string): object {
  return { error: { code, message, type: errorEntry(code).openaiType, param: param ?? null } };
}

/** The first thing that is wrong with what was sent, and where. */
export function invalidJson({ issues: [issue] }: ZodError): object {
  const field = issue?.path.join('.') || 'body';
  return errorJson('invalid_request', `${field}: ${issue?.message ?? 'is not valid'}`, field);
}

/** What the framework refuses is said as everything else is: a path, or a body that is no JSON. */
export function sendFrameworkFault(
  { code: fault, statusCode = 500, message }: FastifyError,
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  const code = statusCode < 500 ? 'invalid_request' : 'internal_error';
  const tooLong = `a name in a path may have at most ${MAX_NAME_CHARS} characters`;
  const said = fault === 'FST_ERR_MAX_PARAM_LENGTH' ? tooLong : message;
  void reply.code(statusCode).send(errorJson(code, said));
}

/** Answers what is no HTTP request at all, or was too slow or too large to become one. */
export function answerClientError(
  this: FastifyInstance,
  error: NodeJS.ErrnoException,
  socket: Duplex,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const codes: Readonly<Record<string, ErrorCode>> = {
    HPE_HEADER_OVERFLOW: 'headers_too_large',
    ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  };
  const code = codes[error.code ?? ''] ?? 'invalid_request';
  const { message, http } = errorEntry(code);
  const body = JSON.stringify(errorJson(code, message));
  socket.end(
    `HTTP/1.1 ${http} ${STATUS_CODES[http] ?? ''}\r\n` +
      'content-type: application/json; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
