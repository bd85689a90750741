import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Arrivals, type Arrived } from './arrivals.ts';

interface Item extends Arrived {
  estimateMs: number;
  beginByMs: number;
}

/** What the tree is to say, by walking over all who came before. */
function naiveSlack(items: readonly Item[], item: Item, ranks: number): number {
  let workMs = 0;
  let slack = Infinity;
  for (const other of items) {
    if (other === item) return slack;
    slack = Math.min(slack, other.beginByMs * ranks - workMs);
    workMs += other.estimateMs;
  }
  return slack;
}

const step = fc.record({
  do: fc.constantFrom('add', 'add', 'add', 'remove', 'change'),
  which: fc.nat(1000),
  // Whole numbers, so that sums are exact in whatever order.
  estimateMs: fc.nat(500),
  beginByMs: fc.oneof(fc.nat(10_000), fc.constant(Infinity)),
  ranks: fc.integer({ min: 1, max: 9 }),
});

test('the least slack before one who waits is what a walk over all before it finds', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const arrivals = new Arrivals<Item>();
      const model: Item[] = [];
      for (const { do: what, which, estimateMs, beginByMs, ranks } of steps) {
        const known = model[which % Math.max(1, model.length)];
        if (what === 'add') {
          const item = { estimateMs, beginByMs };
          model.push(item);
          arrivals.add(item);
        } else if (known !== undefined && what === 'remove') {
          model.splice(model.indexOf(known), 1);
          arrivals.remove(known);
        } else if (known !== undefined) {
          known.estimateMs = estimateMs;
          arrivals.changed(known);
        }
        expect([...arrivals.items()]).toEqual(model);
        expect(arrivals.oldest).toBe(model[0]);
        expect(arrivals.workMs).toBe(model.reduce((sum, item) => sum + item.estimateMs, 0));
        for (const item of [model[which % Math.max(1, model.length)], model.at(-1)]) {
          if (item === undefined) continue;
          expect(arrivals.leastSlackBefore(item, ranks)).toBe(naiveSlack(model, item, ranks));
        }
      }
    }),
  );
});

test('it stays right when it grows and when those who left have to make room', () => {
  const arrivals = new Arrivals<Item>();
  const model: Item[] = [];
  for (let i = 0; i < 2_000; i += 1) {
    const item = { estimateMs: (i * 37) % 101, beginByMs: 50_000 + ((i * 911) % 4_001) };
    model.push(item);
    arrivals.add(item);
    // After the first 500 as many leave as come, from the middle and from the front.
    if (i < 500) continue;
    for (const gone of model.splice(i % 2 === 0 ? 0 : (i * 7) % model.length, 1)) {
      arrivals.remove(gone);
    }
    if (i % 50 > 0) continue;
    for (const at of [0, 1, 250, model.length - 1]) {
      const asked = model[at] as Item;
      expect(arrivals.leastSlackBefore(asked, 3)).toBe(naiveSlack(model, asked, 3));
    }
  }
  expect(arrivals.size).toBe(500);
});

test('nobody is before the first one, and what is not there is neither removed nor changed', () => {
  const arrivals = new Arrivals<Item>();
  const first = { estimateMs: 5, beginByMs: 7 };
  const stranger = { estimateMs: 9, beginByMs: 9 };
  expect(arrivals.oldest).toBeUndefined();
  arrivals.add(first);
  arrivals.remove(stranger);
  arrivals.changed(stranger);
  expect(arrivals.leastSlackBefore(first, 2)).toBe(Infinity);
  expect(arrivals.has(stranger)).toBe(false);
  expect([arrivals.size, arrivals.workMs]).toEqual([1, 5]);
});
