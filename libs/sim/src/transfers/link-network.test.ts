import { expect, test } from 'vitest';
import { EventQueue } from '../time/event-queue.ts';
import { LinkNetwork, type LinkRate } from './link-network.ts';

/** Rates in bytes per second; ends by name, ms. */
function ends(
  rate: LinkRate,
  flows: [name: string, source: string, destination: string, bytes: number, atMs: number][],
  cancelled?: { name: string; atMs: number },
): Record<string, number> {
  const queue = new EventQueue();
  const network = new LinkNetwork(queue, rate);
  const seen: Record<string, number> = {};
  for (const [name, source, destination, bytes, atMs] of flows) {
    queue.push(atMs, (nowMs) => {
      const flow = network.start(source, destination, bytes, nowMs, (endMs) => {
        seen[name] = Math.round(endMs * 1_000) / 1_000;
      });
      if (name === cancelled?.name)
        queue.push(cancelled.atMs, (endMs) => network.cancel(flow, endMs));
    });
  }
  while (queue.length > 0) queue.runNext();
  expect(network.flows).toBe(0);
  return seen;
}

test('one flow has the whole link', () => {
  expect(ends(() => 1_000, [['a', 'p', 'd', 500, 10]])).toEqual({ a: 510 });
});

test('flows out of one worker, or into one, share it and speed up when others end', () => {
  // Both at 500 until the short one ends at 200; the long one has 400 left at 1,000.
  const expected = { short: 200, long: 600 };
  const out = (to: string[]): ReturnType<typeof ends> =>
    ends(
      () => 1_000,
      [
        ['short', 'p', to[0] ?? '', 100, 0],
        ['long', 'p', to[1] ?? '', 500, 0],
      ],
    );
  expect(out(['d1', 'd2'])).toEqual(expected);
  expect(out(['d1', 'd1'])).toEqual(expected);
  expect(
    ends(
      () => 1_000,
      [
        ['short', 'p1', 'd', 100, 0],
        ['long', 'p2', 'd', 500, 0],
        ['other', 'p3', 'd3', 100, 0],
      ],
    ),
  ).toEqual({ ...expected, other: 100 });
});

test('a flow gets the smaller of its shares at both ends', () => {
  const flows: Parameters<typeof ends>[1] = [
    ['a', 'p1', 'd1', 100, 0],
    ['b', 'p1', 'd2', 100, 0],
    ['c', 'p2', 'd2', 100, 0],
    ['d', 'p3', 'd2', 100, 0],
  ];
  // b has a third at d2, a a half at p1.
  expect(ends(() => 1_000, flows)).toEqual({ a: 200, b: 300, c: 300, d: 300 });
});

test('each pair may have its own rate, and Infinity takes no time', () => {
  const rate: LinkRate = (source, destination) =>
    source === 'far' || destination === 'far' ? 100 : Infinity;
  expect(
    ends(rate, [
      ['near', 'a', 'b', 1e12, 7],
      ['far', 'a', 'far', 10, 7],
    ]),
  ).toEqual({ near: 7, far: 107 });
});

test('a flow that is cancelled leaves its share to the others and never ends', () => {
  expect(
    ends(
      () => 1_000,
      [
        ['a', 'p', 'd', 500, 0],
        ['b', 'p', 'd', 500, 0],
      ],
      { name: 'a', atMs: 200 },
    ),
  ).toEqual({ b: 600 });
});
