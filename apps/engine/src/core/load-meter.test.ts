import { expect, test } from 'vitest';
import type { InferenceEvent } from './inference-port.ts';
import { LoadMeter } from './load-meter.ts';

const idle = { running: 0, waiting: 0, pendingPrefillTokens: 0, usedBlocks: 0 };
const pieces = (prefill: number, decode: number) => [
  ...(prefill > 0 ? [{ kind: 'prefill' as const, tokens: { length: prefill } }] : []),
  ...Array.from({ length: decode }, () => ({ kind: 'decode' as const, tokens: { length: 1 } })),
];

function meter() {
  const events: InferenceEvent[] = [];
  const one = new LoadMeter((event) => events.push(event));
  const last = () => {
    const event = events.at(-1);
    return event?.type === 'load' ? event.load : undefined;
  };
  return { one, events, last };
}

test('nothing measured is zero, and rates follow what was measured last', () => {
  const { one, last } = meter();
  one.report(0, true, idle);
  expect(last()).toEqual({
    ...idle,
    prefillTokensPerSec: 0,
    decodeTokensPerSec: 0,
    dramBytesPerSec: 0,
  });
  for (let i = 0; i < 100; i += 1) one.measure(pieces(100, 0), 1000);
  one.report(1, true, idle);
  expect(last()?.prefillTokensPerSec).toBeCloseTo(100);
  for (let i = 0; i < 60; i += 1) one.measure(pieces(300, 0), 1000);
  one.report(2, true, idle);
  expect(last()?.prefillTokensPerSec).toBeGreaterThan(290);
});

test('copies out of the arena have a rate of their own', () => {
  const { one, last } = meter();
  for (let i = 0; i < 5; i += 1) one.imported(2_000_000, 4);
  one.imported(0, 0);
  one.report(0, true, idle);
  expect(last()?.prefillTokensPerSec).toBe(0);
  expect(last()?.dramBytesPerSec).toBeCloseTo(5e8, 0);
});

test('in a mixed step, the time that decoding takes is not charged to the prompt', () => {
  const { one, last } = meter();
  for (let i = 0; i < 20; i += 1) one.measure(pieces(0, 4), 100);
  one.measure(pieces(256, 4), 1100);
  one.report(0, true, idle);
  expect(last()?.decodeTokensPerSec).toBeCloseTo(40);
  expect(last()?.prefillTokensPerSec).toBeCloseTo(256);
});

test('reports come when something changed, not too often, and always at rest', () => {
  const { one, events } = meter();
  one.report(0, false, { ...idle, running: 1 });
  one.report(100, false, { ...idle, running: 2 });
  expect(events).toHaveLength(1);
  one.report(300, false, { ...idle, running: 2 });
  one.report(600, false, { ...idle, running: 2 });
  expect(events).toHaveLength(2);
  one.report(610, true, idle);
  one.report(620, true, idle);
  expect(events).toHaveLength(3);
});
