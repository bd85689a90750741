import { BatonError, errorEntry, isErrorCode, toBatonError, type ErrorCode } from '@baton/kv';
import { readErrorBody } from '@baton/openai';

/** Where in an HTTP call it failed; in `details.phase` of every fault of this library. */
export type CallPhase = 'connect' | 'first_byte' | 'answer';

/** Of a foreign engine's message, characters that may reach a client. */
const MAX_MESSAGE_CHARS = 1_000;

/** Codes that mean the connection was never made: the engine has seen nothing of the request. */
const notConnected = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** A fault of the connection as a BatonError: engine_unavailable when nothing was sent, else engine_failed. */
export function connectionFault(error: unknown, phase: CallPhase): BatonError {
  if (error instanceof BatonError) return error;
  const code = connectionCode(error);
  if (code !== undefined && notConnected.has(code)) {
    return new BatonError('engine_unavailable', `The engine cannot be reached (${code}).`, {
      cause: error,
      details: { phase: 'connect' },
    });
  }
  const reason = code ?? toBatonError(error).message;
  return new BatonError('engine_failed', `The connection to the engine ended (${reason}).`, {
    cause: error,
    details: { phase },
  });
}

/** An AggregateError (IPv6 and IPv4 both refused) has its codes inside. */
function connectionCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'errors' in error && Array.isArray(error.errors)
    ? connectionCode(error.errors[0])
    : undefined;
}

export function timedOut(what: string, limitMs: number, phase: CallPhase): BatonError {
  return new BatonError('deadline_exceeded', `${what} within ${limitMs} ms.`, {
    details: { phase },
  });
}

/** What an answer that is no success means; `text` is its body as it came. */
export function answerFault(status: number, text: string): BatonError {
  return errorFrom(status, readErrorBody(parseOrUndefined(text)));
}

/** The error that a stream carries as an event. */
export function eventFault(data: string): BatonError {
  const body = readErrorBody(parseOrUndefined(data));
  return errorFrom(body?.status ?? 500, body);
}

function errorFrom(status: number, body: ReturnType<typeof readErrorBody>): BatonError {
  const message = (body?.message ?? `The engine answered with status ${status}.`).slice(
    0,
    MAX_MESSAGE_CHARS,
  );
  const details = {
    phase: 'answer' satisfies CallPhase,
    engineStatus: status,
    ...(body?.param !== undefined && { field: body.param }),
  };
  return new BatonError(codeFor(status, body?.code), message, { details });
}

/** Our engine sends codes of the registry; of others only the status says something. */
function codeFor(status: number, code: string | undefined): ErrorCode {
  if (code !== undefined && isErrorCode(code)) {
    return errorEntry(code).http === 500 ? 'engine_failed' : code;
  }
  switch (status) {
    case 400:
    case 422:
      return 'invalid_request';
    case 404:
      return 'model_not_found';
    case 413:
      return 'body_too_large';
    case 429:
      return 'no_capacity';
    case 503:
      return 'engine_unavailable';
    default:
      return 'engine_failed';
  }
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
