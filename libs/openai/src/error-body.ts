import { BatonError, errorRegistry, type ErrorCode } from '@baton/kv';

/** The body of every answer that is not a success. */
export interface ErrorBody {
  error: {
    message: string;
    type: string;
    /** The field at fault, e.g. `messages[0].role`; null when no single field is. */
    param: string | null;
    code: string;
  };
}

export function errorBody(error: BatonError): ErrorBody {
  const { field } = error.details;
  return {
    error: {
      message: error.message,
      type: errorRegistry[error.code].openaiType,
      param: typeof field === 'string' ? field : null,
      code: error.code,
    },
  };
}

export function errorStatus(error: BatonError): number {
  return errorRegistry[error.code].http;
}

/** A fault that one field of the request is to blame for; `field` becomes `param` in the body. */
export function fieldError(code: ErrorCode, field: string, message: string): BatonError {
  return new BatonError(code, message, { details: { field } });
}

/** What the error of another server says. */
interface OtherError {
  message: string;
  code: string | undefined;
  /** HTTP status, where the code is one: all that tells in a stream whose fault it is. */
  status: number | undefined;
  param: string | undefined;
}

/** What an error body of another server says; undefined when it is none. */
export function readErrorBody(body: unknown): OtherError | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  // SGLang has the fields of the error at the top, marked as one.
  const isError = 'object' in body && body.object === 'error';
  if (!isError && !('error' in body)) return undefined;
  const error = isError ? body : 'error' in body && body.error;
  const unsaid = { code: undefined, status: undefined, param: undefined };
  if (typeof error === 'string') return { message: error, ...unsaid };
  if (typeof error !== 'object' || error === null) return undefined;
  const fields: Record<string, unknown> = { ...error };
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    message: text(fields['message']) ?? 'The engine gave no reason.',
    code: text(fields['code']),
    status: isErrorStatus(fields['code']) ? fields['code'] : undefined,
    param: text(fields['param']),
  };
}

function isErrorStatus(code: unknown): code is number {
  return Number.isInteger(code) && Number(code) >= 400 && Number(code) <= 599;
}
