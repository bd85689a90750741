import { expect, test } from 'vitest';
import { RetryPace } from './retry-pace.ts';

/** Waits that a peer that fails at once is given. */
function failures(pace: RetryPace, count: number): number[] {
  return Array.from({ length: count }, () => {
    pace.failed();
    return pace.dueInMs;
  });
}

test('tries come ever more slowly, and at once again when a connection has lasted', () => {
  let nowMs = 0;
  const pace = new RetryPace(() => nowMs);
  expect(pace.dueInMs).toBe(0);
  expect(failures(pace, 8)).toEqual([50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
  nowMs += 1_500;
  expect(pace.dueInMs).toBe(500);
  nowMs += 1_500;
  expect(pace.dueInMs).toBe(0);
  pace.up();
  nowMs += 4_000;
  expect(failures(pace, 1)).toEqual([2_000]);
  pace.up();
  nowMs += 5_000;
  expect(failures(pace, 2)).toEqual([50, 100]);
});

test('a connection that we end counts by how long it was', () => {
  let nowMs = 0;
  const pace = new RetryPace(() => nowMs);
  failures(pace, 3);
  pace.up();
  pace.ended();
  nowMs += 10_000;
  expect(pace.dueInMs).toBe(0);
  expect(failures(pace, 1)).toEqual([400]);
  pace.up();
  nowMs += 5_000;
  pace.ended();
  expect(failures(pace, 1)).toEqual([50]);
});
