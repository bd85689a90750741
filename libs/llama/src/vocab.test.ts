import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { LlamaModel } from './model.ts';
import { tinyModelTokens, writeTinyModel } from './tiny-model.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'baton-vocab-'));
const file = path.join(folder, 'tiny.gguf');
writeTinyModel(file);
const model = new LlamaModel(file, { vocabOnly: true });
const { vocab } = model;
afterAll(() => {
  model.close();
  rmSync(folder, { recursive: true });
});

const plain = { addSpecial: false, parseSpecial: false };
const textOf = (tokens: ArrayLike<number>, special = false): string =>
  Buffer.from(vocab.detokenize(tokens, special)).toString();

test('any text survives tokenizing and back, NUL and broken surrogates included', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    fc.constant('a\0b\0'),
  );
  fc.assert(
    fc.property(text, (input) => {
      // libllama writes a blank for the character that stands for one in its vocabulary.
      const expected = input.toWellFormed().replaceAll('▁', ' ');
      expect(textOf(vocab.tokenize(input, plain))).toBe(expected);
    }),
    { numRuns: 300 },
  );
});

test('a text of a quarter of a million characters is one call', () => {
  const text = 'the cat sat, and the dog '.repeat(10_000);
  expect(textOf(vocab.tokenize(text, plain))).toBe(text);
});

test('special tokens are read and written only when that is asked for', () => {
  const text = '<|im_start|>user\nhi<|im_end|>';
  const parsed = vocab.tokenize(text, { addSpecial: true, parseSpecial: true });
  expect(parsed[0]).toBe(tinyModelTokens.bos);
  expect(parsed[1]).toBe(tinyModelTokens.imStart);
  expect(parsed.at(-1)).toBe(tinyModelTokens.imEnd);
  expect(textOf(parsed)).toBe('user\nhi');
  expect(textOf(parsed, true)).toBe(`<s>${text}`);
  const read = vocab.tokenize(text, plain);
  expect([...read]).not.toContain(tinyModelTokens.imStart);
  expect(textOf(read)).toBe(text);
});

test('an empty text has no tokens, or only the first', () => {
  expect([...vocab.tokenize('', plain)]).toEqual([]);
  expect([...vocab.tokenize('', { addSpecial: true, parseSpecial: true })]).toEqual([
    tinyModelTokens.bos,
  ]);
});

test('the ends of a generation are known', () => {
  const ends = Array.from({ length: vocab.size }, (_, token) => token).filter((token) =>
    vocab.isEndOfGeneration(token),
  );
  expect(ends).toEqual([tinyModelTokens.eos, tinyModelTokens.imEnd]);
});

test('a token that the model does not have is refused, not looked up', () => {
  for (const token of [-1, vocab.size, 2 ** 31, 1.5, Number.NaN]) {
    expect(() => vocab.tokenBytes(token)).toThrow(`The model has no token ${token}`);
    expect(vocab.isEndOfGeneration(token)).toBe(false);
  }
});
