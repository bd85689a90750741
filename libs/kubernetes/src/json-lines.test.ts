import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonLines } from './json-lines.ts';

async function* pieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let i = 0; at < bytes.length; i += 1) {
    const end = at + (sizes[i % sizes.length] ?? 1);
    yield bytes.subarray(at, end);
    at = end;
    await Promise.resolve();
  }
}

const read = async (text: string, sizes: readonly number[], maxChars = 1_000) => {
  const values: unknown[] = [];
  for await (const value of jsonLines(pieces(Buffer.from(text), sizes), maxChars))
    values.push(value);
  return values;
};

test('lines come out whole, however they were cut on the way; what was cut off is left out', async () => {
  const line = fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 20 }) });
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(line), cuts, async (values, sizes) => {
      const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
      expect(await read(`${text}\n{"cut":`, sizes)).toEqual(values);
    }),
  );
});

test('what is no JSON, and a line without an end, are faults', async () => {
  await expect(read('{"a":1}\n{"b"\n', [4])).rejects.toThrow(SyntaxError);
  await expect(read('x'.repeat(5_000), [100])).rejects.toThrow('more than 1000 characters');
});
