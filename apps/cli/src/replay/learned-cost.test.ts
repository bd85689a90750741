import { expect, test } from 'vitest';
import { readCostFile } from './cost-file.ts';
import { learnedCostFile, type LearnedChoice } from './learned-cost.ts';
import { temporaryFile } from './testing/trace-file.ts';

const cost = { fixedMs: 3, perTokenMs: 0.1, perPairMs: 0.0001 };
const learned = { kind: 'm vllm', cost, observations: 40, errorShare: 0.061 };
const worker = {
  ...{ model: 'm', engine: 'vllm', layout: { bytesPerToken: 1_000 } },
  capabilities: { firstTokenFromPrefill: false },
  loads: [{ rank: 0, runningSequences: 0, decodeTokensPerSec: 0 }],
};
const busy = { ...worker, loads: [{ rank: 0, runningSequences: 4, decodeTokensPerSec: 200 }] };
const none: LearnedChoice = { kind: undefined, decode: undefined, chunkTokens: undefined };
const decode = { fixedMs: 9, perSequenceMs: 0.05, perKvTokenMs: 0.00003 };
const made = (
  policies: object,
  workers: object[],
  choice: Partial<LearnedChoice> = {},
): ReturnType<typeof learnedCostFile> =>
  learnedCostFile(policies, { workers }, { ...none, ...choice });

test('what was learned is a file that a replay reads', () => {
  const { cost: file, notes } = made({ prefillCosts: [learned] }, [worker], { decode });
  expect(file).toEqual({
    ...{ name: 'm vllm', kvBytesPerToken: 1_000, chunkTokens: 8_192, firstToken: 'decode' },
    ...{ prefill: cost, decode },
  });
  expect(notes).toEqual([
    'prefill: learned from 40 observations, 6 % off on average',
    'decode: as given by --decode',
  ]);
  const engine = readCostFile(temporaryFile('mine.json', JSON.stringify(file)));
  expect(engine.prefillMs(100, 0)).toBeCloseTo(3 + 10 + 0.5, 6);
});

test('decode steps: learned, or guessed from what is being decoded, or asked for', () => {
  const policies = { prefillCosts: [learned] };
  const decodeCosts = [{ ...learned, cost: decode, observations: 7 }];
  const told = made({ ...policies, decodeCosts }, [busy]);
  expect(told.cost.decode).toEqual(decode);
  expect(told.notes[1]).toBe('decode: learned from 7 observations, 6 % off on average');
  const guessed = made(policies, [worker, busy]);
  // Four sequences and 200 tokens a second: 50 steps.
  expect(guessed.cost.decode).toEqual({ fixedMs: 20, perSequenceMs: 0, perKvTokenMs: 0 });
  expect(guessed.notes[1]).toContain('a guess: 20 ms a step');
  expect(() => made(policies, [worker])).toThrow('decode steps are not learned: give --decode');
});

test('chunks as given, and the first token from prefill only where all workers give it', () => {
  const giving = { ...worker, capabilities: { firstTokenFromPrefill: true } };
  const of = (workers: object[]): string =>
    made({ prefillCosts: [learned] }, workers, { decode }).cost.firstToken;
  expect(of([giving])).toBe('prefill');
  expect(of([giving, worker])).toBe('decode');
  const other = { ...worker, engine: 'sglang' };
  expect(of([giving, other])).toBe('prefill');
  const { cost: file } = made({ prefillCosts: [learned] }, [worker], { decode, chunkTokens: 512 });
  expect(file.chunkTokens).toBe(512);
});

test('what is not known is said', () => {
  const sglang = { ...learned, kind: 'm sglang' };
  const both = { prefillCosts: [learned, sglang] };
  expect(() => made({ prefillCosts: [] }, [worker])).toThrow('prefill times are not learned yet');
  expect(() => made({}, [worker])).toThrow('prefill times are not learned yet');
  expect(() => made(both, [worker])).toThrow('--kind must be one of "m vllm", "m sglang".');
  expect(() => made(both, [worker], { kind: 'm sglang', decode })).toThrow(
    'no worker of "m sglang"',
  );
  expect(made(both, [worker], { kind: 'm vllm', decode }).cost.name).toBe('m vllm');
  const endless = { ...learned, cost: { ...cost, perTokenMs: 1e9 } };
  expect(() => made({ prefillCosts: [endless] }, [worker], { decode })).toThrow(
    'prefill.perTokenMs of "m vllm" is not usable',
  );
});

test('a fit may give attention all of what grows with the prompt, but not have nothing that does', () => {
  const fileOf = (prefill: object): ReturnType<typeof learnedCostFile> =>
    made({ prefillCosts: [{ ...learned, cost: prefill }] }, [worker], { decode });
  const quadratic = { ...cost, perTokenMs: 0 };
  const { cost: file } = fileOf(quadratic);
  expect(file.prefill).toEqual(quadratic);
  const engine = readCostFile(temporaryFile('mine.json', JSON.stringify(file)));
  expect(engine.prefillMs(100, 0)).toBeCloseTo(3 + 0.5, 6);
  expect(() => fileOf({ ...quadratic, perPairMs: 0 })).toThrow(
    'prefill times of "m vllm" do not grow with the prompt, as far as is learned: send prompts of more different lengths',
  );
});
