import type { PromptAccounting } from '@baton/engine-protocols';
import { attributes, failSpan, spans, startSpan, type Span } from '@baton/telemetry';
import type { BatonError } from '@baton/kv';
import type { Plan } from '../planning/request-plan.ts';

/**
 * Span of a handover that engines carry out themselves. They do not say when they read: it lasts from asking decode until
 * its first token.
 */
export class HandoverSpan {
  readonly #span: Span;
  #firstAtMs: number | undefined;

  constructor(parent: Span, { planId, prefill, decode }: Plan) {
    this.#span = startSpan(spans.kvHandover, {
      parent,
      attributes: {
        [attributes.planId]: planId,
        [attributes.sourceWorker]: prefill.workerId,
        [attributes.destinationWorker]: decode.workerId,
        [attributes.backend]: decode.connector,
      },
    });
  }

  /** Decode's first token is there. */
  arrived(): void {
    this.#firstAtMs ??= Date.now();
  }

  /** @param accounting what decode says of the prompt's tokens; undefined where it says nothing */
  end(accounting: PromptAccounting | undefined, error: BatonError | undefined): void {
    if (accounting !== undefined) {
      this.#span.setAttributes({
        [attributes.transferredTokens]: accounting.transferredTokens,
        [attributes.computedTokens]: accounting.computedTokens,
      });
    }
    if (error !== undefined) failSpan(this.#span, error);
    this.#span.end(this.#firstAtMs);
  }
}
