import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { LlamaContext } from './context.ts';
import { logprobsOf } from './logprobs.ts';
import { LlamaModel } from './model.ts';
import { drawSeed, LlamaSampler } from './sampler.ts';
import type { SamplerOptions } from './sampler.ts';
import { writeTinyModel } from './tiny-model.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'baton-sampler-'));
const file = path.join(folder, 'tiny.gguf');
writeTinyModel(file);
const model = new LlamaModel(file);
const context = new LlamaContext(model, {
  cells: 256,
  sequences: 1,
  batchTokens: 64,
  outputs: 1,
  threads: 1,
});
[261, 262, 263].forEach((token, i) => context.batch.add(token, i, 1, i === 2));
context.decode();
const logits = context.logits(2).slice();
const argmax = logits.indexOf(Math.max(...logits));
afterAll(() => {
  context.close();
  model.close();
  rmSync(folder, { recursive: true });
});

const base: SamplerOptions = {
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  seed: 7,
  presencePenalty: 0,
  frequencyPenalty: 0,
};

/** Draws again and again from the same logits. */
function draw(options: Partial<SamplerOptions>, count: number, earlier: number[] = []): number[] {
  const sampler = new LlamaSampler(model, { ...base, ...options });
  for (const token of earlier) sampler.accept(token);
  const tokens = Array.from({ length: count }, () => sampler.sample(context, 2));
  sampler.close();
  return tokens;
}

test('greedy, top-k 1, a tiny top-p and min-p 1 all take the most likely token', () => {
  const expected = new Array<number>(20).fill(argmax);
  expect(draw({ temperature: 0 }, 20)).toEqual(expected);
  expect(draw({ topK: 1 }, 20)).toEqual(expected);
  expect(draw({ topP: 1e-6 }, 20)).toEqual(expected);
  expect(draw({ minP: 1 }, 20)).toEqual(expected);
});

test('a top-k that keeps the whole vocabulary is as good as none, however large', () => {
  const all = draw({ temperature: 3 }, 30);
  for (const topK of [model.vocab.size, 1e9, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) {
    expect(draw({ temperature: 3, topK }, 30)).toEqual(all);
  }
});

test('the same seed draws the same, another one something else', () => {
  expect(draw({}, 30)).toEqual(draw({}, 30));
  expect(draw({ seed: 8 }, 30)).not.toEqual(draw({}, 30));
  expect(new Set(draw({ temperature: 5 }, 100)).size).toBeGreaterThan(20);
});

test('a draw depends on seed and place alone: it goes on from anywhere', () => {
  const penalties = { presencePenalty: 0.7, frequencyPenalty: 0.4 };
  for (const options of [{}, { temperature: 0, ...penalties }, { temperature: 2, ...penalties }]) {
    const whole = draw(options, 40);
    for (const at of [1, 13, 39]) {
      expect(draw(options, 40 - at, whole.slice(0, at))).toEqual(whole.slice(at));
    }
  }
});

test('top-k, top-p and min-p keep what they say', () => {
  const order = [...logits.keys()].sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0));
  const probability = (token: number): number => Math.exp(logprobsOf(logits, token, 0).logprob);
  const isIn = (tokens: number[], allowed: number[]): void => {
    expect(tokens.filter((token) => !allowed.includes(token))).toEqual([]);
    expect(new Set(tokens).size).toBeGreaterThan(1);
  };
  isIn(draw({ topK: 3, temperature: 3 }, 200), order.slice(0, 3));
  let sum = 0;
  const nucleus = order.filter((token) => {
    const before = sum;
    sum += probability(token);
    return before < 0.5;
  });
  isIn(draw({ topP: 0.5 }, 200), nucleus);
  const likely = order.filter((token) => probability(token) >= 0.2 * probability(argmax) * 0.999);
  isIn(draw({ minP: 0.2 }, 200), likely);
});

test('a strong penalty keeps a greedy answer from saying anything twice', () => {
  const tokens = draw({ temperature: 0, presencePenalty: 100 }, 50);
  expect(new Set(tokens).size).toBe(50);
});

test('seeds of draws are 32-bit numbers that libllama takes as they are', () => {
  const integer = fc.integer({ min: 0, max: 0xffffffff });
  fc.assert(
    fc.property(integer, fc.integer({ min: 0, max: 1 << 20 }), (seed, index) => {
      const value = drawSeed(seed, index);
      expect(Number.isInteger(value) && value >= 0 && value < 0xffffffff).toBe(true);
    }),
  );
  const many = new Set(Array.from({ length: 10_000 }, (_, i) => drawSeed(1, i)));
  expect(many.size).toBeGreaterThan(9_990);
});

test('log probabilities agree with the definition, ties go by token id', () => {
  const value = fc.integer({ min: -400, max: 400 }).map((n) => n / 20);
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 60 }), fc.nat(20), (values, count) => {
      const array = Float32Array.from(values);
      const chosen = values.length - 1;
      const total = Math.log([...array].reduce((sum, x) => sum + Math.exp(x), 0));
      const result = logprobsOf(array, chosen, count);
      expect(result.logprob).toBeCloseTo((array[chosen] ?? 0) - total, 5);
      const naive = [...array.keys()]
        .sort((a, b) => (array[b] ?? 0) - (array[a] ?? 0) || a - b)
        .slice(0, count);
      expect(result.top.map(({ token }) => token)).toEqual(naive);
      for (const { token, logprob } of result.top) {
        expect(logprob).toBeCloseTo((array[token] ?? 0) - total, 5);
      }
    }),
  );
});
