import { expect, test } from 'vitest';
import { seededRandom } from '../random.ts';
import { prefillMs, type PrefillCost } from './prefill-cost.ts';
import { PrefillFit } from './prefill-fit.ts';

const prior: PrefillCost = { fixedMs: 0, perTokenMs: 0.1, perPairMs: 0 };

/** Prompts as they come: most short, some long, some with context. */
function teach(fit: PrefillFit, truth: PrefillCost, count: number, noise: number, seed = 1): void {
  const random = seededRandom(seed);
  for (let i = 0; i < count; i += 1) {
    const newTokens = Math.ceil(100 * Math.exp(random() * 6));
    const contextTokens = random() < 0.5 ? 0 : Math.floor(random() * 20_000);
    const ms = prefillMs(truth, newTokens, contextTokens) * (1 + noise * (random() - 0.5));
    fit.observe({ newTokens, contextTokens, ms });
  }
}

const off = (fit: PrefillFit, truth: PrefillCost, newTokens: number, context = 0): number =>
  prefillMs(fit.cost(), newTokens, context) / prefillMs(truth, newTokens, context) - 1;

test.each<[string, PrefillCost]>([
  ['linear', { fixedMs: 20, perTokenMs: 0.3, perPairMs: 0 }],
  ['with attention', { fixedMs: 10, perTokenMs: 0.095, perPairMs: 4.2e-6 }],
  ['eight times as fast as believed', { fixedMs: 1, perTokenMs: 0.012, perPairMs: 2e-7 }],
])('a worker that is %s is known within a tenth after a hundred prompts', (_, truth) => {
  const fit = new PrefillFit(prior);
  teach(fit, truth, 100, 0.1);
  for (const tokens of [300, 3_000, 30_000]) {
    expect(Math.abs(off(fit, truth, tokens))).toBeLessThan(0.1);
  }
  expect(Math.abs(off(fit, truth, 2_000, 20_000))).toBeLessThan(0.1);
  expect(fit.observations).toBe(100);
});

test('it follows a worker that becomes twice as slow', () => {
  const truth: PrefillCost = { fixedMs: 10, perTokenMs: 0.1, perPairMs: 4e-6 };
  const fit = new PrefillFit(prior);
  teach(fit, truth, 500, 0.1);
  const slow = { fixedMs: 20, perTokenMs: 0.2, perPairMs: 8e-6 };
  teach(fit, slow, 500, 0.1, 2);
  expect(Math.abs(off(fit, slow, 5_000))).toBeLessThan(0.1);
});

test('single wild observations move it little, and no term becomes negative', () => {
  const truth: PrefillCost = { fixedMs: 10, perTokenMs: 0.1, perPairMs: 0 };
  const fit = new PrefillFit(prior);
  teach(fit, truth, 300, 0.1);
  for (const ms of [1e9, 1e-9, 1e9, Number.NaN, -1, 0]) {
    fit.observe({ newTokens: 4_000, contextTokens: 0, ms });
  }
  expect(Math.abs(off(fit, truth, 4_000))).toBeLessThan(0.15);
  for (const value of Object.values(fit.cost())) expect(value).toBeGreaterThanOrEqual(0);
});

test('no row of wild observations makes prompts cost nothing for ever', () => {
  const truth: PrefillCost = { fixedMs: 10, perTokenMs: 0.1, perPairMs: 0 };
  const fit = new PrefillFit(prior);
  teach(fit, truth, 300, 0.1);
  for (let i = 0; i < 50; i += 1) fit.observe({ newTokens: 500, contextTokens: 0, ms: 1e-6 });
  expect(prefillMs(fit.cost(), 4_000, 0)).toBeGreaterThan(0);
  teach(fit, truth, 500, 0.1, 2);
  expect(Math.abs(off(fit, truth, 4_000))).toBeLessThan(0.15);
});

test('what is never seen stays believed, and the error says how well it fits', () => {
  const truth: PrefillCost = { fixedMs: 0, perTokenMs: 0.1, perPairMs: 0 };
  const fit = new PrefillFit(prior);
  for (let i = 0; i < 5_000; i += 1) {
    fit.observe({ newTokens: 1_000, contextTokens: 0, ms: prefillMs(truth, 1_000, 0) });
  }
  expect(Math.abs(off(fit, truth, 1_000))).toBeLessThan(0.01);
  expect(fit.errorShare).toBeLessThan(0.01);
  teach(fit, { ...truth, perTokenMs: 0.3 }, 3, 0);
  expect(fit.errorShare).toBeGreaterThan(0.005);
});
