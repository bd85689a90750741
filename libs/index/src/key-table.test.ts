import { keyHex } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BATCH_KEYS, KeyTable } from './key-table.ts';

function viewOf(...words: number[]): DataView {
  const view = new DataView(new ArrayBuffer(words.length * 4));
  words.forEach((word, i) => view.setInt32(i * 4, word, true));
  return view;
}

/** Few different words, so that keys share hashes, parts and slots. */
const word = fc.constantFrom(0, 1, 2, -1, 0x01000000, 0x7fffffff);
const key = fc.tuple(word, word, word, word);

test('a table is a map from keys to ids after any additions and removals', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.boolean()), { maxLength: 200 }), (steps) => {
      const table = new KeyTable(2);
      const naive = new Map<string, number>();
      for (const [words, isAdded] of steps) {
        const view = viewOf(...words);
        const name = words.join();
        const known = naive.get(name) ?? -1;
        expect(table.find(view, 0)).toBe(known);
        if (isAdded) {
          const id = table.add(view, 0);
          if (known < 0) expect([table.get(id, 0), table.get(id, 1)]).toEqual([0, 0]);
          expect(known < 0 || id === known).toBe(true);
          expect([...naive].every(([other, taken]) => other === name || taken !== id)).toBe(true);
          table.set(id, 1, words[0] ^ 77);
          naive.set(name, id);
        } else if (known >= 0) {
          table.remove(known);
          naive.delete(name);
        }
        expect(table.size).toBe(naive.size);
      }
      const asked = [...new Set(steps.map(([words]) => words.join()))].slice(0, BATCH_KEYS);
      const packed = viewOf(...asked.flatMap((name) => name.split(',').map(Number)));
      const ids = table.findMany(packed, 0, asked.length);
      expect([...ids.subarray(0, asked.length)]).toEqual(
        asked.map((name) => naive.get(name) ?? -1),
      );
      for (const [name, id] of naive) {
        const words = name.split(',').map(Number);
        expect(table.find(viewOf(...words), 0)).toBe(id);
        expect(table.get(id, 1)).toBe((words[0] as number) ^ 77);
        expect([0, 1, 2, 3].map((i) => table.word(id, i))).toEqual(words);
      }
    }),
  );
});

test('small numbers as keys are found among a hundred thousand, also after half are gone', () => {
  const table = new KeyTable();
  const at = (i: number): DataView => viewOf(i, 0, 0, 1);
  for (let i = 0; i < 100_000; i += 1) table.add(at(i), 0);
  for (let i = 0; i < 100_000; i += 2) table.remove(table.find(at(i), 0));
  let wrong = 0;
  for (let i = 0; i < 100_000; i += 1) wrong += table.find(at(i), 0) >= 0 === (i % 2 === 1) ? 0 : 1;
  expect(wrong).toBe(0);
  expect(table.size).toBe(50_000);
  for (let i = 0; i < 50_000; i += 1) table.add(viewOf(i, 1, 0, 1), 0);
  expect(table.idLimit).toBe(100_000);
  const bytes = new Uint8Array(16);
  table.write(table.find(at(1), 0), new DataView(bytes.buffer), 0);
  expect(keyHex(bytes)).toBe('01000000000000000000000001000000');
});
