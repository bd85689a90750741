import {
  context,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { attributes } from './catalogue.ts';
import { contextFrom } from './propagation.ts';

const INSTRUMENTATION = 'baton';
const MAX_STATUS_CHARS = 200;

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

export interface SpanOptions {
  /** Default `internal`. */
  kind?: keyof typeof kinds;
  attributes?: Attributes;
  /** A traceparent, a span or a context; default: what is active. An unusable traceparent starts a new trace. */
  parent?: string | Span | Context;
  /** Milliseconds of the wall clock, when the work began before the span could be made. */
  startTimeMs?: number;
}

/** The tracer of this process; records nothing until `startTelemetry` has found an exporter. */
export function tracer(): Tracer {
  return trace.getTracer(INSTRUMENTATION);
}

function parentContext(parent: SpanOptions['parent']): Context {
  if (parent === undefined) return context.active();
  if (typeof parent === 'string') return contextFrom(parent);
  return 'spanContext' in parent ? trace.setSpan(context.active(), parent) : parent;
}

/** Starts a span that the caller ends; it does not become active. */
export function startSpan(name: string, options: SpanOptions = {}): Span {
  const settings = {
    kind: kinds[options.kind ?? 'internal'],
    ...(options.attributes && { attributes: options.attributes }),
    ...(options.startTimeMs !== undefined && { startTime: options.startTimeMs }),
  };
  return tracer().startSpan(name, settings, parentContext(options.parent));
}

/** Marks a span as failed: `error.type` is the error's code or class, the status its shortened message. */
export function failSpan(span: Span, error: unknown): void {
  const fault = error instanceof Error ? error : new Error(String(error));
  const code = (fault as { code?: unknown }).code;
  span.setAttribute(attributes.errorType, typeof code === 'string' ? code : fault.name);
  span.setStatus({
    code: SpanStatusCode.ERROR,
    message: fault.message.slice(0, MAX_STATUS_CHARS),
  });
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise;
}

/** Runs `fn` inside an active span and ends it when `fn` has returned, resolved or failed. */
export function withSpan<T>(name: string, options: SpanOptions, fn: (span: Span) => T): T {
  const span = startSpan(name, options);
  const scope = trace.setSpan(parentContext(options.parent), span);
  let result: T;
  try {
    result = context.with(scope, () => fn(span));
  } catch (error) {
    failSpan(span, error);
    span.end();
    throw error;
  }
  if (!isPromise(result)) {
    span.end();
    return result;
  }
  const settled = result.catch((error: unknown) => {
    failSpan(span, error);
    throw error;
  });
  return settled.finally(() => span.end()) as T;
}
