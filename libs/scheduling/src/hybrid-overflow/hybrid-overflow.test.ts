import { expect, test } from 'vitest';
import { defaultsOf } from '../parameters.ts';
import type { PlanQuery, RankView } from '../policy.ts';
import { sampleQuery, sampleRank } from '../testing/fleet-sample.ts';
import { HybridOverflow } from './hybrid-overflow.ts';
import { hybridOverflowParameters } from './parameters.ts';

const at = (workerId: string) => ({ workerId, rank: 0 });
const prompt = (promptTokens: number, family = 'a'): PlanQuery =>
  sampleQuery({ promptTokens, family });
const workers = (...prefillTokens: number[]): RankView[] =>
  prefillTokens.map((tokens, i) =>
    sampleRank(`w${i + 1}`, 'prefill', { load: { prefillTokens: tokens } }),
  );

function ownedBy(...ids: string[]): HybridOverflow {
  const policy = new HybridOverflow(defaultsOf(hybridOverflowParameters));
  for (const id of ids) policy.placed(prompt(640), at(id));
  return policy;
}

test.each([
  [640, 2_688, 0],
  [640, 2_689, 1],
  [6_400, 8_448, 0],
  [6_400, 8_449, 1],
])('the example of the page: %i prompt tokens, %i at the owner', (promptTokens, tokens, index) => {
  expect(ownedBy('w1').pick(prompt(promptTokens), 'prefill', workers(tokens, 0)).index).toBe(index);
});

test('what counts is how much more it has to do than the least loaded', () => {
  const pick = ownedBy('w1').pick(prompt(640), 'prefill', workers(50_000, 49_000));
  expect(pick).toMatchObject({ index: 0, reason: 'owner of the prefix' });
});

test('after an overflow both own the prefix, and the less loaded one is taken', () => {
  const policy = ownedBy('w1');
  policy.placed(prompt(640), at('w2'));
  expect(policy.pick(prompt(640), 'prefill', workers(10, 0, 0)).index).toBe(1);
  expect(policy.pick(prompt(640), 'prefill', workers(0, 10, 0)).index).toBe(0);
});

test('a longer match makes the owner', () => {
  const policy = ownedBy('w1');
  policy.placed(prompt(1_280), at('w3'));
  expect(policy.pick(prompt(1_280), 'prefill', workers(0, 0, 100)).index).toBe(2);
});

test('without an owner the least loaded, in turn; a lost worker owns nothing', () => {
  const policy = ownedBy('w1');
  policy.forgetWorker('w1');
  const ranks = workers(5, 0, 0);
  expect([1, 2, 3].map(() => policy.pick(prompt(640), 'prefill', ranks).index)).toEqual([1, 2, 1]);
  expect(ownedBy('w1').pick(prompt(640, 'b'), 'prefill', ranks).index).toBe(1);
});

test('for decode the tokens of KV count', () => {
  const decode = (kvBlocks: number): RankView[] => [
    sampleRank('w1', 'decode', { load: { kvBlocks } }),
    sampleRank('w2', 'decode'),
  ];
  expect(ownedBy('w1').pick(prompt(640), 'decode', decode(42)).index).toBe(0);
  expect(ownedBy('w1').pick(prompt(640), 'decode', decode(43)).index).toBe(1);
});
