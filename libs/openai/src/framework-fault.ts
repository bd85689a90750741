import { BatonError, type ErrorCode } from '@baton/kv';

/** Fastify's own codes for what is wrong with a body. */
const bodyFaults: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_request',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_request',
};

/**
 * What the HTTP framework refused, as an error of ours; its own words only where they are about the client's input.
 * Undefined for anything else that was thrown.
 */
export function frameworkFault(error: unknown): BatonError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode }: Error & { code?: unknown; statusCode?: unknown } = error;
  const known = typeof code === 'string' ? bodyFaults[code] : undefined;
  const isClients = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  if (known === 'invalid_request' || (isClients && error instanceof SyntaxError)) {
    return new BatonError('invalid_request', `The body is not valid JSON: ${error.message}`);
  }
  if (known !== undefined) return new BatonError(known);
  return isClients ? new BatonError('invalid_request', error.message) : undefined;
}
