/**
 * Tracing: spans of the catalogue, W3C context through HTTP, NATS and gRPC, export by OTLP. Metrics of the catalogue
 * as text for Prometheus.
 *
 * Data flow: `startTelemetry` → span processors (standard OTEL_* variables; BATON_TRACE_ENDPOINT as well) → OTLP.
 * `createMetrics` → with a scrape, what the process says of itself → text.
 *
 * - Nothing set: no exporter, no connection, the SDK is not even loaded; context still passes through.
 * - Names and attributes come from one catalogue; values are ids and numbers, never prompts.
 * - Shutdown is bounded by its caller. A collector that is gone is reported once a minute and blocks nothing.
 * - The single packages of the SDK are used, since `@opentelemetry/sdk-node` costs 0.3 s of CPU more per process.
 *
 * @module
 */
export { context, trace, type Context, type Span } from '@opentelemetry/api';
export {
  attributeDefinitions,
  attributes,
  requestSpanName,
  spanDefinitions,
  spans,
  type AttributeDefinition,
  type SpanDefinition,
} from './catalogue.ts';
export { createMetrics, type MetricReport, type Metrics } from './metrics.ts';
export { metricDefinitions } from './metric-catalogue.ts';
export { contextFrom, extractHeaders, injectHeaders, traceparentOf } from './propagation.ts';
export {
  shutdownTelemetry,
  startTelemetry,
  type Telemetry,
  type TelemetryLog,
  type TelemetryOptions,
} from './start-telemetry.ts';
export { failSpan, startSpan, tracer, withSpan, type SpanOptions } from './tracer.ts';
