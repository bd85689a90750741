/** What an engine answers when it does not do what it was asked. */
export class EngineError extends Error {
  readonly status: number;
  /** In vLLM's words. */
  readonly type: string;
  readonly param: string | null;

  constructor(status: number, message: string, param: string | null = null, type?: string) {
    super(message);
    this.status = status;
    this.param = param;
    this.type = type ?? typeOf(status);
  }
}

const types: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  429: 'TooManyRequestsError',
  500: 'InternalServerError',
  503: 'ServiceUnavailableError',
};

function typeOf(status: number): string {
  return types[status] ?? (status < 500 ? 'BadRequestError' : 'InternalServerError');
}
