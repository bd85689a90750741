import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArrivalOrder, type Place } from './arrival-order.ts';

const limits = { maxPlaces: 100, maxHeldChars: 1_000, maxHoldMs: 1_000 };
const lines = (order: ArrivalOrder, nowMs: number): string[] =>
  order.due(nowMs).map(({ line, isCut }) => (isCut ? `${line}, cut` : line));

test('a line waits for those before it', () => {
  const order = new ArrivalOrder(limits);
  const first = order.arrive(0, () => 'first');
  const second = order.arrive(1, () => 'second');
  const third = order.arrive(2, () => 'third');
  order.end(third);
  order.end(second);
  expect(lines(order, 10)).toEqual([]);
  order.end(first);
  expect(lines(order, 11)).toEqual(['first', 'second', 'third']);
  expect(order.length).toBe(0);
});

test('who has no line holds nobody up and leaves no trace', () => {
  const order = new ArrivalOrder(limits);
  const first = order.arrive(0, () => undefined);
  order.end(order.arrive(1, () => 'second'));
  order.end(first);
  expect(lines(order, 2)).toEqual(['second']);
});

test('who runs too long is given up as it stands, and ends in vain', () => {
  const order = new ArrivalOrder(limits);
  let tokens = 3;
  const long = order.arrive(0, () => `long ${tokens}`);
  order.end(order.arrive(5, () => 'short'));
  const open = order.arrive(6, () => 'open');
  expect(lines(order, 999)).toEqual([]);
  tokens = 7;
  expect(lines(order, 1_000)).toEqual(['long 7, cut', 'short']);
  tokens = 9;
  order.end(long);
  order.end(open);
  expect(lines(order, 1_001)).toEqual(['open']);
});

test('too many places, and too much that waits, end the waiting from the front', () => {
  const many = new ArrivalOrder({ ...limits, maxPlaces: 2 });
  for (const name of ['a', 'b', 'c', 'd']) many.arrive(0, () => name);
  expect(lines(many, 0)).toEqual(['a, cut', 'b, cut']);

  const much = new ArrivalOrder({ ...limits, maxHeldChars: 10 });
  much.arrive(0, () => 'open');
  much.end(much.arrive(0, () => '12345'));
  const next = much.arrive(0, () => 'next');
  much.end(much.arrive(0, () => '12345'));
  expect(lines(much, 0)).toEqual([]);
  much.end(much.arrive(0, () => '1'));
  // With the first two written, the rest has room.
  expect(lines(much, 0)).toEqual(['open, cut', '12345']);
  much.end(next);
  expect(lines(much, 0)).toEqual(['next', '12345', '1']);
});

test('what a line is made of is let go of with the end of its request', () => {
  const order = new ArrivalOrder(limits);
  order.arrive(0, () => 'open');
  let asked = 0;
  const place = order.arrive(1, () => `asked ${(asked += 1)}`);
  order.end(place);
  order.end(place);
  expect(lines(order, 2_000)).toEqual(['open, cut', 'asked 1']);
  order.end(place);
  expect(asked).toBe(1);
});

test('whatever comes and ends when: in order, each once, and never more held than allowed', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('arrive' as const), chars: fc.integer({ min: 0, max: 400 }) }),
    fc.record({ kind: fc.constant('end' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 400 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const order = new ArrivalOrder({ ...limits, maxPlaces: 20 });
      const open: { id: number; place: Place }[] = [];
      const given: number[] = [];
      const chars = new Map<number, number>();
      let nowMs = 0;
      let arrived = 0;
      const take = (): void => {
        for (const { line, atMs } of order.due(nowMs)) {
          expect(nowMs - atMs).toBeLessThanOrEqual(limits.maxHoldMs + 400);
          given.push(Number(line.split(' ')[0]));
        }
        const waiting = [...chars].filter(([id]) => !given.includes(id));
        const ended = waiting.filter(([id]) => !open.some((one) => one.id === id));
        const held = ended.reduce((sum, [, size]) => sum + size, 0);
        expect(held).toBeLessThanOrEqual(limits.maxHeldChars);
        expect(order.length).toBeLessThanOrEqual(20);
        expect(order.length).toBe(waiting.length);
      };
      for (const one of steps) {
        if (one.kind === 'arrive') {
          const id = arrived++;
          const line = `${id} `.padEnd(one.chars, '.');
          chars.set(id, line.length);
          open.push({ id, place: order.arrive(nowMs, () => line) });
        } else if (one.kind === 'end' && open.length > 0) {
          const [ended] = open.splice(one.which % open.length, 1);
          if (ended !== undefined) order.end(ended.place);
        } else if (one.kind === 'wait') nowMs += one.ms;
        take();
      }
      nowMs = Infinity;
      given.push(...order.due(nowMs).map(({ line }) => Number(line.split(' ')[0])));
      expect(given).toEqual(Array.from({ length: arrived }, (_, i) => i));
    }),
  );
});
