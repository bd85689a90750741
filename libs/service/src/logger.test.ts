import { context, contextFrom, shutdownTelemetry, startTelemetry } from '@baton/telemetry';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from './index.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

beforeAll(() => startTelemetry({ serviceName: 'test', env: {} }));
afterAll(() => shutdownTelemetry(0));

function lines(level: string): { log: ReturnType<typeof createLogger>; written: object[] } {
  const written: object[] = [];
  const write = (text: string): void => void written.push(JSON.parse(text) as object);
  return { log: createLogger({ name: 'gateway', level, destination: { write } }), written };
}

test('a line has level, time, service, event and the active trace', () => {
  const { log, written } = lines('info');
  log.debug({ event: 'quiet' }, 'below the level');
  log.info({ event: 'request' }, 'outside of a trace');
  context.with(contextFrom(`00-${TRACE}-${SPAN}-01`), () => log.warn({ event: 'slow' }, 'inside'));
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
  const base = { service: 'gateway', pid: process.pid, time };
  expect(written).toEqual([
    { ...base, level: 'info', event: 'request', msg: 'outside of a trace' },
    { ...base, level: 'warn', event: 'slow', msg: 'inside', traceId: TRACE, spanId: SPAN },
  ]);
});

test('an unknown level is a bad configuration', () => {
  expect(() => lines('loud')).toThrow(/BATON_LOG_LEVEL.*"loud"/);
});
