import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { defaultsOf } from '../parameters.ts';
import type { PlanQuery, RankView } from '../policy.ts';
import { seededRandom } from '../random.ts';
import { sampleQuery, sampleRank, SEGMENT } from '../testing/fleet-sample.ts';
import { blockCost, type BlockCounts } from './block-cost.ts';
import { DynamoCost } from './dynamo-cost.ts';
import { dynamoCostParameters } from './parameters.ts';
import { softmaxIndex } from './softmax.ts';

const defaults = defaultsOf(dynamoCostParameters);
const policy = (changes: Partial<typeof defaults> = {}, seed = 1): DynamoCost =>
  new DynamoCost({ ...defaults, ...changes }, seededRandom(seed));

const none: BlockCounts = {
  waitingPrefill: 0,
  excessPrefill: 0,
  prompt: 0,
  device: 0,
  host: 0,
  disk: 0,
  active: 0,
  added: 0,
  requests: 0,
};

// Mooncake's router guide (router-integration-design): blocks of 16, 1,024 prompt tokens.
test.each([
  ['A', { waitingPrefill: 32, device: 32, host: 16, disk: 8, active: 64, added: 8 }, 122],
  ['B', { waitingPrefill: 0, device: 16, host: 16, disk: 0, active: 32, added: 32 }, 100],
])('the worked example of Mooncake: %s', (_, counts, expected) => {
  expect(blockCost({ ...none, prompt: 64, ...counts }, defaults).cost).toBe(expected);
});

test('the prefill term is never negative, and weights count', () => {
  const counts = { ...none, prompt: 4, device: 10, active: 7, requests: 3 };
  expect(blockCost(counts, defaults).cost).toBe(7);
  const weights = { ...defaults, prefillLoadScale: 8, decodeRequestWeight: 2, overlapCredit: 0.5 };
  expect(blockCost({ ...counts, device: 4 }, weights).cost).toBe(8 * 2 + 7 + 2 * 3);
});

test('the credit decays with the excess, relative to the prompt', () => {
  const decaying = { ...defaults, overlapCreditDecay: 1 };
  const counts = { ...none, waitingPrefill: 20, prompt: 10, device: 10 };
  expect(blockCost(counts, decaying).cost).toBe(20);
  expect(blockCost({ ...counts, excessPrefill: 10 }, decaying).cost).toBe(25);
});

const held: [string, Tier, number][] = [
  ['w1', Tier.DRAM, 6],
  ['w1', Tier.HBM, 4],
];

function workers(waiting: number, changes: { kvBlocks?: number; streams?: number } = {}) {
  const load = { prefillTokens: waiting * SEGMENT, ...changes };
  return [sampleRank('w1', 'both', { load }), sampleRank('w2', 'both')] as RankView[];
}

const query: PlanQuery = sampleQuery({ promptTokens: 10 * SEGMENT, held });

test('the example of the page: a holder with a queue against an idle one', () => {
  const pick = policy().pick(query, 'prefill', workers(6));
  expect(pick.scores.map((score) => score.cost)).toEqual([10.5, 10]);
  expect(pick.index).toBe(1);
  expect(policy().pick(query, 'prefill', workers(5)).index).toBe(0);
});

test('what is on SSD counts least, and what is coming does not count', () => {
  const onDisk = [...held, ['w1', Tier.SSD, 10]] as [string, Tier, number][];
  const asked = sampleQuery({ promptTokens: 10 * SEGMENT, held: onDisk });
  const { scores } = policy().pick(asked, 'prefill', workers(0));
  expect(scores[0]?.cost).toBe(10 - 4 - 1.5 - 1);
  const coming = [{ planId: 'p1', workerId: 'w2', rank: 0, segments: 9, readyInMs: 1 }];
  expect(policy().pick({ ...query, coming }, 'prefill', workers(0)).scores[1]?.cost).toBe(10);
});

test('a prefill leg knows no decode, a decode leg no prefill and no credit, a whole one both', () => {
  const ranks = workers(6, { kvBlocks: 100, streams: 3 });
  const costs = (leg: 'prefill' | 'decode' | 'whole'): number[] =>
    policy()
      .pick(query, leg, ranks)
      .scores.map((score) => score.cost);
  expect(costs('prefill')).toEqual([10.5, 10]);
  expect(costs('decode')).toEqual([110, 10]);
  expect(costs('whole')).toEqual([120.5, 20]);
});

test('blocks are those of the engine, segments of any size', () => {
  const layout = { ...sampleRank('w1').facts.layout, blockTokens: 16 };
  const ranks = [sampleRank('w1', 'both', { facts: { layout } })];
  expect(policy().pick(query, 'prefill', ranks).scores[0]?.cost).toBe(40 - 16 - 6);
});

test('equal costs are decided by chance, the same for the same seed', () => {
  const ranks = ['w3', 'w4', 'w5'].map((id) => sampleRank(id));
  const picks = (seed: number): number[] => {
    const one = policy({}, seed);
    return Array.from({ length: 60 }, () => one.pick(query, 'prefill', ranks).index);
  };
  expect(new Set(picks(1))).toEqual(new Set([0, 1, 2]));
  expect(picks(1)).toEqual(picks(1));
});

test('with a temperature the cheaper is likelier, and the dearer possible', () => {
  const counts = [0, 0, 0];
  for (let i = 0; i < 1_000; i += 1) {
    const index = softmaxIndex([0, 5, 10], 0.5, i / 1_000);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  // exp(0), exp(-1) and exp(-2), as shares of their sum.
  [665, 245, 90].forEach((share, i) => {
    expect(Math.abs((counts[i] ?? 0) - share)).toBeLessThanOrEqual(1);
  });
  expect(softmaxIndex([3, 3], 0.1, 0.7)).toBe(1);
  expect(softmaxIndex([1, 2, 3], 0.01, 0.999)).toBe(0);
  const one = policy({ temperature: 5 });
  const picks = Array.from({ length: 50 }, () => one.pick(query, 'prefill', workers(6)).index);
  expect(new Set(picks)).toEqual(new Set([0, 1]));
});
