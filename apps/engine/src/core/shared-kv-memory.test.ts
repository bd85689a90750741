import { KEY_BYTES, keyHex, rootKey, segmentKeys } from '@baton/kv';
import { LlamaModel } from '@baton/llama';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { promptOf, SEGMENT_TOKENS, tinyModel } from '../testing/inference-test-kit.ts';
import type { KvSequence } from './kv-memory.ts';
import { SharedKvMemory } from './shared-kv-memory.ts';

const CELLS = 1024;
const file = tinyModel();
const model = new LlamaModel(file.modelPath);
afterAll(() => {
  model.close();
  file.clean();
});

const root = rootKey({ tokenization: 'test' });
const keyOf = (tokens: Int32Array, index: number): Uint8Array =>
  segmentKeys(root, tokens.subarray(0, (index + 1) * SEGMENT_TOKENS), SEGMENT_TOKENS).slice(
    index * KEY_BYTES,
  );

/** Prompts that are prefixes of one another or branch off, so that chains share and split. */
const prompts = [0, 1, 2].flatMap((seed) =>
  [70, 130, 200, 330].map((length) => {
    const tokens = promptOf(length, 0);
    if (seed > 0) tokens.set([300 + seed], Math.min(length - 1, seed * SEGMENT_TOKENS + 5));
    return tokens;
  }),
);

interface Run {
  sequence: KvSequence;
  tokens: Int32Array;
}

type Step = { do: 'start' | 'advance' | 'end' | 'evict'; which: number };
const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('start', 'start', 'advance', 'advance', 'advance', 'end', 'evict'),
  which: fc.nat(),
});

function memoryUnderTest(removed: Set<string>): SharedKvMemory {
  return new SharedKvMemory({
    model,
    cells: CELLS,
    maxSequences: 4,
    segmentTokens: SEGMENT_TOKENS,
    maxPrefillTokens: 128,
    threads: 1,
    onRemoved: (key) => removed.add(keyHex(key)),
  });
}

/** Takes the next piece from the cache or computes it. */
function advance(memory: SharedKvMemory, { sequence, tokens }: Run, stored: Set<string>): void {
  const from = sequence.length;
  if (from >= tokens.length) return;
  const index = Math.floor(from / SEGMENT_TOKENS);
  const isWhole = (index + 1) * SEGMENT_TOKENS <= tokens.length;
  if (isWhole && sequence.adopt(keyOf(tokens, index))) return;
  const to = isWhole ? (index + 1) * SEGMENT_TOKENS : tokens.length;
  if (!sequence.reserve(to)) return;
  memory.compute([{ sequence, tokens: tokens.subarray(from, to), from, wantsLogits: false }]);
  if (!isWhole) return;
  const key = keyOf(tokens, index);
  expect(['stored', 'known']).toContain(sequence.complete(key));
  stored.add(keyHex(key));
}

test('after any sequence of steps the books agree with libllama, and at the end every cell is free', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const removed = new Set<string>();
      const stored = new Set<string>();
      const memory = memoryUnderTest(removed);
      const runs: Run[] = [];
      for (const { do: what, which } of steps) {
        const run = runs[which % Math.max(1, runs.length)];
        if (what === 'start' && runs.length < 4) {
          const sequence = memory.open();
          const tokens = prompts[which % prompts.length];
          if (sequence && tokens) runs.push({ sequence, tokens });
        } else if (what === 'evict') memory.evict();
        else if (run && what === 'advance') advance(memory, run, stored);
        else if (run && what === 'end') runs.splice(runs.indexOf(run), 1)[0]?.sequence.release();
        expect(memory.freeCells).toBeGreaterThanOrEqual(0);
      }
      // Every running sequence has all its positions: a range that lacks one cannot be exported.
      for (const { sequence } of runs) {
        const { length } = sequence;
        if (length === 0) continue;
        const bytes = new Uint8Array(memory.context.rangeBytes(length));
        expect(sequence.export(0, length, bytes)).toBe(bytes.length);
      }
      for (const { sequence } of runs) sequence.release();
      expect(memory.usedBlocks).toBe(0);
      const page = new Uint8Array(memory.segmentBytes);
      const held = [...stored].filter((hex) => memory.exportCached(Buffer.from(hex, 'hex'), page));
      expect(held.length).toBe(memory.cache.size);
      expect(memory.freeCells).toBe(CELLS - held.length * SEGMENT_TOKENS);
      while (memory.evict());
      expect(memory.cache.size).toBe(0);
      expect(memory.chainCount).toBe(0);
      expect(memory.freeCells).toBe(CELLS);
      // All of libllama's cells are really free: they can be filled again.
      const last = memory.open();
      if (last === undefined) throw new Error('no sequence');
      expect(last.reserve(CELLS)).toBe(true);
      for (let from = 0; from < CELLS; from += 128) {
        const tokens = promptOf(128, 3);
        memory.compute([{ sequence: last, tokens, from, wantsLogits: false }]);
      }
      expect(memory.freeCells).toBe(0);
      memory.close();
    }),
    { numRuns: 40 },
  );
});

test('what two sequences compute at the same time is kept once', () => {
  const memory = memoryUnderTest(new Set());
  const tokens = promptOf(128, 9);
  const runs = [memory.open(), memory.open()].flatMap((sequence) => sequence ?? []);
  for (const sequence of runs) {
    sequence.reserve(128);
    memory.compute([{ sequence, tokens, from: 0, wantsLogits: false }]);
  }
  expect(memory.freeCells).toBe(CELLS - 256);
  const completions = runs.map((sequence) => [
    sequence.complete(keyOf(tokens, 0)),
    sequence.complete(keyOf(tokens, 1)),
  ]);
  expect(completions).toEqual([
    ['stored', 'stored'],
    ['known', 'known'],
  ]);
  expect(memory.freeCells).toBe(CELLS - 128);
  for (const sequence of runs) sequence.release();
  expect(memory.chainCount).toBe(1);
  memory.close();
});

test('many short chains: when ids run out, old chains go', () => {
  const removed = new Set<string>();
  const memory = new SharedKvMemory({
    model,
    cells: 300 * SEGMENT_TOKENS,
    maxSequences: 2,
    segmentTokens: SEGMENT_TOKENS,
    maxPrefillTokens: 64,
    threads: 1,
    onRemoved: (key) => removed.add(keyHex(key)),
  });
  for (let i = 0; i < 200; i += 1) {
    const tokens = promptOf(64, 0);
    tokens[0] = 261 + (i % 90);
    tokens[1] = 261 + Math.floor(i / 90);
    const sequence = memory.open();
    if (sequence === undefined) throw new Error('no sequence');
    sequence.reserve(64);
    memory.compute([{ sequence, tokens, from: 0, wantsLogits: false }]);
    sequence.complete(keyOf(tokens, 0));
    sequence.release();
  }
  expect(memory.cache.size).toBe(130);
  expect(removed.size).toBe(70);
  memory.close();
});
