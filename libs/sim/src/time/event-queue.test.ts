import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventQueue } from './event-queue.ts';

test('events come by time, and of equal times in the order in which they were put in', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (times) => {
      const queue = new EventQueue();
      const seen: [number, number][] = [];
      times.forEach((atMs, i) => queue.push(atMs, (nowMs) => seen.push([nowMs, i])));
      while (queue.length > 0) queue.runNext();
      const expected = times.map((atMs, i): [number, number] => [atMs, i]);
      expect(seen).toEqual(expected.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
    }),
  );
});

test('an event may put in others, and the next time is known', () => {
  const queue = new EventQueue();
  const seen: string[] = [];
  queue.push(5, (nowMs) => {
    seen.push('first');
    queue.push(nowMs + 1, () => seen.push('third'));
    queue.push(nowMs, () => seen.push('second'));
  });
  expect(queue.nextMs).toBe(5);
  while (queue.length > 0) queue.runNext();
  expect(seen).toEqual(['first', 'second', 'third']);
  expect(queue.nextMs).toBe(Infinity);
  queue.runNext();
  expect(() => queue.push(NaN, () => undefined)).toThrow(RangeError);
});
