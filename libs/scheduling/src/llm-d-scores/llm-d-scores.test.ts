import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { defaultsOf } from '../parameters.ts';
import type { PlanQuery, RankView } from '../policy.ts';
import { seededRandom } from '../random.ts';
import { sampleQuery, sampleRank, SEGMENT } from '../testing/fleet-sample.ts';
import { LlmDScores } from './llm-d-scores.ts';
import { llmDScoresParameters } from './parameters.ts';

const defaults = defaultsOf(llmDScoresParameters);
const policy = (changes: Partial<typeof defaults> = {}, seed = 1): LlmDScores =>
  new LlmDScores({ ...defaults, ...changes }, seededRandom(seed));

function worker(id: string, waitingSequences?: number, kvUsedBlocks = 0): RankView {
  const reported = {
    rank: 0,
    runningSequences: 0,
    waitingSequences: waitingSequences ?? 0,
    pendingPrefillTokens: 0,
    kvUsedBlocks,
    prefillTokensPerSec: 0,
    decodeTokensPerSec: 0,
    dramBytesPerSec: 0,
    ssdBytesPerSec: 0,
  };
  return sampleRank(id, 'both', {
    load: { kvBlocks: kvUsedBlocks },
    reported: waitingSequences === undefined ? undefined : reported,
  });
}

const prompt = (held: Record<string, number> | [string, Tier, number][]): PlanQuery =>
  sampleQuery({ promptTokens: 10 * SEGMENT, held });

test('the example of the page: a cached share against a queue', () => {
  const ranks = [worker('w1', 3), worker('w2', 0)];
  const pick = policy().pick(prompt({ w1: 4 }), 'prefill', ranks);
  expect(pick.scores.map((score) => score.cost)).toEqual([-0.8, -1]);
  expect(pick.index).toBe(1);
  expect(policy().pick(prompt({ w1: 6 }), 'prefill', ranks).index).toBe(0);
});

test('queues are scored by proportion; all get 1 when all have as many', () => {
  const queues = (...waiting: number[]): (number | undefined)[] => {
    const ranks = waiting.map((count, i) => worker(`w${i}`, count));
    return policy()
      .pick(prompt({}), 'prefill', ranks)
      .scores.map((score) => score.terms['queue']);
  };
  expect(queues(4, 0, 1)).toEqual([0, 1, 0.75]);
  expect(queues(7, 7)).toEqual([1, 1]);
  expect(queues(7)).toEqual([1]);
});

test('each tier has its weight, and one that is not listed counts in full', () => {
  const held: [string, Tier, number][] = [
    ['w1', Tier.HBM, 2],
    ['w1', Tier.DRAM, 7],
    ['w1', Tier.SSD, 8],
  ];
  const { scores } = policy().pick(prompt(held), 'prefill', [worker('w1', 0)]);
  expect(scores[0]?.terms['prefix']).toBeCloseTo((2 + 0.8 * 5 + 1) / 10);
});

test('free KV counts when it is given a weight; an unknown one counts nothing', () => {
  const ranks = [worker('w1', 0, 384), worker('w2', 0, 128), worker('w3')];
  const kvFree = policy()
    .pick(prompt({}), 'decode', ranks)
    .scores.map((score) => score.terms['kvFree']);
  expect(kvFree).toEqual([0.25, 0.75, 0]);
  expect(policy({ kvUsageWeight: 1 }).pick(prompt({}), 'decode', ranks).index).toBe(1);
});

test('a prompt without a whole segment has no cached share', () => {
  const short = sampleQuery({ promptTokens: 10, held: { w1: 5 } });
  const { scores } = policy().pick(short, 'prefill', [worker('w1', 0)]);
  expect(scores[0]?.terms['prefix']).toBe(0);
});

test('equal scores are decided by chance, the same for the same seed', () => {
  const ranks = ['w1', 'w2', 'w3'].map((id) => worker(id, 0));
  const picks = (seed: number): number[] => {
    const one = policy({}, seed);
    return Array.from({ length: 60 }, () => one.pick(prompt({}), 'prefill', ranks).index);
  };
  expect(new Set(picks(1))).toEqual(new Set([0, 1, 2]));
  expect(picks(2)).toEqual(picks(2));
});
