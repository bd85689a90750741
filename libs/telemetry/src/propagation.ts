import {
  context,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api';

/** Version 00 fields; later versions may append more, version ff is forbidden. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_TRACEPARENT_CHARS = 256;
const MAX_TRACESTATE_CHARS = 512;

type HeaderValue = string | readonly string[] | undefined;

function first(value: HeaderValue): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

/**
 * Context whose parent is the span that a W3C `traceparent` names; the root context when it is missing or malformed.
 */
export function contextFrom(traceparent: string | undefined, tracestate?: string): Context {
  if (!traceparent || traceparent.length > MAX_TRACEPARENT_CHARS) return ROOT_CONTEXT;
  const match = TRACEPARENT.exec(traceparent.trim());
  if (!match) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = '00', rest] = match;
  if (rest && traceparent.startsWith('00')) return ROOT_CONTEXT;
  const spanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
  };
  if (!isSpanContextValid(spanContext)) return ROOT_CONTEXT;
  const keepState = tracestate !== undefined && tracestate.length <= MAX_TRACESTATE_CHARS;
  return trace.setSpanContext(
    ROOT_CONTEXT,
    keepState ? { ...spanContext, traceState: createTraceState(tracestate) } : spanContext,
  );
}

/** W3C `traceparent` of a span, a context or what is active; an empty string when there is no trace. */
export function traceparentOf(source: Span | Context = context.active()): string {
  const spanContext = 'spanContext' in source ? source.spanContext() : trace.getSpanContext(source);
  if (!spanContext || !isSpanContextValid(spanContext)) return '';
  const flags = (spanContext.traceFlags & 0xff).toString(16).padStart(2, '0');
  return `00-${spanContext.traceId}-${spanContext.spanId}-${flags}`;
}

/** Adds `traceparent` and `tracestate` to headers of an outgoing HTTP request; returns the same object. */
export function injectHeaders<H extends Record<string, string>>(
  headers: H,
  source: Span | Context = context.active(),
): H {
  const traceparent = traceparentOf(source);
  if (!traceparent) return headers;
  const spanContext = 'spanContext' in source ? source.spanContext() : trace.getSpanContext(source);
  const tracestate = spanContext?.traceState?.serialize();
  return Object.assign(headers, { traceparent }, tracestate ? { tracestate } : {});
}

/** Context of an incoming HTTP request, from Node's lower-case headers. */
export function extractHeaders(headers: Readonly<Record<string, HeaderValue>>): Context {
  return contextFrom(first(headers['traceparent']), first(headers['tracestate']));
}
