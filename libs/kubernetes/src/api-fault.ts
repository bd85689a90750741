/** What the API server answered instead of what was asked, or that it did not answer. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault';
  /** As HTTP has it; undefined where there was no answer, or none that could be read. */
  readonly status: number | undefined;

  constructor(message: string, status?: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
  }
}
