import { attributes, failSpan, spans, startSpan, type Span } from '@baton/telemetry';
import type { BatonError } from '@baton/kv';
import type { KeptTurn } from '../planning/kept-turns.ts';
import type { Plan } from '../planning/request-plan.ts';

/**
 * Span of a handover that engines carry out themselves. They say neither when they read nor how much of a prompt: it lasts
 * from asking decode until its first token.
 */
export class HandoverSpan {
  readonly #span: Span;
  #firstAtMs: number | undefined;

  constructor(parent: Span, { planId, prefill, decode }: Plan, promptTokens: number) {
    const [source, destination] = [prefill.workerId, decode.workerId];
    const { connector } = decode;
    this.#span = started(parent, planId, source, destination, connector, promptTokens);
  }

  /** Of a prefill that reads the turn before from a decode worker: until it has computed the prompt. */
  static ofTurn(parent: Span, { planId, prefill }: Plan, turn: KeptTurn): Span {
    const [source, destination] = [turn.workerId, prefill.workerId];
    return started(parent, planId, source, destination, prefill.connector, turn.tokens);
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

function started(
  parent: Span,
  planId: string,
  source: string,
  destination: string,
  connector: string,
  tokens: number,
): Span {
  return startSpan(spans.kvHandover, {
    parent,
    attributes: {
      [attributes.planId]: planId,
      [attributes.sourceWorker]: source,
      [attributes.destinationWorker]: destination,
      [attributes.backend]: connector,
      [attributes.inputTokens]: tokens,
    },
  });
}
