import { expect, onTestFinished, test, vi } from 'vitest';
import { context, trace, type Span } from '@baton/telemetry';
import type { AcceptedRequest } from './intake/accept-request.ts';
import { startRecord } from './request-record.ts';
import { startRequestSpan } from './request-span.ts';

test('the span of a request begins when the request came, as its time to the first token does', () => {
  const none = trace.getTracer('none').startSpan('none');
  const startSpan = vi.fn<(name: string, settings: { startTime?: number }) => Span>(() => none);
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan: vi.fn() }) });
  onTestFinished(() => trace.disable());
  const record = startRecord('r', performance.now() - 90);
  const request = { api: 'chat', model: 'tiny', stream: false, body: {} } as AcceptedRequest;
  startRequestSpan(request, record, context.active());
  const began = startSpan.mock.lastCall?.[1].startTime ?? 0;
  expect(Date.now() - began).toBeGreaterThanOrEqual(89);
  expect(Date.now() - began).toBeLessThan(5_000);
});
