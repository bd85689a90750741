import type { SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';

/** So that a person who asks for the last trace right after the answer sees it. */
const LOCAL_DELAY_MS = 200;
const LOCAL_EXPORT_TIMEOUT_MS = 2_000;

type Env = Readonly<Record<string, string | undefined>>;
type Warn = (message: string) => void;

const text = (env: Env, name: string): string | undefined => env[name]?.trim() || undefined;

function positive(env: Env, name: string, warn: Warn): number | undefined {
  const given = text(env, name);
  if (given === undefined) return undefined;
  const value = Number(given);
  if (Number.isFinite(value) && value > 0) return value;
  warn(`${name} must be a number above 0, "${given}" is ignored`);
  return undefined;
}

async function otlpExporter(env: Env, warn: Warn): Promise<SpanExporter> {
  const protocol =
    text(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ??
    text(env, 'OTEL_EXPORTER_OTLP_PROTOCOL') ??
    'http/protobuf';
  switch (protocol) {
    case 'grpc':
      return new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter();
    case 'http/json':
      return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter();
    default:
      if (protocol !== 'http/protobuf') {
        warn(`OTEL_EXPORTER_OTLP_PROTOCOL "${protocol}" is not known; http/protobuf is used`);
      }
      return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter();
  }
}

/** Where traces go by the standard variables: OTLP only when an endpoint or OTEL_TRACES_EXPORTER asks for it. */
function exporterNames(env: Env): string[] {
  const named = text(env, 'OTEL_TRACES_EXPORTER');
  if (named) return [...new Set(named.split(',').map((name) => name.trim()))];
  const endpoint =
    text(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? text(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  return endpoint ? ['otlp'] : [];
}

async function standardProcessors(env: Env, warn: Warn): Promise<SpanProcessor[]> {
  const names = exporterNames(env);
  if (names.length === 0 || names.includes('none')) return [];
  const sdk = await import('@opentelemetry/sdk-trace');
  const processors: SpanProcessor[] = [];
  for (const name of names) {
    if (name === 'console') {
      const exporter = new sdk.ConsoleSpanExporter();
      processors.push(new sdk.SimpleSpanProcessor({ exporter }));
    } else if (name === 'otlp') {
      const delay = positive(env, 'OTEL_BSP_SCHEDULE_DELAY', warn);
      const queue = positive(env, 'OTEL_BSP_MAX_QUEUE_SIZE', warn);
      const batch = positive(env, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', warn);
      const timeout = positive(env, 'OTEL_BSP_EXPORT_TIMEOUT', warn);
      processors.push(
        new sdk.BatchSpanProcessor({
          exporter: await otlpExporter(env, warn),
          ...(delay !== undefined && { scheduledDelayMillis: delay }),
          ...(queue !== undefined && { maxQueueSize: queue }),
          ...(batch !== undefined && { maxExportBatchSize: batch }),
          ...(timeout !== undefined && { exportTimeoutMillis: timeout }),
        }),
      );
    } else warn(`OTEL_TRACES_EXPORTER "${name}" is not known; known are otlp, console and none`);
  }
  return processors;
}

/** The collector that `npm start` runs itself. */
async function localProcessor(env: Env): Promise<SpanProcessor[]> {
  const url = text(env, 'BATON_TRACE_ENDPOINT');
  if (!url) return [];
  const sdk = await import('@opentelemetry/sdk-trace');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { CompressionAlgorithm } = await import('@opentelemetry/otlp-exporter-base');
  const exporter = new OTLPTraceExporter({
    url,
    compression: CompressionAlgorithm.NONE,
    timeoutMillis: LOCAL_EXPORT_TIMEOUT_MS,
  });
  return [
    new sdk.BatchSpanProcessor({
      exporter,
      scheduledDelayMillis: LOCAL_DELAY_MS,
      exportTimeoutMillis: LOCAL_EXPORT_TIMEOUT_MS,
    }),
  ];
}

/** Nothing set → no processor, no connection, no SDK loaded. */
export async function spanProcessors(env: Env, warn: Warn): Promise<SpanProcessor[]> {
  if (text(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return [];
  return [...(await standardProcessors(env, warn)), ...(await localProcessor(env))];
}
