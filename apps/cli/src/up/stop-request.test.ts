import { expect, it } from 'vitest';
import { StopRequest } from './stop-request.ts';

it('takes two within a quarter of a second as one, and a later one as the order to kill', () => {
  const stop = new StopRequest();
  expect(stop.signal.aborted).toBe(false);
  stop.request('SIGINT', 1000);
  expect(stop.signal.aborted).toBe(true);
  stop.request('SIGTERM', 1200);
  expect(stop.atOnce.aborted).toBe(false);
  stop.request('SIGINT', 1300);
  expect(stop.atOnce.aborted).toBe(true);
  expect(stop.cause).toBe('SIGINT');
});
