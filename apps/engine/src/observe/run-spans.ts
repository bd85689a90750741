import { attributes, failSpan, spans, startSpan } from '@baton/telemetry';
import type { Span } from '@baton/telemetry';
import { BatonError, isErrorCode } from '@baton/kv';
import type { EndedEvent, RequestRun, RunObserver } from '../generation/request-run.ts';

/** `engine.prefill` and `engine.decode` of each run, under the trace that its request brought. */
export class RunSpans implements RunObserver {
  readonly #open = new WeakMap<RequestRun, Span>();
  readonly #worker: () => string;

  constructor(worker: () => string) {
    this.#worker = worker;
  }

  submitted(run: RequestRun): void {
    const name = run.request.leg.kind === 'decode' ? spans.engineDecode : spans.enginePrefill;
    this.#start(run, name);
  }

  prefilled(run: RequestRun): void {
    const span = this.#open.get(run);
    const { promptTokens, reusedTokens, transferredTokens, computedTokens } = run.accounting;
    span?.setAttributes({
      [attributes.inputTokens]: promptTokens,
      [attributes.reusedTokens]: reusedTokens,
      [attributes.transferredTokens]: transferredTokens,
      [attributes.computedTokens]: computedTokens,
    });
    const { kind } = run.request.leg;
    if (kind === 'decode') return;
    span?.end();
    this.#open.delete(run);
    if (kind !== 'prefill') this.#start(run, spans.engineDecode);
  }

  token(): void {
    return undefined;
  }

  ended(run: RequestRun, event: EndedEvent): void {
    const span = this.#open.get(run);
    this.#open.delete(run);
    if (!span) return;
    const outcome = run.outcomeOf(event);
    span.setAttributes({ [attributes.outputTokens]: run.outputTokens });
    if (outcome === 'finished') {
      const reason = event.outcome === 'length' ? 'length' : 'stop';
      span.setAttributes({ [attributes.finishReasons]: [reason] });
    } else {
      const fallback = outcome === 'aborted' ? 'request_aborted' : 'engine_failed';
      const { code = fallback } = event;
      failSpan(span, new BatonError(isErrorCode(code) ? code : fallback, event.message));
    }
    span.end();
  }

  #start(run: RequestRun, name: string): void {
    const { leg, traceparent } = run.request;
    const span = startSpan(name, {
      kind: 'server',
      attributes: {
        [attributes.worker]: this.#worker(),
        ...(leg.planId === '' ? {} : { [attributes.planId]: leg.planId }),
      },
      ...(traceparent === undefined ? {} : { parent: traceparent }),
    });
    this.#open.set(run, span);
  }
}
