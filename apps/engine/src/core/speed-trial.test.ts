import { afterAll, describe, expect, test } from 'vitest';
import { promptOf, requestFor, ThreadUnderTest, tinyModel } from '../testing/inference-test-kit.ts';
import type { ComputePiece, KvMemory, KvSequence } from './kv-memory.ts';
import type { MeasuredPiece } from './load-meter.ts';
import { speedTrial, TRIAL_BUDGET_MS } from './speed-trial.ts';

const SEGMENT_TOKENS = 64;

interface Machine {
  /** A step takes so long, and each token in it. */
  fixedMs: number;
  tokenMs: number;
  /** The first step takes this much longer. */
  coldMs?: number;
  /** So do those of this size, when somebody else has the core just then. */
  disturbed?: { tokens: number; byMs: number };
  cells?: number;
}

function trial(machine: Machine) {
  const { fixedMs, tokenMs, coldMs = 0, cells = 4_096, disturbed } = machine;
  let nowMs = 1_000;
  let open = 0;
  const steps: number[] = [];
  const forbidden = (): never => {
    throw new Error('a trial leaves the cache alone');
  };
  const openSequence = (): KvSequence => {
    open += 1;
    const sequence = {
      length: 0,
      cachedSegments: 0,
      reserve: (tokens: number) => tokens <= cells,
      release: () => void (open -= 1),
      ...{ adopt: forbidden, import: forbidden, complete: forbidden, export: forbidden },
    };
    return sequence;
  };
  const memory: Pick<KvMemory<number>, 'open' | 'compute'> = {
    open: openSequence,
    compute(pieces: readonly ComputePiece[]) {
      let count = 0;
      for (const { sequence, tokens, from } of pieces) {
        expect(from).toBe(sequence.length);
        expect(Math.floor(from / SEGMENT_TOKENS)).toBe(
          Math.floor((from + tokens.length - 1) / SEGMENT_TOKENS),
        );
        expect([...tokens].every((token) => token >= 0 && token < 50)).toBe(true);
        (sequence as { length: number }).length += tokens.length;
        count += tokens.length;
      }
      nowMs += fixedMs + count * tokenMs + (steps.length === 0 ? coldMs : 0);
      if (disturbed?.tokens === count) nowMs += disturbed.byMs;
      steps.push(count);
      return pieces.map(() => 0);
    },
  };
  const rates = new Map<string, number>();
  speedTrial({
    memory: memory as KvMemory<number>,
    vocabSize: 50,
    segmentTokens: SEGMENT_TOKENS,
    maxModelTokens: cells,
    nowMs: () => nowMs,
    measured: (pieces: readonly MeasuredPiece[], elapsedMs) => {
      const [piece] = pieces;
      if (piece) rates.set(piece.kind, (1_000 * piece.tokens.length) / elapsedMs);
    },
  });
  expect(open).toBe(0);
  return { steps, rates, tookMs: nowMs - 1_000 - coldMs };
}

test('on a fast machine the prompt has the size of a real step', () => {
  const { steps, rates } = trial({ fixedMs: 1, tokenMs: 0.1 });
  expect(steps).toEqual([1, 4, 16, 64, 256, 256, 256, 256, 1, ...Array<number>(8).fill(1)]);
  expect(rates.get('prefill')).toBeCloseTo(256_000 / 26.6);
  expect(rates.get('decode')).toBeCloseTo(1_000 / 1.1);
});

test('on a slow one it is short, and says the same within what a step costs', () => {
  const { steps, rates, tookMs } = trial({ fixedMs: 4, tokenMs: 4 });
  expect(Math.max(...steps)).toBe(16);
  expect(rates.get('prefill')).toBeGreaterThan(230);
  expect(tookMs).toBeLessThan(TRIAL_BUDGET_MS + 8);
});

test('whatever the machine, it ends in time unless a single token takes longer', () => {
  for (let tokenMs = 0.01; tokenMs < 40; tokenMs *= 1.3) {
    for (const fixedMs of [0, tokenMs, 10 * tokenMs]) {
      const { rates, tookMs } = trial({ fixedMs, tokenMs });
      const oneMs = fixedMs + tokenMs;
      expect(tookMs).toBeLessThanOrEqual(TRIAL_BUDGET_MS + 6 * oneMs);
      expect([...rates.keys()]).toEqual(['prefill', 'decode']);
    }
  }
});

test('the first step, which finds everything cold, tells nothing', () => {
  const warm = trial({ fixedMs: 1, tokenMs: 0.5 });
  const cold = trial({ fixedMs: 1, tokenMs: 0.5, coldMs: 3_000 });
  expect(cold.rates).toEqual(warm.rates);
});

test('a step that is disturbed neither counts nor ends the trial', () => {
  const quiet = trial({ fixedMs: 1, tokenMs: 0.1 });
  const busy = trial({ fixedMs: 1, tokenMs: 0.1, disturbed: { tokens: 64, byMs: 50 } });
  expect(busy.rates.get('prefill')).toBe(quiet.rates.get('prefill'));
});

test('an engine with little memory tries what fits', () => {
  expect(Math.max(...trial({ fixedMs: 1, tokenMs: 0.1, cells: 64 }).steps)).toBe(16);
  expect(trial({ fixedMs: 1, tokenMs: 0.1, cells: 8 }).rates.size).toBe(0);
});

describe.each([false, true])('an engine that has started (reproducible: %s)', (reproducible) => {
  const model = tinyModel();
  // Hardly more than the prompts below need: whatever the trial has left would be in their way.
  const thread = new ThreadUnderTest({ modelPath: model.modelPath, reproducible, cells: 1_024 });
  afterAll(async () => {
    await thread.stop();
    model.clean();
  });

  test('knows its speed, and has nothing in it', async () => {
    await thread.ready;
    const load = await thread.rest();
    expect(load).toMatchObject({ running: 0, waiting: 0, pendingPrefillTokens: 0, usedBlocks: 0 });
    expect(load.prefillTokensPerSec).toBeGreaterThan(0);
    expect(load.decodeTokensPerSec).toBeGreaterThan(0);
    expect(thread.events.map(({ type }) => type)).toEqual(['ready', 'load']);
    // The tokens of the trial are in no cache: a prompt of the same ones is computed whole.
    const prompt = Int32Array.from({ length: 130 }, (_, i) => i);
    const { accounting } = await thread.run(requestFor('same', prompt));
    expect(accounting).toMatchObject({ heldTokens: 0, computedTokens: 130 });
    const all = await thread.run(requestFor('all', promptOf(1_000), { maxOutputTokens: 8 }));
    expect(all.outcome).toBe('length');
  });
});
