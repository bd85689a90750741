import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { spansFromProtobuf, spanTrees, startOtlpReceiver } from '@baton/test-kit';
import type { OtlpReceiver, ReceivedSpan } from '@baton/test-kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const script = fileURLToPath(new URL('./telemetry-process.ts', import.meta.url));
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

interface Output {
  headers: { traceparent?: string };
  passedThrough: string;
  warnings: string[];
  shutdownMs: number;
}

/** Longer than any export needs, also on a busy machine. */
const SHUTDOWN_MS = 30_000;

async function run(
  env: Record<string, string>,
  parent = '',
  shutdownMs = SHUTDOWN_MS,
): Promise<Output> {
  const argv = [script, parent, String(shutdownMs)];
  const { stdout } = await promisify(execFile)(process.execPath, argv, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Output;
}

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(() => receiver.close());

describe('export', () => {
  test.each([
    ['http/protobuf by default', {}, 'application/x-protobuf'],
    ['http/json', { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'application/json'],
    ['gzip', { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }, 'application/x-protobuf'],
  ])('%s', async (_name, env, contentType) => {
    await run({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, ...env });
    expect(new Set(receiver.contentTypes)).toEqual(new Set([contentType]));
    const { roots, orphans } = spanTrees(receiver.spans);
    expect(orphans).toEqual([]);
    expect(roots).toHaveLength(1);
    const root = roots[0];
    expect(root?.span).toMatchObject({ name: 'chat tiny', kind: 2, service: 'gateway' });
    expect(root?.span.attributes).toEqual({
      'gen_ai.request.model': 'tiny',
      'baton.bytes': 123456789012,
    });
    expect(root?.span.resource).toMatchObject({
      'service.namespace': 'baton',
      'service.instance.id': 'gateway-7',
    });
    expect(root?.children.map((child) => child.span.name).sort()).toEqual([
      'leg.prefill',
      'plan',
      'tokenize',
    ]);
    const failed = root?.children.find((child) => child.span.name === 'leg.prefill')?.span;
    expect(failed).toMatchObject({
      statusCode: 2,
      attributes: { 'error.type': 'worker_unreachable' },
    });
  });

  test('BATON_TRACE_ENDPOINT gets JSON, uncompressed, besides the standard endpoint', async () => {
    const standard = await startOtlpReceiver();
    await run({
      BATON_TRACE_ENDPOINT: receiver.tracesEndpoint,
      OTEL_EXPORTER_OTLP_ENDPOINT: standard.endpoint,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    });
    expect(receiver.contentTypes).toContain('application/json');
    expect(receiver.headers[0]?.['content-encoding']).toBeUndefined();
    expect(receiver.spans.map((span) => span.spanId).sort()).toEqual(
      standard.spans.map((span) => span.spanId).sort(),
    );
    expect(receiver.spans).toHaveLength(4);
    await standard.close();
  });

  test('grpc', async () => {
    const received: ReceivedSpan[] = [];
    const server = new Server();
    const bytes = (value: Buffer): Buffer => value;
    const method = {
      path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
      requestStream: false,
      responseStream: false,
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    };
    server.addService(
      { export: method },
      {
        export: (call: { request: Buffer }, answer: (error: null, value: Buffer) => void): void => {
          received.push(...spansFromProtobuf(call.request));
          answer(null, Buffer.alloc(0));
        },
      },
    );
    const port = await promisify(server.bindAsync.bind(server))(
      '127.0.0.1:0',
      ServerCredentials.createInsecure(),
    );
    await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    });
    expect(received).toHaveLength(4);
    server.forceShutdown();
  });

  test('traces endpoint, service name, resource attributes and headers of the standard variables', async () => {
    await run({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.tracesEndpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=abc',
      OTEL_SERVICE_NAME: 'renamed',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=lab',
    });
    expect(receiver.spans[0]?.resource).toMatchObject({
      'service.name': 'renamed',
      'deployment.environment.name': 'lab',
    });
    expect(receiver.headers[0]?.['x-key']).toBe('abc');
  });

  test.each([
    [{ OTEL_SDK_DISABLED: 'true' }],
    [{ OTEL_TRACES_EXPORTER: 'none' }],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }],
  ])('%j exports nothing', async (env) => {
    await run({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, ...env });
    expect(receiver.spans).toEqual([]);
  });

  test('a parent from outside is continued, and its sampling decision kept', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
    const { headers } = await run(env, TRACEPARENT);
    const root = receiver.spans.find((span) => span.name === 'chat tiny');
    expect(root).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
    });
    expect(headers.traceparent).toBe(`00-${root?.traceId}-${root?.spanId}-01`);
    const before = receiver.spans.length;
    await run(env, TRACEPARENT.replace(/01$/, '00'));
    expect(receiver.spans).toHaveLength(before);
  });
});

test('nothing set: nothing is recorded, context passes through', async () => {
  const output = await run({}, TRACEPARENT);
  expect(output).toMatchObject({
    passedThrough: TRACEPARENT,
    headers: { traceparent: TRACEPARENT },
  });
});

test('wrong settings are named and do not stop the process', async () => {
  const { warnings } = await run({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'carrier-pigeon',
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_BSP_SCHEDULE_DELAY: 'soon',
  });
  expect(warnings.join('\n')).toMatch(
    /PROTOCOL.*carrier-pigeon[^]*SAMPLER|SAMPLER[^]*carrier-pigeon/,
  );
  expect(warnings.join('\n')).toContain('OTEL_BSP_SCHEDULE_DELAY');
  expect(receiver.spans).toHaveLength(4);
});

test('a collector that accepts and never answers does not hold the shutdown', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined)).listen(
    0,
    '127.0.0.1',
  );
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
  const { shutdownMs } = await run(env, '', 500);
  // The exporter alone would wait 10 s for an answer.
  expect(shutdownMs).toBeLessThan(9_000);
  silent.close();
});
