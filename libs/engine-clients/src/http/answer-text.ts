import { BatonError } from '@baton/kv';

/** Collects a body up to a limit. */
export class AnswerText {
  readonly #chunks: Uint8Array[] = [];
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws BatonError protocol_violation when the body outgrows its limit. */
  push(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) {
      throw new BatonError(
        'protocol_violation',
        `The engine's answer is longer than ${this.#maxBytes} bytes.`,
      );
    }
    this.#chunks.push(bytes);
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
