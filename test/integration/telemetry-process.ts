// Child process of telemetry.test.ts: one trace, then shutdown. Prints what the test asks about as JSON.
// Arguments: traceparent of a parent or an empty string, limit of the shutdown in ms.
import {
  contextFrom,
  injectHeaders,
  requestSpanName,
  shutdownTelemetry,
  spans,
  startSpan,
  startTelemetry,
  traceparentOf,
  withSpan,
} from '@baton/telemetry';

const warnings: string[] = [];
await startTelemetry({
  serviceName: 'gateway',
  instanceId: 'gateway-7',
  log: { warn: (_fields, message) => void warnings.push(message) },
});
const headers = await withSpan(
  requestSpanName('chat', 'tiny'),
  {
    kind: 'server',
    ...(process.argv[2] && { parent: process.argv[2] }),
    attributes: { 'gen_ai.request.model': 'tiny', 'baton.bytes': 123456789012 },
  },
  async (root) => {
    await withSpan(spans.tokenize, { kind: 'client' }, () => Promise.resolve());
    startSpan(spans.plan, { parent: traceparentOf(root) }).end();
    await withSpan(spans.legPrefill, { kind: 'client' }, () => {
      const fault = Object.assign(new Error('gone'), { code: 'worker_unreachable' });
      return Promise.reject(fault);
    }).catch(() => undefined);
    return injectHeaders({});
  },
);
const passedThrough = traceparentOf(contextFrom(process.argv[2]));
const startedAtMs = performance.now();
await shutdownTelemetry(Number(process.argv[3]));
const shutdownMs = performance.now() - startedAtMs;
console.log(JSON.stringify({ headers, passedThrough, warnings, shutdownMs }));
process.exit(0);
