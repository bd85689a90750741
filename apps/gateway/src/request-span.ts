import { attributes, requestSpanName, startSpan, type Context, type Span } from '@baton/telemetry';
import type { AcceptedRequest } from './intake/accept-request.ts';
import type { RequestRecord } from './request-record.ts';

/** Request fields that the GenAI conventions have an attribute for. */
const sampling = [
  ['temperature', attributes.requestTemperature],
  ['top_p', attributes.requestTopP],
  ['top_k', attributes.requestTopK],
  ['seed', attributes.requestSeed],
] as const;

export function startRequestSpan(
  request: AcceptedRequest,
  record: RequestRecord,
  parent: Context,
): Span {
  const operation = request.api === 'chat' ? 'chat' : 'text_completion';
  const span = startSpan(requestSpanName(operation, request.model), {
    kind: 'server',
    parent,
    // As everything that is counted of the request: from its arrival, not from when it was understood.
    startTimeMs: Date.now() - (performance.now() - record.startedMs),
    attributes: {
      [attributes.operation]: operation,
      [attributes.provider]: 'baton',
      [attributes.requestModel]: request.model,
      [attributes.requestStream]: request.stream,
      [attributes.requestId]: record.requestId,
    },
  });
  for (const [field, name] of sampling) {
    const value = request.body[field];
    if (typeof value === 'number') span.setAttribute(name, value);
  }
  if (request.outputLimit !== undefined) {
    span.setAttribute(attributes.requestMaxTokens, request.outputLimit.tokens);
  }
  return span;
}

export function endRequestSpan(span: Span, record: RequestRecord): void {
  const { plan, ledger } = record;
  span.setAttributes({
    [attributes.httpStatus]: record.status,
    [attributes.outcome]: record.outcome,
    ...(record.code !== undefined && { [attributes.errorType]: record.code }),
    ...(record.ttftMs !== undefined && { [attributes.timeToFirstChunk]: record.ttftMs / 1_000 }),
    ...(record.answerId !== undefined && { [attributes.responseId]: record.answerId }),
    ...(record.finishReason !== undefined && {
      [attributes.finishReasons]: [record.finishReason],
    }),
  });
  if (record.model !== undefined) span.setAttribute(attributes.responseModel, record.model);
  if (plan !== undefined) {
    span.setAttributes({
      [attributes.planId]: plan.planId,
      [attributes.planMode]: plan.mode,
      [attributes.prefillWorker]: plan.prefill.workerId,
      [attributes.decodeWorker]: plan.decode.workerId,
    });
  }
  if (ledger !== undefined) {
    span.setAttributes({
      [attributes.inputTokens]: ledger.promptTokens,
      [attributes.outputTokens]: ledger.outputTokens,
      ...(ledger.cachedTokens !== undefined && {
        [attributes.cachedInputTokens]: ledger.cachedTokens,
      }),
    });
  }
  span.end();
}
