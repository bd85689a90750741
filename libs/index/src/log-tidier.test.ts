import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { Holder } from './holder.ts';
import { LogTidier } from './log-tidier.ts';

const SEGMENTS = 20_000;

function setUp() {
  const held = new Set<number>();
  let asked = 0;
  const tidier = new LogTidier((segment) => {
    asked += 1;
    return held.has(segment);
  });
  const store = (holder: Holder, segment: number): void => {
    held.add(segment);
    holder.append(segment);
  };
  return { held, tidier, store, asked: () => asked };
}

const newHolder = (id: number): Holder => new Holder(id, 0, Tier.HBM, 'kv', 'live');

function logOf(holder: Holder): number[] {
  const log: number[] = [];
  holder.each((segment) => log.push(segment));
  return log;
}

test('a log of any length is tidied a few entries at a time, and what comes meanwhile stays', () => {
  const { held, tidier, store, asked } = setUp();
  const holder = newHolder(1);
  for (let round = 0; round < 3; round += 1) {
    for (let segment = 0; segment < SEGMENTS; segment += 1) store(holder, segment);
  }
  for (let segment = 0; segment < SEGMENTS; segment += 2) held.delete(segment);
  tidier.add(holder);
  let steps = 0;
  for (let next = SEGMENTS; holder.logged > held.size; next += 1) {
    if (next < 2 * SEGMENTS) store(holder, next);
    const before = asked();
    tidier.step(4, 2 * SEGMENTS);
    expect(asked() - before).toBeLessThanOrEqual(4);
    steps += 1;
  }
  expect(steps).toBe((3 * SEGMENTS) / 4);
  expect(logOf(holder).sort((a, b) => a - b)).toEqual([...held].sort((a, b) => a - b));
  tidier.step(100, 2 * SEGMENTS);
  expect(holder.logged).toBe(held.size);
});

test('one holder after the other; one that leaves is left alone', () => {
  const { held, tidier, store } = setUp();
  const holders = [newHolder(1), newHolder(2), newHolder(3)] as const;
  for (const holder of holders) {
    for (let segment = 0; segment < 100; segment += 1) store(holder, segment);
    tidier.add(holder);
  }
  for (let segment = 10; segment < 100; segment += 1) held.delete(segment);
  tidier.step(50, 100);
  holders[0].state = 'leaving';
  holders[1].state = 'leaving';
  tidier.step(1000, 100);
  expect(holders.map(({ logged }) => logged)).toEqual([60, 100, 10]);
});
