import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NameTable } from './name-table.ts';

type Name = [number, number, number, number, number];
const word = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 0xffffffff }));
const integers = fc.tuple(word, word, fc.constant(0), fc.constant(0), fc.constant(0));
const names = fc.oneof(integers, fc.tuple(word, word, word, word, fc.nat(16)));
const step = fc.tuple(fc.oneof(names, integers), fc.boolean());

test('it is the set that was asked for, ids are dense and used again', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const table = new NameTable();
      const ids = new Map<string, number>();
      let most = 0;
      for (const [name, isAdded] of steps as [Name, boolean][]) {
        const text = name.join();
        expect(table.find(...name)).toBe(ids.get(text) ?? -1);
        if (isAdded) {
          const isNew = !ids.has(text);
          const id = table.ensure(...name);
          expect(table.wasAdded).toBe(isNew);
          if (!isNew) expect(id).toBe(ids.get(text));
          ids.set(text, id);
        } else {
          const id = ids.get(text);
          if (id !== undefined) table.remove(id);
          ids.delete(text);
        }
        most = Math.max(most, ids.size);
        expect(table.size).toBe(ids.size);
      }
      expect(new Set(ids.values()).size).toBe(ids.size);
      expect(table.idEnd).toBe(most);
      for (const [text, id] of ids) {
        const [a, b, c, d, kind] = text.split(',').map(Number) as Name;
        expect(table.find(a, b, c, d, kind)).toBe(id);
        expect([0, 1, 2, 3].map((i) => table.word(id, i as 0))).toEqual([a, b, c, d]);
        expect(table.kind(id)).toBe(kind);
      }
    }),
  );
});

test('many names survive growth, and removal in another order', () => {
  const table = new NameTable();
  const count = 20_000;
  for (let i = 0; i < count; i += 1) table.ensure(0, i, 0, 0, 0);
  for (let i = 0; i < count; i += 2) table.remove(table.find(0, i, 0, 0, 0));
  for (let i = 0; i < count; i += 1) {
    expect(table.find(0, i, 0, 0, 0) >= 0).toBe(i % 2 === 1);
  }
  expect(table.size).toBe(count / 2);
});
