import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import type { PlanQuery, RankView } from '../policy.ts';
import {
  chosen,
  sampleFleet as fleet,
  sampleQuery,
  sampleRank as rank,
  SEGMENT,
} from '../testing/fleet-sample.ts';
import { kvCentric, twoPairs } from '../testing/kv-centric-sample.ts';

/** Pairs that a policy chooses one after the other. */
function turns(
  count: number,
  query: PlanQuery,
  ranks: readonly RankView[],
  policy = kvCentric(),
): string[] {
  return Array.from({ length: count }, () => {
    const { prefill, decode } = chosen(policy.decide(query, fleet(ranks)));
    return `${prefill.workerId}>${decode.workerId}`;
  });
}

test('equal pairs take turns, in the same order every time', () => {
  const query = sampleQuery({ promptTokens: 10 * SEGMENT });
  const pairs = turns(8, query, twoPairs());
  expect(new Set(pairs.slice(0, 4)).size).toBe(4);
  expect(pairs.slice(4)).toEqual(pairs.slice(0, 4));
  expect(turns(8, query, twoPairs())).toEqual(pairs);
});

// Alone, 64 tokens cost 32 ms and 640 tokens 320 ms: a hundredth of that is less than 1 ms, or more.
test.each([
  { tokens: 64, behindMs: 0.9, parameters: {}, isTied: true },
  { tokens: 64, behindMs: 1.1, parameters: {}, isTied: false },
  { tokens: 64, behindMs: 0.9, parameters: { tieMs: 0 }, isTied: false },
  { tokens: 64, behindMs: 9, parameters: { tieMs: 10 }, isTied: true },
  { tokens: 640, behindMs: 6.3, parameters: {}, isTied: true },
  { tokens: 640, behindMs: 6.5, parameters: {}, isTied: false },
  { tokens: 640, behindMs: 6.3, parameters: { tieShare: 0 }, isTied: false },
  { tokens: 640, behindMs: 31, parameters: { tieShare: 0.1 }, isTied: true },
  { tokens: 640, behindMs: 33, parameters: { tieShare: 0.1 }, isTied: false },
])(
  'with $tokens tokens and $parameters one that is $behindMs ms behind is tied: $isTied',
  ({ tokens, behindMs, parameters, isTied }) => {
    const query = sampleQuery({ promptTokens: tokens });
    const ranks = [rank('first', 'decode'), rank('second', 'decode', { queueMs: behindMs })];
    const found = turns(4, query, ranks, kvCentric(parameters));
    const both = ['first>first', 'second>second', 'first>first', 'second>second'];
    expect(found).toEqual(isTied ? both : Array.from({ length: 4 }, () => 'first>first'));
    const { candidates } = kvCentric(parameters).decide(query, fleet(ranks)).explanation;
    expect(candidates.map(({ outcome }) => outcome)).toEqual([
      'chosen',
      isTied ? 'tied' : 'behind',
    ]);
  },
);

// So slow that what moving KV costs is lost in the tie.
const cost = { fixedMs: 0, perTokenMs: 20, perPairMs: 0 };
const slow = (): RankView[] => twoPairs().map((view) => ({ ...view, cost }));

test('of those that cost the same, the one to which least has to be handed over is taken, each time', () => {
  const held: [string, Tier, number][] = [
    ['prefill-1', Tier.HBM, 5],
    ['decode-2', Tier.HBM, 5],
  ];
  const query = sampleQuery({ promptTokens: 9 * SEGMENT, held });
  expect(new Set(turns(4, query, slow()))).toEqual(new Set(['prefill-1>decode-2']));
});

test('of those that cost the same, the one that need not pull is taken, each time', () => {
  const held: [string, Tier, number][] = [['prefill-2', Tier.HBM, 5]];
  const query = sampleQuery({ promptTokens: 9 * SEGMENT, held });
  const { candidates } = kvCentric().decide(query, fleet(slow())).explanation;
  expect(candidates.filter(({ outcome }) => outcome !== 'behind')).toHaveLength(4);
  expect(new Set(turns(4, query, slow()))).toEqual(
    new Set(['prefill-2>decode-1', 'prefill-2>decode-2']),
  );
});
