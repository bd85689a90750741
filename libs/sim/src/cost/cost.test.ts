import { expect, test } from 'vitest';
import { a800 } from './a800.ts';
import { dynamo } from './dynamo.ts';

test('A800: a prompt of 12,035 tokens takes 1.44 s, and a prefix saves what it would have cost', () => {
  const cost = a800();
  expect(cost.prefillMs(12_035, 0)).toBeCloseTo(1_443.6, 0);
  expect(cost.prefillMs(4_035, 8_000)).toBeCloseTo(
    cost.prefillMs(12_035, 0) - cost.prefillMs(8_000, 0),
    6,
  );
  expect(a800({ mfu: 0.25 }).prefillMs(1_000, 0)).toBeCloseTo(2 * cost.prefillMs(1_000, 0), 6);
  // 140 GB of weights and 100,000 tokens of 320 KiB at 9.6 TB/s.
  const batch = { sequences: 10, kvTokens: 100_000, kvCapacityTokens: 1e6 };
  expect(cost.decodeStepMs(batch)).toBeCloseTo(14.583 + 3.413, 2);
});

test('Dynamo: a step of 1,000 tokens takes 32.1 ms, a decode step at half the cache 26.3 ms', () => {
  expect(dynamo.prefillMs(1_000, 0)).toBeCloseTo(32.106, 3);
  expect(dynamo.prefillMs(1_000, 50_000)).toBe(dynamo.prefillMs(1_000, 0));
  const batch = { sequences: 3, kvTokens: 500, kvCapacityTokens: 1_000 };
  expect(dynamo.decodeStepMs(batch)).toBeCloseTo(26.31, 2);
});

test('pieces of several prompts in one step: the A800 adds them up, Dynamo counts their tokens together', () => {
  const pieces = [
    { newTokens: 400, contextTokens: 1_000, isFirst: false },
    { newTokens: 600, contextTokens: 0, isFirst: true },
  ];
  const cost = a800();
  expect(cost.prefillStepMs(pieces)).toBe(cost.prefillMs(400, 1_000) + cost.prefillMs(600, 0));
  expect(dynamo.prefillStepMs(pieces)).toBe(dynamo.prefillMs(1_000, 0));
});
