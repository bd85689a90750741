import { expect, onTestFinished, test } from 'vitest';
import { Standstills } from './standstills.ts';

test('a standstill is told to whoever waited meanwhile, and to nobody else', () => {
  let nowMs = 1_000;
  const standstills = new Standstills(() => nowMs);
  onTestFinished(() => standstills.close());
  const before = standstills.from();
  nowMs += 15_000;
  expect(before()).toBe(false);
  nowMs += 15_001;
  const after = standstills.from();
  expect([before(), after()]).toEqual([true, false]);
  nowMs += 10_000;
  expect([before(), after()]).toEqual([true, false]);
});
