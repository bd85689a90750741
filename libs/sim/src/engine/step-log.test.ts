import { expect, test } from 'vitest';
import { StepLog } from './step-log.ts';

test('ends of steps are known as far back as they are needed', () => {
  const log = new StepLog();
  for (let step = 1; step <= 50_000; step += 1) {
    log.add(step * 10, () => Math.max(1, step - 500));
    expect(log.steps).toBe(step);
    if (step > 500) expect(log.endMs(step - 500)).toBe((step - 500) * 10);
  }
  expect(log.endMs(1)).toBeNaN();
});

test('nothing is forgotten while the first step is needed', () => {
  const log = new StepLog();
  for (let step = 1; step <= 5_000; step += 1) log.add(step, () => 1);
  expect(log.endMs(1)).toBe(1);
  expect(log.endMs(5_000)).toBe(5_000);
});
