/** Names of gRPC status codes in use. */
export type GrpcStatus =
  | 'CANCELLED'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DATA_LOSS';

/** `error.type` of an OpenAI error body. */
export type OpenAiErrorType =
  'invalid_request_error' | 'not_found_error' | 'rate_limit_error' | 'server_error';

export interface ErrorEntry {
  grpc: GrpcStatus;
  http: number;
  openaiType: OpenAiErrorType;
  /** True when the same request may succeed later or elsewhere. */
  retryable: boolean;
  /** One sentence for people; used when the thrower has nothing better to say. */
  message: string;
}

const invalid = (http: number, message: string): ErrorEntry => ({
  grpc: 'INVALID_ARGUMENT',
  http,
  openaiType: 'invalid_request_error',
  retryable: false,
  message,
});

const missing = (message: string): ErrorEntry => ({
  grpc: 'NOT_FOUND',
  http: 404,
  openaiType: 'not_found_error',
  retryable: false,
  message,
});

const busy = (message: string): ErrorEntry => ({
  grpc: 'RESOURCE_EXHAUSTED',
  http: 429,
  openaiType: 'rate_limit_error',
  retryable: true,
  message,
});

const unavailable = (message: string): ErrorEntry => ({
  grpc: 'UNAVAILABLE',
  http: 503,
  openaiType: 'server_error',
  retryable: true,
  message,
});

const fault = (message: string, grpc: GrpcStatus = 'INTERNAL'): ErrorEntry => ({
  grpc,
  http: 500,
  openaiType: 'server_error',
  retryable: false,
  message,
});

/**
 * Every error code of Baton with what it becomes at each edge. docs/reference/errors.md is made
 * from it.
 */
export const errorRegistry = {
  invalid_request: invalid(400, 'The request is not valid.'),
  context_length_exceeded: invalid(400, 'Prompt and output exceed the context of the model.'),
  unsupported_parameter: invalid(400, 'A parameter is not supported here.'),
  body_too_large: invalid(413, 'The request body is larger than the limit.'),
  unsupported_media_type: invalid(415, 'The content type is not supported; send application/json.'),
  headers_too_large: invalid(431, 'The headers of the request are larger than the limit.'),
  request_timeout: invalid(408, 'The request was not sent completely within the time limit.'),
  method_not_allowed: invalid(405, 'The method is not allowed on this path.'),
  route_not_found: missing('There is nothing at this path.'),
  model_not_found: missing('No worker serves this model.'),
  adapter_not_found: missing('No engine here has this adapter.'),
  unknown_plan: missing('The plan is not known or has ended.'),
  segment_not_found: missing('The segment is neither held nor expected here.'),
  no_capacity: busy('All workers of this model are at their limit.'),
  slo_unreachable: busy('The time that is promised for the first token can no longer be met.'),
  queue_full: busy('A queue has reached its limit.'),
  arena_full: busy('The arena has no free page.'),
  engine_out_of_cells: busy('The engine has no KV memory left for this request.'),
  no_worker: unavailable('No worker of this model is ready.'),
  conductor_unavailable: unavailable('The conductor cannot be reached.'),
  bus_unavailable: unavailable('NATS cannot be reached.'),
  agent_unavailable: unavailable('The agent of this worker cannot be reached.'),
  engine_unavailable: unavailable('The engine cannot be reached or is not ready.'),
  shutting_down: unavailable('The process is shutting down.'),
  kv_transfer_failed: unavailable('KV could not be brought to the decode worker.'),
  transfer_refused: unavailable('The transfer was refused.'),
  transfer_stalled: unavailable('The transfer made no progress within its time limit.'),
  transfer_cut: unavailable('The connection ended before the transfer was complete.'),
  checksum_mismatch: { ...unavailable('Bytes arrived damaged.'), grpc: 'DATA_LOSS' },
  transfer_cancelled: {
    grpc: 'CANCELLED',
    http: 499,
    openaiType: 'server_error',
    retryable: false,
    message: 'The transfer was cancelled.',
  },
  request_aborted: {
    grpc: 'CANCELLED',
    http: 499,
    openaiType: 'invalid_request_error',
    retryable: false,
    message: 'The client went away.',
  },
  deadline_exceeded: {
    grpc: 'DEADLINE_EXCEEDED',
    http: 504,
    openaiType: 'server_error',
    retryable: true,
    message: 'The time limit of the request has passed.',
  },
  engine_failed: {
    grpc: 'INTERNAL',
    http: 502,
    openaiType: 'server_error',
    retryable: true,
    message: 'The engine failed while it worked on the request.',
  },
  adapter_refused: {
    ...invalid(409, 'An engine did not load or unload the adapter.'),
    grpc: 'FAILED_PRECONDITION',
  },
  layout_mismatch: fault('The KV layouts of the two workers do not fit.', 'FAILED_PRECONDITION'),
  protocol_violation: fault('A message does not follow the protocol.', 'FAILED_PRECONDITION'),
  internal_error: fault('Something failed inside Baton.'),
  config_invalid: fault('The configuration is not valid.', 'FAILED_PRECONDITION'),
  port_in_use: fault('The port is in use.', 'FAILED_PRECONDITION'),
  model_file_missing: fault('The model file does not exist.', 'FAILED_PRECONDITION'),
  model_file_damaged: fault('The model file cannot be read.', 'FAILED_PRECONDITION'),
  model_not_supported: fault(
    'The KV cache of this model cannot be split into segments.',
    'UNIMPLEMENTED',
  ),
  native_library_missing: fault('A native library cannot be loaded.', 'FAILED_PRECONDITION'),
  nats_server_missing: fault('No nats-server was found.', 'FAILED_PRECONDITION'),
  download_failed: { ...fault('A download failed.', 'UNAVAILABLE'), retryable: true },
  child_failed: fault('A process ended unexpectedly.'),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorRegistry;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorRegistry, code);
}

/** The entry of a code that came over the wire; an unknown one is treated as internal_error. */
export function errorEntry(code: string): ErrorEntry {
  return isErrorCode(code) ? errorRegistry[code] : errorRegistry.internal_error;
}

export interface BatonErrorOptions {
  cause?: unknown;
  /** Facts for the edge that reports it, e.g. `{ field: 'max_tokens' }`. */
  details?: Readonly<Record<string, unknown>> | undefined;
}

/** The one error class. Thrown for faults only; expected outcomes are return values. */
export class BatonError extends Error {
  override readonly name = 'BatonError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message?: string, options: BatonErrorOptions = {}) {
    super(
      message ?? errorRegistry[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.retryable = errorRegistry[code].retryable;
    this.details = options.details ?? {};
  }
}

/**
 * Anything that was caught, as a BatonError; what is none becomes `fallback` with the original as
 * its cause.
 */
export function toBatonError(error: unknown, fallback: ErrorCode = 'internal_error'): BatonError {
  if (error instanceof BatonError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new BatonError(fallback, message, { cause: error });
}
