import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { LlamaContext } from './context.ts';
import { LlamaModel } from './model.ts';
import { writeTinyModel } from './tiny-model.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'baton-context-'));
const file = path.join(folder, 'tiny.gguf');
writeTinyModel(file);
const model = new LlamaModel(file);
const open = (cells = 1024): LlamaContext =>
  new LlamaContext(model, { cells, sequences: 6, batchTokens: 256, outputs: 6, threads: 1 });
const source = open();
const target = open();
afterAll(() => {
  source.close();
  target.close();
  model.close();
  rmSync(folder, { recursive: true });
});

/** Computes tokens of a sequence and returns the last one's logits. */
function compute(
  context: LlamaContext,
  sequence: number,
  tokens: number[],
  from = 0,
): Float32Array {
  context.batch.clear();
  const last = tokens.length - 1;
  tokens.forEach((token, i) => context.batch.add(token, from + i, sequence, i === last));
  expect(context.decode()).toBe('done');
  return context.logits(last).slice();
}

const prompt = Array.from({ length: 200 }, (_, i) => 261 + ((i * 37) % 90));
compute(source, 1, prompt);

function rangeOf(context: LlamaContext, sequence: number, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(context.rangeBytes(to - from));
  context.exportRange(sequence, from, to, bytes);
  return bytes;
}

test('ranges leave one context and enter another bit for bit, and computing goes on as if nothing had happened', () => {
  target.clear();
  for (let from = 0; from < 192; from += 64) {
    expect(
      target.importRange(2, from, from + 64, rangeOf(source, 1, from, from + 64)),
    ).toBeUndefined();
  }
  expect(target.importRange(2, 192, 200, rangeOf(source, 1, 192, 200))).toBeUndefined();
  expect(target.lastPosition(2)).toBe(199);
  for (const [from, to] of [
    [0, 64],
    [64, 128],
    [192, 200],
    [10, 150],
  ] as const) {
    expect(Buffer.compare(rangeOf(target, 2, from, to), rangeOf(source, 1, from, to))).toBe(0);
  }
  const next = [300, 301, 302];
  expect(compute(target, 2, next, 200)).toEqual(compute(source, 1, next, 200));
  source.remove(1, 200);
});

test('any range of any sequence is the same through another context', () => {
  const range = fc
    .tuple(fc.integer({ min: 0, max: 199 }), fc.integer({ min: 1, max: 120 }))
    .map(([from, size]) => ({ from, to: Math.min(200, from + size) }));
  fc.assert(
    fc.property(range, fc.integer({ min: 1, max: 6 }), ({ from, to }, sequence) => {
      target.clear();
      const bytes = rangeOf(source, 1, from, to);
      expect(bytes.length).toBe(source.rangeBytes(to - from));
      expect(target.importRange(sequence, from, to, bytes)).toBeUndefined();
      expect(Buffer.compare(rangeOf(target, sequence, from, to), bytes)).toBe(0);
    }),
    { numRuns: 40 },
  );
});

test('shared cells are one copy: removing one sequence leaves the other', () => {
  target.clear();
  const expected = compute(target, 1, prompt);
  target.share(1, 2, 0, 200);
  target.remove(1);
  expect(target.lastPosition(1)).toBe(-1);
  target.remove(2, 199);
  expect(compute(target, 2, prompt.slice(199), 199).length).toBe(expected.length);
});

test('bytes whose frame is damaged are refused and change nothing', () => {
  const good = rangeOf(source, 1, 64, 128);
  const meta = 16 + 64 * 12 + 8;
  target.clear();
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: meta - 1 }),
      fc.integer({ min: 1, max: 255 }),
      (at, mask) => {
        const bytes = good.slice();
        bytes[at] = (bytes[at] ?? 0) ^ mask;
        const fault = target.importRange(1, 64, 128, bytes);
        // The name of the sequence in the frame is not looked at.
        const isName = (at >= 4 && at < 8) || (at >= 16 && at < meta - 8 && (at - 16) % 12 >= 8);
        if (isName) expect(fault).toBeUndefined();
        else expect(fault).toBeTypeOf('string');
        expect(target.lastPosition(1)).toBe(isName ? 127 : -1);
        target.clear();
      },
    ),
    { numRuns: 400 },
  );
});

test('bytes of another range, another size or another model are refused', () => {
  target.clear();
  const bytes = rangeOf(source, 1, 64, 128);
  expect(target.importRange(1, 0, 64, bytes)).toBe('wrong positions');
  expect(target.importRange(1, 64, 129, bytes)).toContain('bytes instead of');
  expect(target.importRange(1, 64, 128, bytes.subarray(0, -1))).toContain('bytes instead of');
  expect(target.importRange(1, 64, 128, new Uint8Array(bytes.length))).toBe('no KV state');
  const other = path.join(folder, 'other.gguf');
  writeTinyModel(other, { kvHeads: 2, headDim: 16 });
  const otherModel = new LlamaModel(other);
  const otherContext = new LlamaContext(otherModel, {
    cells: 256,
    sequences: 1,
    batchTokens: 64,
    outputs: 1,
    threads: 1,
  });
  expect(otherContext.layout.cellBytes).toBe(target.layout.cellBytes);
  compute(otherContext, 1, prompt.slice(0, 64));
  const ofOther = rangeOf(otherContext, 1, 0, 64);
  // The two have equally large rows, so this is what the layout in the announcement is for.
  expect(target.importRange(1, 0, 64, ofOther)).toBeUndefined();
  otherContext.close();
  otherModel.close();
});

test('a full context takes nothing more and says so', () => {
  const small = open(256);
  const tokens = prompt.slice(0, 128);
  compute(small, 1, tokens);
  compute(small, 2, tokens);
  small.batch.clear();
  small.batch.add(300, 128, 1, true);
  expect(small.decode()).toBe('no_cells');
  expect(small.importRange(3, 64, 128, rangeOf(source, 1, 64, 128))).toBe('refused by libllama');
  small.remove(2);
  small.batch.clear();
  small.batch.add(300, 128, 1, true);
  expect(small.decode()).toBe('done');
  small.close();
});

test('what would end the process inside libllama is caught before', () => {
  for (const sequence of [0, 7, 256, -1, 1.5]) {
    expect(() => source.remove(sequence)).toThrow(RangeError);
    expect(() => source.share(1, sequence, 0, 1)).toThrow(RangeError);
    expect(() => rangeOf(source, sequence, 0, 1)).toThrow(RangeError);
  }
  expect(() => source.exportRange(1, 0, 64, new Uint8Array(10))).toThrow('does not fit');
  expect(() => rangeOf(source, 1, 150, 250)).toThrow('not all there');
  expect(() => rangeOf(source, 3, 0, 64)).toThrow('not all there');
  source.batch.clear();
  for (let i = 0; i < 256; i += 1) source.batch.add(1, i, 2, false);
  expect(() => source.batch.add(1, 256, 2, false)).toThrow(RangeError);
  source.batch.clear();
  source.batch.add(1, 900, 1, true);
  expect(() => source.decode()).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  expect(source.lastPosition(1)).toBe(199);
});
