import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readGgufHeader } from './gguf-header.ts';
import { LlamaModel } from './model.ts';
import { writeTinyModel } from './tiny-model.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'baton-gguf-'));
const good = path.join(folder, 'good.gguf');
const bad = path.join(folder, 'bad.gguf');
let bytes: Buffer;

beforeAll(() => {
  writeTinyModel(good);
  bytes = readFileSync(good);
});
afterAll(() => rmSync(folder, { recursive: true }));

const damaged = expect.objectContaining({
  code: 'model_file_damaged',
  message: expect.stringContaining(bad) as string,
});

test('the header tells metadata and the two identities', () => {
  const header = readGgufHeader(good);
  expect(header.metadata.get('general.architecture')).toBe('llama');
  expect(header.metadata.get('llama.context_length')).toBe(8192);
  expect(header.modelRevision).toMatch(/^[0-9a-f]{32}$/);
});

test('other weights are another revision of the same tokenization', () => {
  const other = path.join(folder, 'other.gguf');
  writeTinyModel(other, { seed: 2 });
  const [a, b] = [readGgufHeader(good), readGgufHeader(other)];
  expect(b.modelRevision).not.toBe(a.modelRevision);
  expect(b.tokenization).toBe(a.tokenization);
});

test('another chat template is another tokenization', () => {
  const other = path.join(folder, 'template.gguf');
  writeFileSync(
    other,
    Buffer.from(bytes.toString('latin1').replace('assistant', 'assistent'), 'latin1'),
  );
  expect(readGgufHeader(other).tokenization).not.toBe(readGgufHeader(good).tokenization);
});

test('a file that is not there, a folder and something else are one clear sentence', () => {
  const missing = path.join(folder, 'nowhere.gguf');
  expect(() => readGgufHeader(missing)).toThrow(
    expect.objectContaining({ code: 'model_file_missing' }),
  );
  expect(() => readGgufHeader(folder)).toThrow(
    expect.objectContaining({ code: 'model_file_damaged' }),
  );
  for (const content of ['', 'G', 'not a model at all, really']) {
    writeFileSync(bad, content);
    expect(() => readGgufHeader(bad)).toThrow(damaged);
  }
});

test('a file cut off anywhere is refused, by the header or by libllama', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: bytes.length - 33 }), (size) => {
      writeFileSync(bad, bytes.subarray(0, size));
      expect(() => new LlamaModel(bad)).toThrow(damaged);
    }),
    { numRuns: 30 },
  );
});

test('flipped bytes in the header never end the process', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 12_000 }),
      fc.integer({ min: 1, max: 255 }),
      (at, mask) => {
        const copy = Buffer.from(bytes);
        copy[at] = (copy[at] ?? 0) ^ mask;
        writeFileSync(bad, copy);
        try {
          readGgufHeader(bad);
        } catch (error) {
          expect(error).toEqual(damaged);
        }
      },
    ),
    { numRuns: 100 },
  );
});
