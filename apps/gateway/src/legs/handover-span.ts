import { attributes, failSpan, spans, startSpan, type Span } from '@baton/telemetry';
import type { BatonError } from '@baton/kv';
import type { Plan } from '../planning/request-plan.ts';

/**
 * Span of a handover that engines carry out themselves. They say neither when they read nor how much of a prompt: it lasts
 * from asking decode until its first token.
 */
export class HandoverSpan {
  readonly #span: Span;
  #firstAtMs: number | undefined;

  constructor(parent: Span, { planId, prefill, decode }: Plan, promptTokens: number) {
    this.#span = startSpan(spans.kvHandover, {
      parent,
      attributes: {
        [attributes.planId]: planId,
        [attributes.sourceWorker]: prefill.workerId,
        [attributes.destinationWorker]: decode.workerId,
        [attributes.backend]: decode.connector,
        [attributes.inputTokens]: promptTokens,
      },
    });
  }

  /** Decode's first token is there. */
  arrived(): void {
    this.#firstAtMs ??= Date.now();
  }

  end(error: BatonError | undefined): void {
    if (error !== undefined) failSpan(this.#span, error);
    this.#span.end(this.#firstAtMs);
  }
}
