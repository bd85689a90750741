import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LruList } from './lru-list.ts';

test('it is what an array in order of use is', () => {
  const action = fc.record({
    kind: fc.constantFrom('touch', 'touch', 'remove', 'oldest'),
    number: fc.integer({ min: 0, max: 8 }),
  });
  fc.assert(
    fc.property(fc.array(action), (actions) => {
      const list = new LruList();
      let model: number[] = [];
      for (const { kind, number } of actions) {
        const isThere = model.includes(number);
        if (kind === 'oldest') expect(list.takeOldest()).toBe(model.shift());
        else {
          model = model.filter((one) => one !== number);
          if (kind === 'touch') model.push(number);
          expect(kind === 'touch' ? !list.touch(number) : list.remove(number)).toBe(isThere);
        }
        expect(list.size).toBe(model.length);
        expect(list.has(number)).toBe(model.includes(number));
        expect([...list.values()].sort()).toEqual([...model].sort());
      }
    }),
  );
});

test('it grows, and its places are used again', () => {
  const list = new LruList();
  for (let i = 0; i < 10_000; i += 1) {
    list.touch(i);
    if (list.size > 3_000) expect(list.takeOldest()).toBe(i - 3_000);
  }
  expect(list.size).toBe(3_000);
});
