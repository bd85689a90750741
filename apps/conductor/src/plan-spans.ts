import type { PlanAnswer, PlanRefusal, PlanRequest } from '@baton/core';
import { attributes, startSpan, spans, traceparentOf, type Span } from '@baton/telemetry';

/** Open `plan` spans: from a request's arrival to its answer, in the order of equal request ids. */
export class PlanSpans {
  readonly #open = new Map<string, Map<string, Span[]>>();

  /** Starts the span and returns the trace context that transfers of the plan carry on. */
  start(sessionId: string, request: PlanRequest): string {
    const span = startSpan(spans.plan, {
      kind: 'server',
      parent: request.traceparent,
      attributes: { [attributes.requestId]: request.requestId },
    });
    const ofSession = this.#open.get(sessionId) ?? new Map<string, Span[]>();
    this.#open.set(sessionId, ofSession);
    ofSession.set(request.requestId, [...(ofSession.get(request.requestId) ?? []), span]);
    return traceparentOf(span);
  }

  answered(sessionId: string, reply: PlanAnswer | PlanRefusal): void {
    const ofSession = this.#open.get(sessionId);
    const [span, ...later] = ofSession?.get(reply.requestId) ?? [];
    if (later.length > 0) ofSession?.set(reply.requestId, later);
    else ofSession?.delete(reply.requestId);
    if (span === undefined) return;
    if (reply.kind === 'refused') {
      span.setAttribute(attributes.errorType, reply.code);
    } else {
      span.setAttributes({
        [attributes.planId]: reply.planId,
        [attributes.planMode]: reply.mode,
        [attributes.matchedTokens]: reply.matchedTokens,
        [attributes.candidates]: reply.candidates,
        [attributes.predictedTtftMs]: reply.predictedTtftMs,
        [attributes.prefillWorker]: reply.prefill.workerId,
        [attributes.decodeWorker]: reply.decode.workerId,
      });
    }
    span.end();
  }

  /** Requests that were still waiting are not answered any more. */
  closed(sessionId: string): void {
    for (const open of this.#open.get(sessionId)?.values() ?? []) {
      for (const span of open) {
        span.setAttribute(attributes.errorType, 'request_aborted');
        span.end();
      }
    }
    this.#open.delete(sessionId);
  }
}
