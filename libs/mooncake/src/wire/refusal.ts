import { BatonError } from '@baton/kv';

/** Why a request is refused, with its HTTP status. The words are those of Mooncake's conductor where it has one. */
const statuses = {
  invalid_json: 400,
  invalid_msgpack: 400,
  unknown_field: 400,
  missing: 400,
  invalid_type: 400,
  invalid_value: 400,
  not_array: 400,
  out_of_range: 400,
  unsupported: 400,
  too_many: 400,
  too_large: 413,
  unsupported_media_type: 415,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  limit: 429,
  internal: 500,
  busy: 503,
} as const;

export type RefusalReason = keyof typeof statuses;

export interface RefusalPlace {
  /** The field that is wrong. */
  field?: string;
  /** The element of the field that is wrong, from 0. */
  index?: number;
}

/** What a client is told when its request is refused. */
export interface RefusalBody extends RefusalPlace {
  error: string;
  reason: RefusalReason;
}

/** To be thrown: the request is refused, `message` says what would be right. */
export function refusal(
  reason: RefusalReason,
  message: string,
  place: RefusalPlace = {},
): BatonError {
  return new BatonError('invalid_request', message, { details: { reason, ...place } });
}

export function statusOf(reason: RefusalReason): number {
  return statuses[reason];
}

/** The refusal that was thrown; undefined for any other error. */
export function refusalBody(error: unknown): RefusalBody | undefined {
  if (!(error instanceof BatonError)) return undefined;
  const { reason, field, index } = error.details as Partial<RefusalBody>;
  if (reason === undefined || !(reason in statuses)) return undefined;
  return {
    error: error.message,
    reason,
    ...(field === undefined ? {} : { field }),
    ...(index === undefined ? {} : { index }),
  };
}
