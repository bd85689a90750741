import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Heap } from './heap.ts';

interface Item {
  value: number;
}

const isBefore = (a: Item, b: Item): boolean => a.value < b.value;
const valuesOf = (items: readonly Item[]): number[] => items.map(({ value }) => value);
const sorted = (items: readonly Item[]): number[] => valuesOf(items).sort((a, b) => a - b);

const step = fc.record({
  do: fc.constantFrom('add', 'add', 'add', 'remove', 'change'),
  which: fc.nat(100),
  value: fc.integer({ min: -20, max: 20 }),
});

test('it is a sorted array, whatever is added, removed and changed', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), fc.nat(12), (steps, count) => {
      const heap = new Heap<Item>(isBefore);
      const model: Item[] = [];
      for (const { do: what, which, value } of steps) {
        const known = model[which % Math.max(1, model.length)];
        if (what === 'add') {
          const item = { value };
          model.push(item);
          heap.add(item);
        } else if (known !== undefined && what === 'remove') {
          model.splice(model.indexOf(known), 1);
          heap.remove(known);
        } else if (known !== undefined) {
          known.value = value;
          heap.moved(known);
        }
        expect(heap.size).toBe(model.length);
        expect(heap.first?.value).toBe(sorted(model)[0]);
        const least = heap.least(count);
        expect(valuesOf(least)).toEqual(sorted(model).slice(0, count));
        expect(new Set(least).size).toBe(least.length);
      }
    }),
  );
});

test('what is not in it is neither removed nor moved', () => {
  const heap = new Heap<Item>(isBefore);
  heap.add({ value: 2 });
  heap.remove({ value: 2 });
  heap.moved({ value: 1 });
  expect(valuesOf(heap.least(5))).toEqual([2]);
});

test('adding, removing and changing take a number of comparisons that grows like log n', () => {
  const comparisonsPerStep = (size: number): number => {
    let comparisons = 0;
    const heap = new Heap<Item>((a, b) => {
      comparisons += 1;
      return isBefore(a, b);
    });
    const items = Array.from({ length: size }, (_, i) => ({ value: (i * 7919) % size }));
    for (const item of items) heap.add(item);
    comparisons = 0;
    for (let i = 0; i < 300; i += 1) {
      const item = items[(i * 104_729) % size] as Item;
      item.value = (item.value * 31 + 17) % size;
      heap.moved(item);
      heap.remove(item);
      heap.add(item);
      heap.least(8);
    }
    return comparisons / 300;
  };
  expect(comparisonsPerStep(10_000)).toBeLessThan(comparisonsPerStep(10) + 6 * Math.log2(1_000));
});
