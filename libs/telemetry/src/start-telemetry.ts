import { context, trace } from '@opentelemetry/api';
import type * as Sdk from '@opentelemetry/sdk-trace';
import { samplerFrom } from './sampler.ts';
import { spanProcessors } from './span-processors.ts';

/** The part of a pino logger that telemetry needs. */
export interface TelemetryLog {
  warn(fields: object, message: string): void;
}

export interface TelemetryOptions {
  /** `service.name`, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES names another. */
  serviceName: string;
  /** `service.instance.id`, e.g. the worker's id. Default: the process id. */
  instanceId?: string;
  /** Told about wrong variables and, at most once a minute, about failed exports. */
  log?: TelemetryLog;
  /** Default `process.env`. Exporters read OTEL_EXPORTER_OTLP_… from `process.env` themselves. */
  env?: Readonly<Record<string, string | undefined>>;
}

export interface Telemetry {
  /** Exports what is left, for at most so long; resolves in any case. */
  shutdown(timeoutMs: number): Promise<void>;
}

const FAULT_INTERVAL_MS = 60_000;

let current: { provider: Sdk.TracerProvider | undefined } | undefined;

function reportFaults(log: TelemetryLog | undefined): (fault: unknown) => void {
  let lastAtMs = Number.NEGATIVE_INFINITY;
  return (fault) => {
    if (Date.now() - lastAtMs < FAULT_INTERVAL_MS) return;
    lastAtMs = Date.now();
    const reason = fault instanceof Error ? fault.message : String(fault);
    log?.warn({ event: 'trace_export_failed', reason }, 'traces could not be exported');
  };
}

async function createProvider(options: TelemetryOptions): Promise<Sdk.TracerProvider | undefined> {
  const env = options.env ?? process.env;
  const warn = (message: string): void =>
    options.log?.warn({ event: 'telemetry_setting' }, message);
  const processors = await spanProcessors(env, warn);
  if (processors.length === 0) return undefined;

  const sdk = await import('@opentelemetry/sdk-trace');
  const resources = await import('@opentelemetry/resources');
  const { setGlobalErrorHandler } = await import('@opentelemetry/core');
  setGlobalErrorHandler(reportFaults(options.log));
  const resource = resources
    .defaultResource()
    .merge(
      resources.resourceFromAttributes({
        'service.name': options.serviceName,
        'service.namespace': 'baton',
        'service.instance.id': options.instanceId ?? String(process.pid),
        'process.pid': process.pid,
      }),
    )
    .merge(
      resources.detectResources({
        detectors: [resources.resourceAttributesEnvDetector, resources.serviceNameEnvDetector],
      }),
    );
  return new sdk.TracerProvider({
    resource,
    sampler: samplerFrom(sdk, env, warn),
    spanProcessors: processors,
  });
}

/**
 * Sets up tracing for this process from the standard OTEL_* variables and BATON_TRACE_ENDPOINT. A second call changes
 * nothing. Trace context passes through even when nothing is exported.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  if (current) return { shutdown: shutdownTelemetry };
  const started: { provider: Sdk.TracerProvider | undefined } = { provider: undefined };
  current = started;
  const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  started.provider = await createProvider(options);
  if (started.provider) trace.setGlobalTracerProvider(started.provider);
  return { shutdown: shutdownTelemetry };
}

/** Shuts down what {@link startTelemetry} started; does nothing when there is nothing. */
export async function shutdownTelemetry(timeoutMs: number): Promise<void> {
  const provider = current?.provider;
  current = undefined;
  trace.disable();
  context.disable();
  if (!provider) return;
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)));
  const finished = provider.shutdown().catch(() => undefined);
  await Promise.race([finished, expired]);
  clearTimeout(timer);
}
