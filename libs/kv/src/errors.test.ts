import { expect, test } from 'vitest';
import { BatonError, errorEntry, errorRegistry, isErrorCode, toBatonError } from './errors.ts';

test('every code has a sentence, a sane status and a type that fits it', () => {
  for (const [code, entry] of Object.entries(errorRegistry)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(entry.message, code).toMatch(/^[A-Z].*\.$/);
    expect(entry.http, code).toBeGreaterThanOrEqual(400);
    expect(entry.http, code).toBeLessThan(600);
    if (entry.http === 429) expect(entry.retryable, code).toBe(true);
    if (entry.http >= 500) expect(entry.openaiType, code).toBe('server_error');
    if (entry.openaiType === 'invalid_request_error') expect(entry.retryable, code).toBe(false);
  }
});

test('a BatonError takes message and retryable from the registry', () => {
  const error = new BatonError('no_worker');
  expect(error).toMatchObject({ code: 'no_worker', retryable: true, details: {} });
  expect(error.message).toBe(errorRegistry.no_worker.message);
  expect('cause' in error).toBe(false);
});

test('what was caught keeps its cause and its code', () => {
  const cause = new TypeError('x is not a function');
  expect(toBatonError(cause)).toMatchObject({ code: 'internal_error', cause });
  const baton = new BatonError('port_in_use', 'port 80 is in use', { details: { port: 80 } });
  expect(toBatonError(baton, 'config_invalid')).toBe(baton);
  expect(toBatonError('text', 'child_failed').message).toBe('text');
});

test('unknown codes from the wire are internal errors', () => {
  expect(isErrorCode('toString')).toBe(false);
  expect(errorEntry('from_the_future')).toBe(errorRegistry.internal_error);
});
